import { type ButtonProps, Code, Stack, Text, Checkbox, Switch, Group, NativeSelect } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { createWebhookInput, updateWebhookInput } from "shared/core/input/webhooks";
import { messageTypes, type WebhookType, webhookTypes } from "shared/core/webhook";
import { formatParts, formatPercent } from "../../format.ts";
import { t } from "../../language.ts";
import { paths } from "../../paths.ts";
import { useMay } from "../../session.tsx";
import { cache, trpc } from "../../trpc.ts";
import { TextLink } from "../../ui/buttons.tsx";
import type { ToldField } from "../../ui/conflict.tsx";
import { type Column, EmptyState, buttonsOf } from "../../ui/data-table.tsx";
import { ConfirmButton, Dialog, DialogButton, DialogButtons, SecretOnce } from "../../ui/dialogs.tsx";
import {
  type Endpoint,
  EndpointState,
  EndpointUrl,
  formatMs,
  webhookTypeLabels,
  DeliveryBadge,
  DeliveryOutcome,
} from "../../ui/endpoints.tsx";
import { doing, ticked, bound } from "../../ui/fields.ts";
import { UnsavedGuard, by, FormButtons, InputForm, useInputForm } from "../../ui/input-form.tsx";
import { UrlInput } from "../../ui/inputs.tsx";
import { Columns } from "../../ui/layout.tsx";
import { movingPollMs, useLiveList } from "../../ui/live-list.tsx";
import { Section, FailureNotice, rich } from "../../ui/page.tsx";
import { PagedTable } from "../../ui/paged-table.tsx";
import { SiteSelect } from "../../ui/pickers.tsx";
import { useSiteName } from "../../ui/site-names.tsx";
import { SecretsTable } from "./secrets.tsx";
import type { SiteSecret } from "./use-site.ts";

const lookEveryMs = 10_000;

/** The addresses that are told of the statuses of messages: those of a site, with the secret that signs these requests, or of all sites. */
export function WebhooksSection({ siteId, secrets = [] }: { siteId?: string; secrets?: SiteSecret[] }) {
  const siteName = useSiteName();
  const mayChange = useMay("operator");
  const endpoints = useLiveList("webhooks.list", { siteId, limit: 50 }, { every: lookEveryMs });
  const hasSecret = secrets.some(({ kind }) => kind === "outbound_secret");
  const add = mayChange && siteId !== undefined && <AddEndpoint siteId={siteId} variant="light" size="xs" />;
  return (
    <Section title={siteId === undefined ? t("Endpoints of all sites") : t("Endpoints of this site")} actions={add}>
      <PagedTable
        label={t("Endpoints")}
        query={endpoints}
        what={t("the endpoints")}
        empty={<NoEndpoint />}
        columns={columnsOf(mayChange, siteId === undefined ? siteName : undefined)}
        rowLink={({ id }) => ({ to: paths.webhooks, search: { webhookId: id } })}
      />
      {hasSecret && siteId !== undefined && (
        <SecretsTable label={t("Endpoint secret")} kinds={outboundKinds} siteId={siteId} secrets={secrets} />
      )}
    </Section>
  );
}

const outboundKinds = ["outbound_secret" as const];

interface AddEndpointProps extends Pick<ButtonProps, "variant" | "size"> {
  /** Undefined where the form asks for it. */
  siteId?: string | undefined;
  /** The one that the form begins with. */
  likely?: string | undefined;
}

/** Adds an endpoint, and shows the site's new secret with its first one. */
export function AddEndpoint({ siteId, likely, ...button }: AddEndpointProps) {
  const [secret, setSecret] = useState<string>();
  return (
    <>
      <DialogButton label={t("Add endpoint")} title={t("Add endpoint")} {...button}>
        {(close) => <EndpointForm siteId={siteId} likely={likely} onSecret={setSecret} onClose={close} />}
      </DialogButton>
      {/* A form that is closed before the answer still shows the secret: it is shown nowhere else. */}
      <Dialog title={t("Endpoint secret")} opened={secret !== undefined} onClose={() => setSecret(undefined)} insists>
        <SecretOnce label={t("Endpoint secret")} secret={secret ?? ""} onSaved={() => setSecret(undefined)}>
          <UnsavedGuard isUnsaved={() => true} loss={t("You have not saved the endpoint secret. It is not shown again.")} />
          {t("It signs every request to this site's endpoints. Give it to your backend, which uses it to verify each request.")}
        </SecretOnce>
      </Dialog>
    </>
  );
}

/** The button that adds one stands above, where it stays with the first one's secret. */
export const NoEndpoint = () => (
  <EmptyState title={t("No endpoints yet")}>
    {rich(
      t(
        "An endpoint is an address of your backend that is notified when a message is sent, is delivered, is read or fails. {value} The documentation has <0>code to receive webhooks</0>.",
        {
          value: useMay("operator")
            ? t("Add one, give it the secret, then send it a test event.")
            : t("Operators and owners can add endpoints."),
        },
      ),
      <TextLink to={paths.topic} params={{ topic: "webhooks" }} />,
    )}
  </EmptyState>
);

const columnsOf = (mayChange: boolean, siteName?: (id: string) => string): Column<Endpoint>[] => [
  { name: t("URL"), kind: "title", cell: ({ url }) => <EndpointUrl url={url} /> },
  ...(siteName === undefined
    ? []
    : [{ name: t("Site"), kind: "short" as const, isNarrow: true as const, cell: ({ siteId }: Endpoint) => siteName(siteId) }]),
  { name: t("State"), kind: "status", cell: (endpoint) => <EndpointState endpoint={endpoint} /> },
  { name: t("Delivered of the last 200"), kind: "short", cell: ({ successRate }) => successRate !== null && formatPercent(successRate) },
  { name: t("p95"), kind: "short", cell: ({ p95Ms }) => p95Ms !== null && formatMs(p95Ms) },
  ...buttonsOf<Endpoint>(mayChange, (endpoint) => <Actions endpoint={endpoint} />),
];

function Actions({ endpoint }: { endpoint: Endpoint }) {
  const remove = trpc.webhooks.delete.useMutation({ onSuccess: () => cache.webhooks.list.invalidate() });
  const { id, siteId, url, enabled } = endpoint;
  return (
    <Group gap="xs" wrap="nowrap">
      {/* An endpoint that is off is told nothing. */}
      {enabled && (
        <DialogButton size="compact-sm" label={t("Test")} aria-label={t("Test {hint}", { hint: url })} title={t("Send test event")}>
          {(close) => <EndpointTest endpoint={endpoint} onClose={close} />}
        </DialogButton>
      )}
      <DialogButton size="compact-sm" label={t("Edit")} aria-label={t("Edit {phone}", { phone: url })} title={t("Edit endpoint")}>
        {(close) => <EndpointForm siteId={siteId} endpoint={endpoint} onClose={close} />}
      </DialogButton>
      <ConfirmButton
        size="compact-sm"
        label={t("Delete")}
        aria-label={t("Delete {url}", { url })}
        title={t("Delete this endpoint?")}
        action={t("Delete endpoint")}
        onConfirm={() => remove.mutateAsync({ id })}
      >
        {rich(
          t("<0>{url}</0> gets no more requests, and its deliveries are deleted. To pause it, switch it off instead.", { url }),
          <Code />,
        )}
      </ConfirmButton>
    </Group>
  );
}

interface EndpointFormProps extends Pick<AddEndpointProps, "siteId" | "likely"> {
  /** The endpoint that is changed; absent for a new one. */
  endpoint?: Endpoint;
  onSecret?: (secret: string | undefined) => void;
  onClose: () => void;
}

function EndpointForm({ siteId, likely = "", endpoint, onSecret, onClose }: EndpointFormProps) {
  const create = trpc.webhooks.create.useMutation();
  const update = trpc.webhooks.update.useMutation();
  const navigate = useNavigate();
  const fieldsOf = ({ url, types, enabled }: Settable): Fields => ({ siteId: siteId ?? likely, url, types: [...types], enabled });
  const form = useInputForm({
    initialValues: fieldsOf(endpoint ?? { url: "", types: messageTypes, enabled: true }),
    toInput: ({ siteId: of, ...values }) => {
      const input = { ...values, url: values.url.trim() };
      return endpoint === undefined ? { siteId: of, ...input } : { id: endpoint.id, ...changed(endpoint, input) };
    },
    check: by(endpoint === undefined ? createWebhookInput : updateWebhookInput),
    submit: async (input): Promise<{ secret?: string | undefined }> => {
      if ("siteId" in input) return await create.mutateAsync(input);
      await update.mutateAsync(input);
      return {};
    },
    versioned: endpoint && { updatedAt: endpoint.updatedAt, fill: fieldsOf, tell: tellEndpoint },
    onSaved: async ({ secret }) => {
      // Where all sites' deliveries are listed, the new one is seen among the endpoints.
      if (siteId === undefined && endpoint === undefined) await navigate({ to: paths.webhooks, search: { tab: "endpoints" } as never });
      onClose();
      onSecret?.(secret);
      await Promise.all([cache.webhooks.list.invalidate(), cache.sites.get.invalidate()]);
    },
  });
  return (
    <InputForm form={form} failure={endpoint === undefined ? t("The endpoint was not added") : t("The endpoint was not saved")}>
      {siteId === undefined && endpoint === undefined && (
        <SiteSelect
          required
          description={likely !== "" && t("Preselected. Change it if the endpoint is for another site.")}
          {...form.at("siteId")}
        />
      )}
      <UrlInput
        label={t("URL")}
        description={t("An address of your backend, reachable from the internet over https")}
        placeholder="https://shop.example/hooks/tidings"
        data-autofocus
        {...form.at("url")}
      />
      <Checkbox.Group label={t("Notify it when")} {...form.at("types")}>
        <Columns least="15rem" gap="6px">
          {webhookTypes.map((type) => (
            <Checkbox key={type} value={type} label={webhookTypeLabels[type]} description={type} />
          ))}
        </Columns>
      </Checkbox.Group>
      <Switch
        label={t("On")}
        description={
          form.values.enabled ? t("Everything that happens from now on is posted.") : t("Nothing is posted, and nothing is kept for later.")
        }
        {...ticked(form.values.enabled, (isOn) => form.change({ enabled: isOn }))}
      />
      <FormButtons form={form} submit={endpoint === undefined ? t("Add endpoint") : t("Save endpoint")} onCancel={onClose} />
    </InputForm>
  );
}

type Settable = Pick<Endpoint, "url" | "enabled"> & { types: readonly WebhookType[] };

interface Fields extends Settable {
  siteId: string;
  types: WebhookType[];
}

const tellEndpoint = ({ url, types, enabled }: Settable): ToldField[] => [
  { name: t("URL"), text: url, at: ["url"] },
  { name: t("Notify it when"), text: formatParts(types.map((type) => webhookTypeLabels[type])), at: ["types"] },
  { name: t("On"), text: enabled ? t("On") : t("Off"), at: ["enabled"] },
];

/** The changed members. The others are left out, so that known facts of the endpoint stay. */
const changed = (endpoint: Endpoint, { url, types, enabled }: Pick<Endpoint, "url" | "types" | "enabled">) => ({
  ...(types.toSorted().join() !== endpoint.types.toSorted().join() && { types }),
  ...(url !== endpoint.url && { url }),
  ...(enabled !== endpoint.enabled && { enabled }),
});

const typeChoices = webhookTypes.map((value) => ({ value, label: `${value}: ${webhookTypeLabels[value]}` }));

/** Posts an example to an endpoint and shows the result. */
function EndpointTest({ endpoint: { id, url, types }, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const [type, setType] = useState<WebhookType>(types[0] ?? "message.sent");
  const test = trpc.webhooks.test.useMutation({ onSuccess: () => cache.webhookDeliveries.list.invalidate() });
  return (
    <form onSubmit={doing(() => test.mutate({ id, type }))}>
      <Stack>
        <Text style={{ overflowWrap: "anywhere" }}>
          {t("{url} gets an example that is signed like any other request, with a made-up event, message and phone number.", { url })}
        </Text>
        <NativeSelect label={t("Type")} data={typeChoices} {...bound(type, (text) => setType(text as WebhookType))} data-autofocus />
        <FailureNotice title={t("The test event was not sent")} of={test} />
        {test.data !== undefined && <Outcome key={test.data.delivery.id} id={test.data.delivery.id} />}
        <DialogButtons
          action={test.data === undefined ? t("Send test event") : t("Send again")}
          dismiss={t("Close")}
          onClose={onClose}
          loading={test.isPending}
        />
      </Stack>
    </form>
  );
}

/** Follows a delivery until it has arrived or is given up. */
function Outcome({ id }: { id: string }) {
  const query = trpc.webhookDeliveries.get.useQuery(
    { id },
    { refetchInterval: ({ state }) => state.data?.delivery.status === "pending" && movingPollMs },
  );
  const delivery = query.data?.delivery;
  return (
    <Stack gap={4} role="status">
      {query.error !== null && <Text>{query.error.message}</Text>}
      {delivery !== undefined && (
        <>
          <Group gap="xs">
            <DeliveryBadge {...delivery} />
            <TextLink to={paths.webhooks} search={{ webhookId: delivery.webhookId, open: id }}>
              {t("Details")}
            </TextLink>
          </Group>
          <Text>
            <DeliveryOutcome delivery={delivery} />
          </Text>
        </>
      )}
    </Stack>
  );
}
