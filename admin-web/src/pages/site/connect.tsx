import { Alert, Card, Group, NativeSelect, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useState } from "react";
import { describeReason } from "shared/core/reason";
import { eventOfTopic, sources } from "shared/core/sources/sources";
import { t } from "../../language.ts";
import { ingestAddress, pages } from "../../paths.ts";
import { cache, settled, trpc, trpcClient } from "../../trpc.ts";
import { CopyField, SecondaryButton, TextLink } from "../../ui/base/buttons.tsx";
import { AskButton, ConfirmButton } from "../../ui/base/dialogs.tsx";
import { Moment, Status } from "../../ui/base/facts.tsx";
import { sourceTypeLabels } from "../../ui/base/labels.ts";
import { part } from "../../ui/base/later.tsx";
import { Dimmed, Loaded, rich, Section } from "../../ui/base/page.tsx";
import { useMay } from "../../ui/base/role.ts";
import { Sentences } from "../../ui/base/sentences.tsx";
import { FormButtons, InputForm, useInputForm } from "../../ui/form/input-form.tsx";
import { by } from "../../ui/form/input-issues.ts";
import { MadeSecrets, useMadeSites } from "../../ui/site/made-site.tsx";
import asks from "./ask-labels.json";
import { type Guide, guides } from "./guides.ts";
import { overlaps } from "./secrets.tsx";
import { type Site, type Topic, useUpdateSite } from "./use-site.ts";

/** The tab of how events come: one line once a shop posts them by itself. The page's header tells its state. */
export function Connect({ site, topics }: { site: Site; topics: Topic[] }) {
  const mayChange = useMay("operator");
  const [isOpen, { open }] = useDisclosure(site.connectedAt === null);
  const [opened] = useState(Date.now);
  const { title, lead } = guides[site.sourceType];
  const isShop = site.sourceType !== "generic";
  const made = useMadeSites().all.find((each) => each.site.id === site.id);
  return (
    <>
      {!isShop && made?.isSaved === false && (
        <Section title={t("Key and secret")} isCard>
          <MadeSecrets made={made} />
        </Section>
      )}
      {isOpen && !isShop && <SenderSection site={site} />}
      {isOpen && mayChange && (
        <Section title={title} lead={lead}>
          <Card maw="40rem">
            <ConnectSteps site={site} />
          </Card>
          <TopicsForm key={`${site.sourceType} ${topics.map(({ topic }) => topic).join()}`} site={site} topics={topics} />
        </Section>
      )}
      {isOpen && isShop && <SenderSection site={site} />}
      {!isOpen && (
        <Group gap="sm">
          <Status tone="delivered">{t("Connected")}</Status>
          <Text>
            {rich(
              Date.parse(site.connectedAt ?? "") > opened - justNowMs
                ? t("{source}, just now", { source: sourceTypeLabels[site.sourceType] })
                : t("{source}, since <0/>", { source: sourceTypeLabels[site.sourceType] }),
              <Moment at={site.connectedAt ?? ""} />,
            )}
          </Text>
          <SecondaryButton size="xs" onClick={open}>
            {t("Show the connection")}
          </SecondaryButton>
        </Group>
      )}
      <RefusedSection site={site} isQuiet={!isOpen} />
    </>
  );
}

const justNowMs = 60_000;

const RefusedSection = part(async () => (await import("./refused.tsx")).RefusedSection);

/** The endpoint for the site's events, and the time of the last one. */
function SenderSection({ site }: { site: Site }) {
  const settings = trpc.settings.get.useQuery();
  return (
    <Section title={site.sourceType === "generic" ? t("Sending events") : t("Other ways to send")} isCard>
      <Loaded query={settings} what={t("the endpoint")}>
        {({ gatewayUrl }) => (
          <>
            <CopyField
              label={t("Endpoint URL")}
              description={t("Replace '{'event'}' with the event name, such as order.created.")}
              value={ingestAddress(gatewayUrl, site.sourceType)}
            />
            <CopyField label={t("Site ID")} value={site.id} />
            <Dimmed>
              <TextLink {...pages.topic("authentication")}>{t("How to sign requests")}</TextLink>
            </Dimmed>
          </>
        )}
      </Loaded>
    </Section>
  );
}

/** The operator's steps in the shop's own pages, with the secret while it is known and the shop has not signed with it. */
export function ConnectSteps({ site }: { site: Site }) {
  const { steps, secret, orders } = guides[site.sourceType];
  const made = useMadeSites().all.find((each) => each.site.id === site.id);
  const keys = <TextLink {...pages.site(site.id, "keys")} />;
  const isNew = made !== undefined && site.sourceType !== "generic" && site.connectedAt === null;
  return (
    <Stack>
      <InboundAddress site={site} />
      {isNew && <MadeSecrets made={made} />}
      <Sentences type="ordered" spacing="xs" aria-label={t("Steps")} of={steps.map((step) => rich(step, keys))} />
      {orders !== null && !isNew && <ReconcileForm key={site.reconcile?.since} site={site} words={orders} />}
      {secret !== null && <SourceSecretForm key={site.sourceSecretHint} site={site} words={secret} />}
    </Stack>
  );
}

const InboundAddress = ({ site: { id, inboundUrl, sourceType } }: { site: Site }) => (
  <Stack gap={6} align="stretch">
    <CopyField
      label={sourceType === "generic" ? t("Address for the program") : t("Address for the shop")}
      description={t("Identifies this site; nobody can send with it without the secret.")}
      value={inboundUrl ?? ""}
    />
    <AskButton
      variant="subtle"
      style={{ alignSelf: "flex-start" }}
      question={asks.replaceAddress}
      onConfirm={() => settled(trpcClient.sites.rotateInboundToken.mutate({ id }), cache.sites)}
    />
  </Stack>
);

/** The secret that the shop signs with. */
function SourceSecretForm({ site: { id, sourceSecretHint }, words }: { site: Site; words: NonNullable<Guide["secret"]> }) {
  const hasOne = sourceSecretHint !== null;
  const form = useInputForm({
    initialValues: { sourceSecret: "", overlapSeconds: hasOne ? "3600" : "0" },
    toInput: ({ sourceSecret, overlapSeconds }) => ({ id, sourceSecret, overlapSeconds: Number(overlapSeconds) }),
    check: by("updateSiteInput"),
    submit: useUpdateSite().mutateAsync,
    afterSave: (sent) => ({ ...sent, sourceSecret: "" }),
  });
  return (
    <InputForm form={form} label={t("Signing secret")} failure={t("The secret was not saved")}>
      {!hasOne && <Alert color="yellow">{t("Without this secret the shop's requests are refused with 401.")}</Alert>}
      <PasswordInput
        label={words.label}
        description={
          hasOne
            ? t("Stored: …{sourceSecretHint}. It is not shown again.", { sourceSecretHint })
            : t("Copied from the page with the webhooks. It is not shown again.")
        }
        {...form.at("sourceSecret")}
      />
      {hasOne && (
        <NativeSelect
          label={t("When the old one stops working")}
          description={words.overlap}
          data={overlaps}
          {...form.at("overlapSeconds")}
        />
      )}
      <FormButtons form={form} submit={hasOne ? t("Replace secret") : t("Save secret")} saved={t("Saved")} />
    </InputForm>
  );
}

/** Which event each topic of the shop means: those that mean one by themselves, those that have arrived, and the operator's own. */
function TopicsForm({ site, topics }: { site: Site; topics: Topic[] }) {
  const source = sources[site.sourceType];
  const seen = new Map(topics.map(({ topic, lastSeenAt }) => [topic, lastSeenAt]));
  const names = [...new Set([...(source.events?.keys() ?? []), ...Object.keys(site.topicMap), ...seen.keys()])].filter(
    (name) => !source.privacyTopics.has(name),
  );
  const form = useTopicsForm(site, names);
  if (names.length === 0) return null;
  return (
    <Card mt="md" maw="40rem">
      <InputForm form={form} label={t("Topics")} failure={t("The topics were not saved")} saved={t("Saved")}>
        <Text size="md" fw={600}>
          {t("Topics and their events")}
        </Text>
        <Text>{t("The event that each topic stands for here. Bindings use events. Empty: the topic is ignored.")}</Text>
        <Stack gap="sm">
          {names.map((name, index) => (
            <Group key={name} align="end" gap="sm">
              <TextInput label={name} placeholder={t("Ignored")} spellCheck={false} flex="0 1 22rem" {...form.at(`events.${index}`)} />
              <Dimmed>{seen.has(name) ? rich(t("Last seen <0/>"), <Moment at={seen.get(name) ?? ""} />) : t("Not seen yet")}</Dimmed>
            </Group>
          ))}
        </Stack>
      </InputForm>
    </Card>
  );
}

function useTopicsForm(site: Site, names: readonly string[]) {
  const source = sources[site.sourceType];
  const eventOf = (name: string, topicMap: Site["topicMap"]): string => eventOfTopic(source, topicMap, name) ?? "";
  const fieldsOf = ({ topicMap }: Site) => ({
    events: names.map((name) => eventOf(name, topicMap)),
    // Somebody else may have given events to topics that came meanwhile.
    others: Object.fromEntries(Object.entries(topicMap).filter(([name]) => !names.includes(name))),
  });
  const own = (name: string, event: string) => (event === eventOf(name, {}) ? [] : [[name, event === "" ? null : event] as const]);
  return useInputForm({
    initialValues: fieldsOf(site),
    toInput: ({ events, others }) => {
      const topics = names.flatMap((name, index) => own(name, (events[index] ?? "").trim()));
      return { id: site.id, topics: { ...others, ...Object.fromEntries(topics) } };
    },
    check: (input) => by("updateSiteInput")(input).map((issue) => atRow(issue, names)),
    submit: useUpdateSite().mutateAsync,
    members: ["events"],
    versioned: {
      updatedAt: site.updatedAt,
      fill: (current: Site) => fieldsOf(current),
      tell: ({ events, others }) => [
        ...names.map((name, index) => ({ name, text: events[index] || t("Ignored"), at: [`events/${index}`] })),
        { name: t("New topics"), text: Object.keys(others).join(", "), at: ["others"] },
      ],
    },
  });
}

/** A fault of `topics.orders/paid` shows at that topic's field. */
function atRow<Issue extends { path: PropertyKey[] }>(issue: Issue, names: readonly string[]): Issue {
  const [member, name] = issue.path;
  const row = member === "topics" ? names.indexOf(String(name)) : -1;
  return row === -1 ? issue : { ...issue, path: ["events", row] };
}

/** The key by which orders are fetched that the shop did not post. */
function ReconcileForm({ site: { id, reconcile }, words }: { site: Site; words: NonNullable<Guide["orders"]> }) {
  const form = useInputForm({
    initialValues: { consumerKey: "", consumerSecret: "" },
    toInput: (key) => ({ id, reconcile: key }),
    check: (input) => by("updateSiteInput")(input).map((issue) => ({ ...issue, path: issue.path.filter((part) => part !== "reconcile") })),
    submit: useUpdateSite().mutateAsync,
    afterSave: () => ({ consumerKey: "", consumerSecret: "" }),
  });
  return (
    <InputForm form={form} label={t("Orders that did not arrive")} failure={t("The key was not saved")}>
      <div>
        <Text size="md" fw={600}>
          {t("Orders that did not arrive")}
        </Text>
        <Text>{words.lead}</Text>
      </div>
      {reconcile !== null && <LastRun siteId={id} run={reconcile} removal={words.removal} />}
      <TextInput
        label={t("Consumer key")}
        description={reconcile === null ? words.key : t("Stored: …{keyHint}", { keyHint: reconcile.keyHint })}
        spellCheck={false}
        {...form.at("consumerKey")}
      />
      <PasswordInput label={t("Consumer secret")} description={words.secret} {...form.at("consumerSecret")} />
      <FormButtons form={form} submit={reconcile === null ? t("Save key") : t("Replace key")} saved={t("Saved")} />
    </InputForm>
  );
}

interface LastRunProps {
  siteId: string;
  run: NonNullable<Site["reconcile"]>;
  /** What removing the key asks of the operator. */
  removal: string;
}

function LastRun({ siteId, run: { since, lastRunAt, taken, problem }, removal }: LastRunProps) {
  const remove = useUpdateSite();
  return (
    <>
      {problem !== null && (
        <Alert color="red" title={t("Orders could not be fetched")}>
          {rich(t("{reason} Since <0/>.", { reason: describeReason(problem.reasonCode, t) }), <Moment at={problem.since} />)}
        </Alert>
      )}
      <Group justify="space-between" gap="sm">
        <Text>
          {rich(
            lastRunAt === null
              ? t("On since <0/>. Last run: none yet.")
              : t("On since <0/>. Last run: <1/>, {taken, plural, one {# order} other {# orders}} fetched.", { taken }),
            <Moment at={since} />,
            <Moment at={lastRunAt ?? ""} />,
          )}
        </Text>
        <ConfirmButton
          variant="subtle"
          label={t("Remove the key")}
          title={t("Remove the key?")}
          onConfirm={() => remove.mutateAsync({ id: siteId, reconcile: null })}
        >
          {removal}
        </ConfirmButton>
      </Group>
    </>
  );
}
