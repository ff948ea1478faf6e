import { Alert, Group, Card, List, Text, Stack, NativeSelect, NumberInput, Switch, TextInput } from "@mantine/core";
import { useParams, useNavigate } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { updateSiteInput } from "shared/core/input/sites";
import type { SourceType } from "shared/core/site";
import { formatCount } from "../../format.ts";
import { paths, ingestAddress } from "../../paths.ts";
import { useMay } from "../../session.tsx";
import { trpc } from "../../trpc.ts";
import { ButtonLink, CopyField, TextLink } from "../../ui/buttons.tsx";
import { ConfirmButton } from "../../ui/dialogs.tsx";
import { Moment, Fact, Facts } from "../../ui/facts.tsx";
import { HoldButton } from "../../ui/hold.tsx";
import { IdempotencyHoursInput } from "../../ui/idempotency-hours.tsx";
import { by, FormButtons, InputForm, useInputForm } from "../../ui/input-form.tsx";
import { PhoneInput } from "../../ui/inputs.tsx";
import { sourceTypeChoices, sourceTypeLabels } from "../../ui/labels.ts";
import { FailureNotice, isMissing, readableMessage } from "../../ui/page-states.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { EmptyState, ListSkeleton } from "../../ui/paged-list.tsx";
import { Silence } from "../../ui/silence.tsx";
import { UnreachedReasons, unreachedTitle, useUnreached } from "../../ui/unreached.tsx";
import { ConnectSection } from "./connect.tsx";
import { PhonesSection } from "./phones.tsx";
import { RecipientsSection } from "./recipients.tsx";
import { SecretsSection } from "./secrets.tsx";
import { type Site, type SiteSecret, type Topic, useKeepSite } from "./use-site.ts";
import { WebhooksSection } from "./webhooks.tsx";
import classes from "./site.module.css";

/** Whether its shop has not posted yet, or has not been asked for its orders yet. */
const isAwaited = (site: Site | undefined): boolean =>
  site !== undefined && ((site.sourceType !== "generic" && site.connectedAt === null) || site.reconcile?.lastRunAt === null);

/** How often a page that waits for the shop looks again. */
const pollMs = 3_000;

const back = { to: paths.sites, label: "Sites" };

export function SitePage() {
  const { siteId } = useParams({ from: `/signed-in${paths.site}` });
  const query = trpc.sites.get.useQuery({ id: siteId }, { refetchInterval: ({ state }) => (isAwaited(state.data?.site) ? pollMs : false) });
  if (query.data !== undefined) {
    const { site, secrets, topics } = query.data;
    return (
      <Page title={site.name} lead={site.url} back={back} actions={<SiteLinks site={site} />}>
        {query.error !== null && (
          <FailureNotice title="This page may be out of date" error={query.error} onRetry={() => void query.refetch()} />
        )}
        <SilenceNotice siteId={site.id} />
        <UnreachedNotice siteId={site.id} />
        <SiteParts key={site.id} site={site} secrets={secrets} topics={topics} />
      </Page>
    );
  }
  return (
    <Page title="Site" back={back}>
      {query.error === null && <ListSkeleton what="the site" />}
      {query.error !== null && isMissing(query.error) && (
        <EmptyState title="Site not found">It may have been deleted, or the address is incomplete.</EmptyState>
      )}
      {query.error !== null && !isMissing(query.error) && (
        <FailureNotice title="Could not load the site" error={query.error} onRetry={() => void query.refetch()} />
      )}
    </Page>
  );
}

/** The same that the overview says. */
function SilenceNotice({ siteId }: { siteId: string }) {
  const { data } = trpc.stats.silentSites.useQuery();
  const silent = data?.items.find((site) => site.siteId === siteId);
  if (silent === undefined) return null;
  return (
    <Alert color="yellow" title="Nothing arrives any more">
      <Silence {...silent} />
    </Alert>
  );
}

/** Events with a message that had nobody to go to; the overview says the same. */
function UnreachedNotice({ siteId }: { siteId: string }) {
  const [unreached] = useUnreached(siteId).sites;
  if (unreached === undefined) return null;
  return (
    <Alert color="yellow" title={unreachedTitle(unreached)}>
      <UnreachedReasons {...unreached} />
    </Alert>
  );
}

/** Pauses sending; links to the lists, filtered by this site. */
function SiteLinks({ site }: { site: Site }) {
  const siteId = site.id;
  const mayChange = useMay("operator");
  return (
    <Group gap="xs" align="flex-start">
      {mayChange && <HoldButton site={site} />}
      <Group component="nav" aria-label="This site" gap="xs">
        <ButtonLink variant="default" size="xs" to={paths.bindings} search={{ siteId }}>
          Bindings
        </ButtonLink>
        <ButtonLink variant="default" size="xs" to={paths.events} search={{ siteId }}>
          Events
        </ButtonLink>
        <ButtonLink variant="default" size="xs" to={paths.log} search={{ siteId }}>
          Log
        </ButtonLink>
        <ButtonLink variant="default" size="xs" to={paths.scheduled} search={{ siteId }}>
          Scheduled
        </ButtonLink>
      </Group>
    </Group>
  );
}

/** Settings on one side; keys and recipients on the other. */
function SiteParts({ site, secrets, topics }: { site: Site; secrets: SiteSecret[]; topics: Topic[] }) {
  const mayChange = useMay("operator");
  return (
    <div className={classes["parts"]}>
      <div className={classes["column"]}>
        {mayChange && <SiteSwitches site={site} />}
        <Section title="Details">{mayChange ? <DetailsForm site={site} /> : <SiteFacts site={site} />}</Section>
        {mayChange && <PhonesSection site={site} />}
      </div>
      <div className={classes["column"]}>
        {site.sourceType !== "generic" && <ConnectSection site={site} topics={topics} />}
        {mayChange && <MessagesSection site={site} />}
        <SenderSection site={site} />
        <SecretsSection siteId={site.id} secrets={secrets} />
        {site.sourceType === "generic" && <ConnectSection site={site} topics={topics} />}
        <RecipientsSection siteId={site.id} />
        <WebhooksSection siteId={site.id} secrets={secrets} />
        {mayChange && <DeleteSite site={site} />}
      </div>
    </div>
  );
}

const ReadyBindingsCard = lazy(async () => ({ default: (await import("./ready-bindings.tsx")).ReadyBindingsCard }));

function MessagesSection({ site }: { site: Site }) {
  return (
    <Section title="Ready messages" lead="One click submits the chosen templates and creates their bindings: the customer gets them.">
      <Suspense fallback={<ListSkeleton what="the messages" />}>
        <ReadyBindingsCard site={site} />
      </Suspense>
    </Section>
  );
}

function DeleteSite({ site: { id, name } }: { site: Site }) {
  const navigate = useNavigate();
  const cache = trpc.useUtils();
  const remove = trpc.sites.delete.useMutation();
  const confirm = async () => {
    await remove.mutateAsync({ id });
    await cache.sites.list.invalidate();
    // Unsaved changes have no site any more.
    await navigate({ to: paths.sites, ignoreBlocker: true });
  };
  return (
    <Section title="Delete">
      <Card withBorder>
        <Group justify="space-between" gap="sm">
          <Text size="sm">To stop it for a while, pause sending or disable it.</Text>
          <ConfirmButton label="Delete site" title={`Delete ${name}?`} action="Delete site" typed={name} onConfirm={confirm}>
            <List size="sm" spacing="xs">
              <List.Item>Its key and secret stop working: events are refused with 401.</List.Item>
              <List.Item>Its bindings, recipients, test phone and webhook endpoints are deleted for good.</List.Item>
              <List.Item>Its messages that wait are cancelled.</List.Item>
              <List.Item>Its events and messages stay in the log until the retention period ends.</List.Item>
            </List>
          </ConfirmButton>
        </Group>
      </Card>
    </Section>
  );
}

/** The endpoint for the site's events, and the time of the last one. */
function SenderSection({ site }: { site: Site }) {
  const settings = trpc.settings.get.useQuery();
  return (
    <Section title="Sending events">
      {settings.error !== null && (
        <FailureNotice title="Could not load the endpoint" error={settings.error} onRetry={() => void settings.refetch()} />
      )}
      {settings.isLoading && <ListSkeleton what="the endpoint" />}
      {settings.data !== undefined && (
        <Card withBorder>
          <Stack gap="md">
            <CopyField
              label="Endpoint URL"
              description="Replace {event} with the event name, such as order.created"
              value={ingestAddress(settings.data.gatewayUrl, site.sourceType)}
            />
            <CopyField label="Site ID" value={site.id} />
            <Text size="sm" c="dimmed">
              Last event: {site.lastEventAt === null ? "none yet" : <Moment at={site.lastEventAt} />}.{" "}
              <TextLink to={paths.topic} params={{ topic: "authentication" }}>
                How to sign requests
              </TextLink>
            </Text>
          </Stack>
        </Card>
      )}
    </Section>
  );
}

function DetailsForm({ site }: { site: Site }) {
  const update = trpc.sites.update.useMutation({ onSuccess: useKeepSite() });
  const form = useInputForm({
    initialValues: detailsOf(site),
    toInput: (values) => detailsInput(site.id, values),
    check: by(updateSiteInput),
    submit: update.mutateAsync,
  });
  return (
    <Card withBorder>
      <InputForm form={form} failure="The details were not saved">
        <TextInput label="Name" autoComplete="off" required {...form.at("name")} />
        <TextInput label="URL" type="url" autoComplete="off" required {...form.at("url")} />
        <NativeSelect
          label="Source type"
          description="Used in the endpoint URL; old URLs still work"
          data={sourceTypeChoices}
          {...form.at("sourceType")}
        />
        <PhoneInput
          label="Test phone"
          description="Test events go only to this phone; without one they reach nobody"
          {...form.at("testPhone")}
        />
        <NumberInput
          label="Requests per second"
          description="Requests above the limit are refused with 429. Empty: no limit"
          min={1}
          max={1_000_000}
          clampBehavior="none"
          allowDecimal={false}
          allowNegative={false}
          hideControls
          {...form.at("rateLimitPerSecond")}
        />
        <IdempotencyHoursInput {...form.at("idempotencyHours")} />
        <FormButtons form={form} submit="Save details" saved="Saved" />
      </InputForm>
    </Card>
  );
}

/** The fields; an empty text for nothing. */
interface Details {
  name: string;
  url: string;
  sourceType: SourceType;
  testPhone: string;
  rateLimitPerSecond: number | "";
  idempotencyHours: number | "";
}

const detailsOf = ({ name, url, sourceType, testPhone, rateLimitPerSecond, idempotencyHours }: Site): Details => ({
  name,
  url,
  sourceType,
  testPhone: testPhone ?? "",
  rateLimitPerSecond: rateLimitPerSecond ?? "",
  idempotencyHours: idempotencyHours ?? "",
});

const detailsInput = (id: string, { name, url, sourceType, testPhone, rateLimitPerSecond, idempotencyHours }: Details) => ({
  id,
  name,
  url,
  sourceType,
  testPhone: testPhone === "" ? null : testPhone,
  rateLimitPerSecond: rateLimitPerSecond === "" ? null : rateLimitPerSecond,
  idempotencyHours: idempotencyHours === "" ? null : idempotencyHours,
});

/** For roles that cannot change the site. */
function SiteFacts({ site }: { site: Site }) {
  return (
    <Card withBorder>
      <Facts>
        <Fact name="Status">{site.enabled ? "Enabled" : "Disabled: events are refused"}</Fact>
        <Fact name="Sending">{site.holdMessages ? "Paused: messages wait" : "On"}</Fact>
        <Fact name="Source type">{sourceTypeLabels[site.sourceType]}</Fact>
        <Fact name="Test phone">{site.testPhone ?? "None"}</Fact>
        <Fact name="Timestamp">{site.requireSignedTimestamp ? "Signed" : site.requireTimestamp ? "Required" : "Optional"}</Fact>
        <Fact name="Rate limit">
          {site.rateLimitPerSecond === null ? "None" : `${formatCount(site.rateLimitPerSecond)} requests per second`}
        </Fact>
        <Fact name="Country">{site.country ?? "None"}</Fact>
        <Fact name="Numbers without a country code">{site.normalizePhones ? "Completed" : "Dropped"}</Fact>
        <Fact name="Idempotency keys count for">{site.idempotencyHours === null ? "5 minutes" : `${site.idempotencyHours} hours`}</Fact>
      </Facts>
    </Card>
  );
}

function SiteSwitches({ site }: { site: Site }) {
  return (
    <Section title="Status">
      <Card withBorder>
        <Stack gap="lg">
          <SiteSwitch
            site={site}
            member="enabled"
            label="Enabled"
            on="Events are accepted and their messages are sent."
            off="Events are refused with 403; nothing is stored or sent. The backend has to send them again later."
          />
          <SiteSwitch
            site={site}
            member="requireTimestamp"
            label="Require a timestamp"
            on="Requests without X-Service-Timestamp are refused with 401, so that nobody can replay a recorded one."
            off="Requests without a timestamp are accepted. A timestamp may be at most 5 minutes off."
          />
          <SiteSwitch
            site={site}
            member="requireSignedTimestamp"
            label="Require a signed timestamp (recommended)"
            on="Requests without a signature of Standard Webhooks are refused with 401: a recorded one cannot be changed or sent again later."
            off="X-Service-Signature alone is accepted. It does not sign the timestamp: change your backend to webhook-signature, then turn this on."
          />
        </Stack>
      </Card>
    </Section>
  );
}

interface SiteSwitchProps {
  site: Site;
  member: "enabled" | "requireTimestamp" | "requireSignedTimestamp";
  label: string;
  /** The meaning of each position. */
  on: string;
  off: string;
}

/** Changes at once; if the server refuses, it goes back and says why. */
function SiteSwitch({ site, member, label, on, off }: SiteSwitchProps) {
  const update = trpc.sites.update.useMutation({ onSuccess: useKeepSite() });
  const checked = update.isPending ? update.variables[member] === true : site[member];
  return (
    <Switch
      label={label}
      description={checked ? on : off}
      checked={checked}
      error={update.error && `Not changed: ${readableMessage(update.error.message)}`}
      onChange={(event) => update.mutate({ id: site.id, [member]: event.currentTarget.checked })}
    />
  );
}
