import { Group, Card, Text, Stack, NativeSelect, NumberInput, TextInput } from "@mantine/core";
import { useParams, useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { updateSiteInput } from "shared/core/input/sites";
import type { SourceType } from "shared/core/site";
import { formatCount } from "../../format.ts";
import { t } from "../../language.ts";
import { paths, ingestAddress } from "../../paths.ts";
import { useMay } from "../../session.tsx";
import { trpc } from "../../trpc.ts";
import { AssistantButton } from "../../ui/assistant-button.tsx";
import { CopyField, TextLink } from "../../ui/buttons.tsx";
import type { ToldField } from "../../ui/conflict.tsx";
import { EmptyState, ListSkeleton } from "../../ui/data-table.tsx";
import { DialogButton } from "../../ui/dialogs.tsx";
import { Fact, Facts, ToldFacts } from "../../ui/facts.tsx";
import { HoldButton } from "../../ui/hold.tsx";
import { IdempotencyHoursInput } from "../../ui/idempotency-hours.tsx";
import { by, FormButtons, InputForm, useInputForm } from "../../ui/input-form.tsx";
import { PhoneInput, UrlInput } from "../../ui/inputs.tsx";
import { siteTitle, sourceTypeChoices, sourceTypeLabels } from "../../ui/labels.ts";
import { MoreActions } from "../../ui/more-actions.tsx";
import { PageTabs } from "../../ui/page-tabs.tsx";
import { Loaded, Page, Section } from "../../ui/page.tsx";
import { ProblemsSection } from "../../ui/problems.tsx";
import { TestMessageButton } from "../../ui/test-message.tsx";
import { ConnectSection, SiteState } from "./connect.tsx";
import { RecipientsSection } from "./recipients.tsx";
import { type SiteTab, siteTabs } from "./route.ts";
import { SecretsSection } from "./secrets.tsx";
import { DeleteSite, PhonesSection, phonesOf, SiteSwitches, tellPhones } from "./switches.tsx";
import { type Site, type SiteSecret, type Topic, useKeepSite } from "./use-site.ts";
import { WebhooksSection } from "./webhooks.tsx";

const Conversation = lazy(async () => ({ default: (await import("../../ui/conversation.tsx")).Conversation }));

/** Whether no signed request has come yet, or the shop has not been asked for its orders yet. */
const isAwaited = (site: Site | undefined): boolean =>
  site !== undefined && (site.connectedAt === null || site.reconcile?.lastRunAt === null);

/** How often a page that waits for the shop looks again. */
const pollMs = 3_000;

const back = { to: paths.sites, label: t("Sites") };

const tabLabels: Record<SiteTab, string> = {
  overview: t("Overview"),
  connect: t("Connect"),
  messages: t("Messages"),
  keys: t("Keys"),
  recipients: t("Recipients"),
  webhooks: t("Webhooks"),
  settings: t("Settings"),
};

export function SitePage() {
  const { siteId } = useParams({ from: `/signed-in${paths.site}` });
  const query = trpc.sites.get.useQuery({ id: siteId }, { refetchInterval: ({ state }) => (isAwaited(state.data?.site) ? pollMs : false) });
  const site = query.data?.site;
  return (
    <Page
      title={site === undefined ? t("Site") : siteTitle(site)}
      lead={site && <SiteState site={site} />}
      back={back}
      actions={useMay("operator") && site && <SiteActions key={siteId} site={site} />}
    >
      <Loaded
        query={query}
        what={t("the site")}
        missing={<EmptyState title={t("Site not found")}>{t("It may have been deleted, or the address is incomplete.")}</EmptyState>}
      >
        {(data) => <SiteTabs key={siteId} {...data} />}
      </Loaded>
    </Page>
  );
}

function SiteTabs({ site, secrets, topics }: { site: Site; secrets: SiteSecret[]; topics: Topic[] }) {
  const { tab } = useSearch({ from: `/signed-in${paths.site}` });
  const mayChange = useMay("operator");
  // A new site begins with its connection, and stays there when the first event comes.
  const [usual] = useState<SiteTab>(site.connectedAt === null && site.lastEventAt === null ? "connect" : "overview");
  const open = tab ?? usual;
  const tabs = siteTabs.filter((name) => mayChange || name !== "messages").map((name) => ({ name, label: tabLabels[name] }));
  return (
    <>
      <PageTabs tabs={tabs} open={open} />
      {open === "overview" && <ProblemsSection siteId={site.id} mayChange={mayChange} />}
      <Suspense fallback={<ListSkeleton what={t("the site")} />}>
        {open === "overview" && <Overview site={site} />}
        {open === "connect" && <Connect site={site} topics={topics} />}
        {open === "messages" && <ReadyMessages site={site} />}
        {open === "keys" && <SecretsSection siteId={site.id} secrets={secrets} />}
        {open === "recipients" && <RecipientsSection siteId={site.id} />}
        {open === "webhooks" && <WebhooksSection siteId={site.id} secrets={secrets} />}
        {open === "settings" && <Settings site={site} />}
      </Suspense>
    </>
  );
}

const CopySetup = lazy(async () => ({ default: (await import("./copy-setup.tsx")).CopySetup }));

const SiteActions = ({ site }: { site: Site }) => (
  <Group gap="xs" align="flex-start">
    <HoldButton site={site} />
    <TestMessageButton tested={{ siteId: site.id }} size="xs" />
    <MoreActions size="xs">
      <DialogButton label={t("Copy this set-up to…")} title={t("Copy this set-up to…")} isWide>
        {(close) => (
          <Suspense fallback={<ListSkeleton what={t("the site")} />}>
            <CopySetup siteId={site.id} onClose={close} />
          </Suspense>
        )}
      </DialogButton>
    </MoreActions>
  </Group>
);

function Overview({ site }: { site: Site }) {
  const mayChange = useMay("operator");
  const siteId = site.id;
  return (
    <>
      <SiteFacts site={site} />
      <Group component="nav" aria-label={t("This site")} gap="md">
        {listsOfSite.map(([to, label]) => (
          <TextLink key={to} to={to} search={{ siteId }}>
            {label}
          </TextLink>
        ))}
      </Group>
      <AssistantButton label={t("Ask the assistant")} size="xs" mayAsk={mayChange}>
        {(dialog) => <Conversation subject={{ siteId }} {...dialog} />}
      </AssistantButton>
    </>
  );
}

const listsOfSite = [
  [paths.log, t("Messages")],
  [paths.events, t("Events")],
  [paths.scheduled, t("Scheduled")],
  [paths.bindings, t("Bindings")],
] as const;

const Connect = ({ site, topics }: { site: Site; topics: Topic[] }) => (
  <>
    {site.sourceType === "generic" && <SenderSection site={site} />}
    <ConnectSection site={site} topics={topics} />
    {site.sourceType !== "generic" && <SenderSection site={site} />}
    <RefusedSection site={site} />
  </>
);

function Settings({ site }: { site: Site }) {
  if (!useMay("operator")) return <SiteFacts site={site} />;
  return (
    <Stack gap="xl" maw="40rem">
      <Section title={t("Details")}>
        <DetailsForm site={site} />
      </Section>
      <SiteSwitches site={site} />
      <PhonesSection site={site} />
      <DeleteSite site={site} />
    </Stack>
  );
}

const ReadyBindingsCard = lazy(async () => ({ default: (await import("./ready-bindings.tsx")).ReadyBindingsCard }));

const RefusedSection = lazy(async () => ({ default: (await import("./refused.tsx")).RefusedSection }));

const ReadyMessages = ({ site }: { site: Site }) => (
  <Section
    title={t("Ready messages")}
    lead={t("One click submits the chosen templates and creates their bindings. The messages go to the customer.")}
  >
    <ReadyBindingsCard site={site} />
  </Section>
);

/** The endpoint for the site's events, and the time of the last one. */
function SenderSection({ site }: { site: Site }) {
  const settings = trpc.settings.get.useQuery();
  return (
    <Section title={t("Sending events")}>
      <Loaded query={settings} what={t("the endpoint")}>
        {({ gatewayUrl }) => (
          <Card withBorder maw="40rem">
            <Stack gap="md">
              <CopyField
                label={t("Endpoint URL")}
                description={t("Replace '{'event'}' with the event name, such as order.created")}
                value={ingestAddress(gatewayUrl, site.sourceType)}
              />
              <CopyField label={t("Site ID")} value={site.id} />
              <Text size="sm" c="dimmed">
                <TextLink to={paths.topic} params={{ topic: "authentication" }}>
                  {t("How to sign requests")}
                </TextLink>
              </Text>
            </Stack>
          </Card>
        )}
      </Loaded>
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
    versioned: { updatedAt: site.updatedAt, fill: (current: Site) => detailsOf(current), tell: tellDetails },
  });
  return (
    <Card withBorder>
      <InputForm form={form} failure={t("The details were not saved")}>
        <TextInput label={t("Name")} autoComplete="off" required {...form.at("name")} />
        <UrlInput label={t("URL")} {...form.at("url")} />
        <NativeSelect
          label={t("Source type")}
          description={t("Used in the endpoint URL; old URLs still work")}
          data={sourceTypeChoices}
          {...form.at("sourceType")}
        />
        <PhoneInput
          label={t("Test phone")}
          description={t("Test events go only to this phone; without one they reach nobody")}
          {...form.at("testPhone")}
        />
        <NumberInput
          label={t("Requests per second")}
          description={t("Requests above the limit are refused with 429. Empty: no limit")}
          min={1}
          max={1_000_000}
          clampBehavior="none"
          allowDecimal={false}
          allowNegative={false}
          hideControls
          {...form.at("rateLimitPerSecond")}
        />
        <IdempotencyHoursInput {...form.at("idempotencyHours")} />
        <FormButtons form={form} saved={t("Saved")} />
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

const tellDetails = ({ name, url, sourceType, testPhone, rateLimitPerSecond, idempotencyHours }: Details): ToldField[] => [
  { name: t("Name"), text: name, at: ["name"] },
  { name: t("URL"), text: url, at: ["url"] },
  { name: t("Source type"), text: sourceTypeLabels[sourceType], at: ["sourceType"] },
  { name: t("Test phone"), text: testPhone || t("None"), at: ["testPhone"] },
  { name: t("Rate limit"), text: rateLimitWords(rateLimitPerSecond), at: ["rateLimitPerSecond"] },
  { name: t("Idempotency keys kept for"), text: idempotencyWords(idempotencyHours), at: ["idempotencyHours"] },
];

const rateLimitWords = (limit: number | ""): string =>
  limit === "" ? t("None") : t("{rateLimitPerSecond} requests per second", { rateLimitPerSecond: formatCount(limit) });

const idempotencyWords = (hours: number | ""): string =>
  hours === "" ? t("5 minutes") : t("{idempotencyHours} hours", { idempotencyHours: hours });

const detailsInput = (id: string, { name, url, sourceType, testPhone, rateLimitPerSecond, idempotencyHours }: Details) => ({
  id,
  name,
  url,
  sourceType,
  testPhone: testPhone === "" ? null : testPhone,
  rateLimitPerSecond: rateLimitPerSecond === "" ? null : rateLimitPerSecond,
  idempotencyHours: idempotencyHours === "" ? null : idempotencyHours,
});

/** The settings for roles that cannot change the site. Its name is the page's title. */
const SiteFacts = ({ site }: { site: Site }) => (
  <Card withBorder>
    <Facts>
      <Fact name={t("Events")}>{site.enabled ? t("Accepted") : t("Refused")}</Fact>
      <Fact name={t("Sending")}>{site.holdMessages ? t("Paused") : t("On")}</Fact>
      <Fact name={t("Timestamp")}>{site.requireSignedTimestamp ? t("Signed") : site.requireTimestamp ? t("Required") : t("Optional")}</Fact>
      <ToldFacts fields={[...tellDetails(detailsOf(site)).slice(1), ...tellPhones(phonesOf(site))]} />
    </Facts>
  </Card>
);
