import { Alert, Card, Group, List, NativeSelect, PasswordInput, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { updateSiteInput } from "shared/core/input/sites";
import type { SourceType } from "shared/core/site";
import { useMay } from "../../session.tsx";
import { trpc } from "../../trpc.ts";
import { CopyField } from "../../ui/buttons.tsx";
import { ConfirmButton } from "../../ui/dialogs.tsx";
import { Moment } from "../../ui/facts.tsx";
import { by, FormButtons, InputForm, useInputForm } from "../../ui/input-form.tsx";
import { Section } from "../../ui/page.tsx";
import { LabelBadge } from "../../ui/status-badge.tsx";
import { ReconcileForm } from "./reconcile.tsx";
import { TopicsForm } from "./topics.tsx";
import { type Site, type Topic, useKeepSite } from "./use-site.ts";

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
      {site.sourceType === "woocommerce" && webhookSecret !== undefined && <CopyField label="Secret for the shop" value={webhookSecret} />}
      <List type="ordered" size="sm" spacing="xs" aria-label="Steps">
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
          <LabelBadge>waiting</LabelBadge>
          <Text size="sm">Nothing has arrived at this address yet.</Text>
        </>
      ) : (
        <>
          <LabelBadge color="teal">connected</LabelBadge>
          <Text size="sm">
            First request: <Moment at={connectedAt} />
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
        label="Address for the shop"
        description="Names this site; without the secret nobody can send with it"
        value={inboundUrl ?? ""}
      />
      <ConfirmButton
        variant="subtle"
        size="compact-sm"
        style={{ alignSelf: "flex-start" }}
        label="Replace the address"
        title="Replace the address?"
        action="Replace the address"
        onConfirm={() => rotate.mutateAsync({ id })}
      >
        The shop can no longer post to the present address. Enter the new one in the shop afterwards.
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
    <InputForm form={form} label="Signing secret" failure="The secret was not saved">
      {!hasOne && <Alert color="yellow">Without this secret the shop's requests are refused with 401.</Alert>}
      <PasswordInput
        label="Shopify's signing secret"
        description={
          hasOne ? `Stored: …${sourceSecretHint}. It is not shown again.` : "Copied from the page with the webhooks. It is not shown again."
        }
        autoComplete="off"
        {...form.at("sourceSecret")}
      />
      {hasOne && (
        <NativeSelect
          label="When the old one stops working"
          description="Shopify itself takes an hour"
          data={overlaps}
          {...form.at("overlapSeconds")}
        />
      )}
      <FormButtons form={form} submit={hasOne ? "Replace secret" : "Save secret"} saved="Saved" />
    </InputForm>
  );
}

const overlaps = [
  { value: "3600", label: "In 1 hour" },
  { value: "0", label: "Immediately" },
  { value: "86400", label: "In 24 hours" },
];

interface Guide {
  title: string;
  lead: string;
  steps: ReactNode[];
}

const guides: Record<SourceType, Guide> = {
  shopify: {
    title: "Connect your shop",
    lead: "Shopify posts orders, shipments and refunds here by itself. No code is needed.",
    steps: [
      "In the Shopify admin open Settings, Notifications, Webhooks.",
      "Create a webhook for each of: Order creation, Order payment, Fulfillment creation, Order cancellation, Refund create, Customer creation, Checkout creation, Checkout update. Choose the format JSON and paste the address above as URL.",
      "Below the list Shopify shows the secret that your webhooks are signed with. Copy it and paste it below.",
      "Press Send test notification, or place an order. The label above says connected within seconds.",
    ],
  },
  woocommerce: {
    title: "Connect your shop",
    lead: "WooCommerce posts orders and customers here by itself. No code is needed.",
    steps: [
      "In WordPress open WooCommerce, Settings, Advanced, Webhooks, and press Add webhook.",
      "Choose the status Active, the topic Order created and the API version 3. Paste the address above as Delivery URL.",
      "As Secret enter this site's webhook secret, which was shown when the site was added. If it is lost, rotate it under Key and secret.",
      "Save. WooCommerce tries the address at once, and the label above says connected.",
      "Add two more webhooks alike, for Order updated and Customer created. WooCommerce switches a webhook off after five failures: look here when nothing arrives.",
    ],
  },
  generic: {
    title: "Connect another program",
    lead: "A program that signs as Standard Webhooks say can post here without a key: webhook-id, webhook-timestamp and webhook-signature.",
    steps: [
      "Paste the address above where the program asks for an endpoint or a webhook URL.",
      "Its secret is this site's webhook secret as whsec_ and base64: sites.create and sites.rotateWebhookSecret answer it as webhookSecretStandard.",
      "The event's name stands in the body as type, or as event.",
    ],
  },
};
