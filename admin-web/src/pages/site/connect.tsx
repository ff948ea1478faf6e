import { Alert, Card, Group, List, NativeSelect, PasswordInput, Stack, Text, TextInput, Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { ReactNode } from "react";
import { updateSiteInput } from "shared/core/input/sites";
import { describeReason } from "shared/core/reason";
import type { SourceType } from "shared/core/site";
import { eventOfTopic, sources } from "shared/core/sources/sources";
import { t } from "../../language.ts";
import { useMay } from "../../session.tsx";
import { trpc } from "../../trpc.ts";
import { CopyField } from "../../ui/buttons.tsx";
import { ConfirmButton, ConfirmDialog } from "../../ui/dialogs.tsx";
import { Moment } from "../../ui/facts.tsx";
import { by, FormButtons, InputForm, useInputForm } from "../../ui/input-form.tsx";
import { Section } from "../../ui/page.tsx";
import { LabelBadge } from "../../ui/status-badge.tsx";
import { type Site, type Topic, useKeepSite } from "./use-site.ts";
import classes from "./site.module.css";

/** How the shop posts to the site by itself, without any code. */
export function ConnectSection({ site, topics }: { site: Site; topics: Topic[] }) {
  const mayChange = useMay("operator");
  const { title, lead } = guides[site.sourceType];
  return (
    <Section title={title} lead={lead}>
      <Card withBorder>
        <ConnectSteps site={site} />
      </Card>
      {mayChange && <TopicsForm key={`${site.sourceType} ${topics.map(({ topic }) => topic).join()}`} site={site} topics={topics} />}
    </Section>
  );
}

interface ConnectStepsProps {
  site: Site;
  /** While it is known: it is shown only once. */
  webhookSecret?: string | undefined;
}

/** What the operator does in the shop's own pages, and whether the shop has posted. */
export function ConnectSteps({ site, webhookSecret }: ConnectStepsProps) {
  const mayChange = useMay("operator");
  if (!mayChange) return <Connection site={site} />;
  return (
    <Stack gap="md">
      <Connection site={site} />
      <InboundAddress site={site} />
      {site.sourceType === "woocommerce" && webhookSecret !== undefined && (
        <CopyField label={t("Secret for the shop")} value={webhookSecret} />
      )}
      <List type="ordered" size="sm" spacing="xs" aria-label={t("Steps")}>
        {guides[site.sourceType].steps.map((step, index) => (
          <List.Item key={index}>{step}</List.Item>
        ))}
      </List>
      {site.sourceType === "woocommerce" && webhookSecret === undefined && <ReconcileForm key={site.reconcile?.since} site={site} />}
      {site.sourceType === "shopify" && <SourceSecretForm key={site.sourceSecretHint} site={site} />}
    </Stack>
  );
}

/** Turns when the shop posts for the first time: the page asks for the site now and then. */
function Connection({ site: { connectedAt } }: { site: Site }) {
  return (
    <Group gap="xs" role="status">
      {connectedAt === null ? (
        <>
          <LabelBadge>{t("waiting")}</LabelBadge>
          <Text size="sm">{t("Nothing has arrived at this address yet.")}</Text>
        </>
      ) : (
        <>
          <LabelBadge color="teal">{t("connected")}</LabelBadge>
          <Text size="sm">
            {t("First request: ")}
            <Moment at={connectedAt} />
          </Text>
        </>
      )}
    </Group>
  );
}

function InboundAddress({ site: { id, inboundUrl } }: { site: Site }) {
  const cache = trpc.useUtils();
  const rotate = trpc.sites.rotateInboundToken.useMutation({ onSettled: () => cache.sites.invalidate() });
  return (
    <Stack gap={6} align="stretch">
      <CopyField
        label={t("Address for the shop")}
        description={t("Identifies this site; nobody can send with it without the secret")}
        value={inboundUrl ?? ""}
      />
      <ConfirmButton
        variant="subtle"
        size="compact-sm"
        style={{ alignSelf: "flex-start" }}
        label={t("Replace the address")}
        title={t("Replace the address?")}
        action={t("Replace the address")}
        onConfirm={() => rotate.mutateAsync({ id })}
      >
        {t("The shop can no longer post to the current address. Enter the new one in the shop afterwards.")}
      </ConfirmButton>
    </Stack>
  );
}

/** The secret that Shopify signs with. */
function SourceSecretForm({ site: { id, sourceSecretHint } }: { site: Site }) {
  const hasOne = sourceSecretHint !== null;
  const update = trpc.sites.update.useMutation({ onSuccess: useKeepSite() });
  const form = useInputForm({
    initialValues: { sourceSecret: "", overlapSeconds: hasOne ? "3600" : "0" },
    toInput: ({ sourceSecret, overlapSeconds }) => ({ id, sourceSecret, overlapSeconds: Number(overlapSeconds) }),
    check: by(updateSiteInput),
    submit: update.mutateAsync,
    afterSave: (sent) => ({ ...sent, sourceSecret: "" }),
  });
  return (
    <InputForm form={form} label={t("Signing secret")} failure={t("The secret was not saved")}>
      {!hasOne && <Alert color="yellow">{t("Without this secret the shop's requests are refused with 401.")}</Alert>}
      <PasswordInput
        label={t("Shopify's signing secret")}
        description={
          hasOne
            ? t("Stored: …{sourceSecretHint}. It is not shown again.", { sourceSecretHint })
            : t("Copied from the page with the webhooks. It is not shown again.")
        }
        autoComplete="off"
        {...form.at("sourceSecret")}
      />
      {hasOne && (
        <NativeSelect
          label={t("When the old one stops working")}
          description={t("Shopify itself takes an hour")}
          data={overlaps}
          {...form.at("overlapSeconds")}
        />
      )}
      <FormButtons form={form} submit={hasOne ? t("Replace secret") : t("Save secret")} saved={t("Saved")} />
    </InputForm>
  );
}

const overlaps = [
  { value: "3600", label: t("In 1 hour") },
  { value: "0", label: t("Immediately") },
  { value: "86400", label: t("In 24 hours") },
];

interface Guide {
  title: string;
  lead: string;
  steps: ReactNode[];
}

const guides: Record<SourceType, Guide> = {
  shopify: {
    title: t("Connect your shop"),
    lead: t("Shopify posts orders, shipments and refunds here by itself. No code is needed."),
    steps: [
      t("In the Shopify admin open Settings, Notifications, Webhooks."),
      t(
        "Create a webhook for each of: Order creation, Order payment, Fulfillment creation, Order cancellation, Refund create, Customer creation, Checkout creation, Checkout update. Choose the format JSON and paste the address above as URL.",
      ),
      t("Below the list Shopify shows the secret that your webhooks are signed with. Copy it and paste it below."),
      t("Press Send test notification, or place an order. The label above says connected within seconds."),
    ],
  },
  woocommerce: {
    title: t("Connect your shop"),
    lead: t("WooCommerce posts orders and customers here by itself. No code is needed."),
    steps: [
      t("In WordPress open WooCommerce, Settings, Advanced, Webhooks, and press Add webhook."),
      t("Choose the status Active, the topic Order created and the API version 3. Paste the address above as Delivery URL."),
      t(
        "As Secret enter this site's webhook secret, which was shown when the site was added. If it is lost, rotate it under Key and secret.",
      ),
      t("Save. WooCommerce tries the address at once, and the label above says connected."),
      t(
        "Add two more webhooks in the same way, for Order updated and Customer created. WooCommerce switches a webhook off after five failures: look here when nothing arrives.",
      ),
    ],
  },
  generic: {
    title: t("Connect another program"),
    lead: t(
      "A program that signs requests by Standard Webhooks can post here without a key. It sends the headers webhook-id, webhook-timestamp and webhook-signature.",
    ),
    steps: [
      t("Paste the address above where the program asks for an endpoint or a webhook URL."),
      t(
        "Its secret is this site's webhook secret, written as whsec_ and base64: sites.create and sites.rotateWebhookSecret return it as webhookSecretStandard.",
      ),
      t("The body names the event as type or as event."),
    ],
  },
};

/** Which event each topic of the shop means: those that mean one by themselves, those that have arrived, and the operator's own. */
function TopicsForm({ site, topics }: { site: Site; topics: Topic[] }) {
  const source = sources[site.sourceType];
  const seen = new Map(topics.map(({ topic, lastSeenAt }) => [topic, lastSeenAt]));
  const names = [...new Set([...(source.events?.keys() ?? []), ...Object.keys(site.topicMap), ...seen.keys()])].filter(
    (name) => !source.privacyTopics.has(name),
  );
  const usual = (name: string): string => eventOfTopic(source, {}, name) ?? "";
  const update = trpc.sites.update.useMutation({ onSuccess: useKeepSite() });
  const form = useInputForm({
    initialValues: { events: names.map((name) => eventOfTopic(source, site.topicMap, name) ?? "") },
    toInput: ({ events }) => ({
      id: site.id,
      topics: Object.fromEntries(
        names.flatMap((name, index) => {
          const event = (events[index] ?? "").trim();
          return event === usual(name) ? [] : [[name, event === "" ? null : event]];
        }),
      ),
    }),
    check: (input) => by(updateSiteInput)(input).map((issue) => atRow(issue, names)),
    submit: update.mutateAsync,
    members: ["events"],
  });
  if (names.length === 0) return null;
  return (
    <Card withBorder mt="md">
      <InputForm form={form} label={t("Topics")} failure={t("The topics were not saved")}>
        <Text fw={600}>{t("Topics and their events")}</Text>
        <Text size="sm">{t("The event that each topic stands for here. Bindings use events. Empty: the topic is ignored.")}</Text>
        <Stack gap="sm">
          {names.map((name, index) => (
            <div key={name} className={classes["topic"]}>
              <TextInput label={name} placeholder={t("Ignored")} autoComplete="off" spellCheck={false} {...form.at(`events.${index}`)} />
              <Text size="sm" c="dimmed">
                {seen.has(name) ? (
                  <>
                    {t("Last seen ")}
                    <Moment at={seen.get(name) ?? ""} />
                  </>
                ) : (
                  t("Not seen yet")
                )}
              </Text>
            </div>
          ))}
        </Stack>
        <FormButtons form={form} submit={t("Save topics")} saved={t("Saved")} />
      </InputForm>
    </Card>
  );
}

/** A fault of `topics.orders/paid` shows at that topic's field. */
function atRow<Issue extends { path: PropertyKey[] }>(issue: Issue, names: readonly string[]): Issue {
  const [member, name] = issue.path;
  const row = member === "topics" ? names.indexOf(String(name)) : -1;
  return row === -1 ? issue : { ...issue, path: ["events", row] };
}

/** The key by which orders are fetched that WooCommerce did not post. */
function ReconcileForm({ site: { id, reconcile } }: { site: Site }) {
  const update = trpc.sites.update.useMutation({ onSuccess: useKeepSite() });
  const form = useInputForm({
    initialValues: { consumerKey: "", consumerSecret: "" },
    toInput: (key) => ({ id, reconcile: key }),
    check: (input) => by(updateSiteInput)(input).map((issue) => ({ ...issue, path: issue.path.filter((part) => part !== "reconcile") })),
    submit: update.mutateAsync,
    afterSave: () => ({ consumerKey: "", consumerSecret: "" }),
  });
  return (
    <InputForm form={form} label={t("Orders that did not arrive")} failure={t("The key was not saved")}>
      <div>
        <Text fw={600}>{t("Orders that did not arrive")}</Text>
        <Text size="sm">
          {t(
            "WooCommerce never repeats a webhook that failed. With a key for its REST API, Tidings checks the orders of the last 48 hours every 10 minutes and fetches those that did not arrive, from the first run on. Create a key with the permission Read under WooCommerce, Settings, Advanced, REST API.",
          )}
        </Text>
      </div>
      {reconcile !== null && <LastRun siteId={id} {...reconcile} />}
      <TextInput
        label={t("Consumer key")}
        description={reconcile === null ? t("Begins with ck_") : t("Stored: …{keyHint}", { keyHint: reconcile.keyHint })}
        autoComplete="off"
        spellCheck={false}
        {...form.at("consumerKey")}
      />
      <PasswordInput
        label={t("Consumer secret")}
        description={t("Begins with cs_. It is not shown again")}
        autoComplete="off"
        {...form.at("consumerSecret")}
      />
      <FormButtons form={form} submit={reconcile === null ? t("Save key") : t("Replace key")} saved={t("Saved")} />
    </InputForm>
  );
}

function LastRun({ siteId, since, lastRunAt, taken, problem }: NonNullable<Site["reconcile"]> & { siteId: string }) {
  const [opened, dialog] = useDisclosure(false);
  const remove = trpc.sites.update.useMutation({ onSuccess: useKeepSite() });
  return (
    <>
      {problem !== null && (
        <Alert color="red" title={t("Orders could not be fetched")}>
          {t("{reason} Since ", { reason: describeReason(problem.reasonCode, t) })}
          <Moment at={problem.since} />.
        </Alert>
      )}
      <Group justify="space-between" gap="sm">
        <Text size="sm">
          {t("On since ")}
          <Moment at={since} />
          {t(". Last run: ")}
          {lastRunAt === null ? (
            t("none yet")
          ) : (
            <>
              <Moment at={lastRunAt} />
              {t(", {taken, plural, one {# order} other {# orders}} fetched", { taken })}
            </>
          )}
          .
        </Text>
        <Button variant="subtle" size="compact-sm" onClick={dialog.open}>
          {t("Remove the key")}
        </Button>
      </Group>
      <ConfirmDialog
        title={t("Remove the key?")}
        action={t("Remove the key")}
        opened={opened}
        onClose={dialog.close}
        onConfirm={() => remove.mutateAsync({ id: siteId, reconcile: null })}
      >
        {t("Orders that do not arrive by themselves are no longer fetched. Delete the key in WooCommerce too.")}
      </ConfirmDialog>
    </>
  );
}
