import { Button, Code, Stack, Text, Group, NativeSelect } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { type WebhookType, webhookTypes } from "shared/core/webhook";
import { formatPercent } from "../../format.ts";
import { t } from "../../language.ts";
import { pages, paths } from "../../paths.ts";
import { cache, trpc } from "../../trpc.ts";
import { ButtonLink, TextLink } from "../../ui/base/buttons.tsx";
import { ConfirmForm, Dialog, DialogButton, DialogButtons, manyThings } from "../../ui/base/dialogs.tsx";
import { doing, bound } from "../../ui/base/fields.ts";
import { later, part } from "../../ui/base/later.tsx";
import { Loading, Section, FailureNotice, rich, EmptyState } from "../../ui/base/page.tsx";
import { useMay } from "../../ui/base/role.ts";
import { useSiteName } from "../../ui/base/site-names.tsx";
import { hasText, isFiltered, onlyRows } from "../../ui/list/list-filters.tsx";
import { movingPollMs, useLiveList } from "../../ui/list/live-list.tsx";
import { PagedTable } from "../../ui/list/paged-table.tsx";
import {
  type Endpoint,
  endpointName,
  EndpointState,
  EndpointUrl,
  formatMs,
  webhookTypeLabels,
  DeliveryBadge,
  DeliveryOutcome,
} from "../../ui/site/endpoints.tsx";
import { type Column, buttonsOf } from "../../ui/table/data-table.tsx";
import type { SiteSecret } from "./use-site.ts";

const SecretsTable = later(async () => (await import("./secrets.tsx")).SecretsTable);
const EndpointForm = part(async () => (await import("./endpoint-form.tsx")).EndpointForm);
const EndpointSecret = later(async () => (await import("./endpoint-form.tsx")).EndpointSecret);

const lookEveryMs = 10_000;

type WebhooksSectionProps = { siteId?: string; secrets?: SiteSecret[]; filters?: Partial<Record<"siteId" | "search", string | undefined>> };

/** The addresses that are told of the statuses of messages: those of a site, with the secret that signs these requests, or of all sites, by `filters`. */
export function WebhooksSection({ siteId, secrets = [], filters = {} }: WebhooksSectionProps) {
  const siteName = useSiteName();
  const mayChange = useMay("operator");
  const list = useLiveList("webhooks.list", { siteId: siteId ?? filters.siteId, limit: 50 }, { every: lookEveryMs });
  const endpoints = {
    ...list,
    data: list.data && onlyRows(list.data, (one) => hasText(filters.search, one.url, siteName(one.siteId))),
  };
  const hasSecret = secrets.some(({ kind }) => kind === "outbound_secret");
  const add = mayChange && siteId !== undefined && <AddEndpoint siteId={siteId} />;
  return (
    <Section title={siteId === undefined ? t("Endpoints of all sites") : t("Endpoints of this site")} actions={add}>
      <PagedTable
        label={t("Endpoints")}
        query={endpoints}
        what={t("the endpoints")}
        empty={<NoEndpoint siteId={siteId} />}
        {...(siteId === undefined && { filtered: isFiltered({ siteId: filters.siteId, search: filters.search }) && null })}
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

interface AddEndpointProps {
  /** Undefined where the form asks for it. */
  siteId?: string | undefined;
  /** The one that the form begins with. */
  likely?: string | undefined;
  /** Without its button, where something else opens the form. */
  isHidden?: boolean;
}

/** Adds an endpoint, and shows the site's new secret with its first one. */
export function AddEndpoint({ siteId, likely, isHidden = false }: AddEndpointProps) {
  const [secret, setSecret] = useState<string>();
  const [opened, { open, close }] = useDisclosure(false);
  const navigate = useNavigate();
  const isAsked = useSearch({ strict: false }).tab === "new-endpoint";
  const end = () => {
    close();
    if (isAsked) void navigate({ to: paths.webhooks, search: { tab: "endpoints" }, replace: true });
  };
  return (
    <>
      {!isHidden && <Button onClick={open}>{t("Add endpoint")}</Button>}
      <Dialog title={t("Add endpoint")} opened={opened || isAsked} onClose={end}>
        <EndpointForm siteId={siteId} likely={likely} onSecret={setSecret} onClose={end} />
      </Dialog>
      {/* A form that is closed before the answer still shows the secret: it is shown nowhere else. */}
      {secret !== undefined && <EndpointSecret secret={secret} onSaved={() => setSecret(undefined)} />}
    </>
  );
}

/** Its button opens the form of the page of all endpoints, which stays with the first one's secret. A site's tab has its own beside the heading. */
export const NoEndpoint = ({ siteId }: { siteId?: string | undefined }) => (
  <EmptyState
    title={t("No endpoints yet")}
    action={
      useMay("operator") &&
      siteId === undefined && (
        <ButtonLink to={paths.webhooks} search={{ tab: "new-endpoint" }}>
          {t("Add endpoint")}
        </ButtonLink>
      )
    }
  >
    {rich(
      t(
        "An endpoint is an address of your backend that is notified when a message is sent, is delivered, is read or fails. {value} The documentation has <0>code to receive webhooks</0>.",
        {
          value: useMay("operator")
            ? t("Add one, give it the secret, then send it a test event.")
            : t("Operators and owners can add endpoints."),
        },
      ),
      <TextLink {...pages.topic("webhooks")} />,
    )}
  </EmptyState>
);

const columnsOf = (mayChange: boolean, siteName?: (id: string) => string): Column<Endpoint>[] => [
  { name: t("URL"), kind: "title", cell: (endpoint) => <EndpointUrl url={endpointName(endpoint)} /> },
  ...(siteName === undefined
    ? []
    : [{ name: t("Site"), kind: "short" as const, isNarrow: true as const, cell: ({ siteId }: Endpoint) => siteName(siteId) }]),
  { name: t("State"), kind: "status", cell: (endpoint) => <EndpointState endpoint={endpoint} /> },
  { name: t("Delivered of the last 200"), kind: "short", cell: ({ successRate }) => successRate !== null && formatPercent(successRate) },
  { name: t("p95"), kind: "short", cell: ({ p95Ms }) => p95Ms !== null && formatMs(p95Ms) },
  ...buttonsOf<Endpoint>(mayChange, (endpoint) => <Actions endpoint={endpoint} />),
];

/** Counts the deliveries that go with the endpoint. */
function DeleteEndpoint({ endpoint: { id, url }, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const remove = trpc.webhooks.delete.useMutation({ onSuccess: () => cache.webhooks.list.invalidate() });
  const counted = trpc.webhookDeliveries.count.useQuery({ webhookId: id }).data;
  const count = counted?.total ?? 0;
  return (
    <ConfirmForm
      action={t("Delete endpoint")}
      typed={count > manyThings ? String(count) : undefined}
      isCounting={counted === undefined}
      onClose={onClose}
      onConfirm={() => remove.mutateAsync({ id })}
    >
      {counted === undefined ? (
        <Loading what={t("the count")} />
      ) : (
        rich(
          t(
            "<0>{url}</0> gets no more requests, and its {count, plural, one {# delivery is} other {#{more} deliveries are}} deleted. To pause it, switch it off instead.",
            { url, count, more: counted.more && "+" },
          ),
          <Code />,
        )
      )}
    </ConfirmForm>
  );
}

function Actions({ endpoint }: { endpoint: Endpoint }) {
  const { siteId, url, enabled } = endpoint;
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
      <DialogButton size="compact-sm" label={t("Delete")} aria-label={t("Delete {url}", { url })} title={t("Delete this endpoint?")}>
        {(close) => <DeleteEndpoint endpoint={endpoint} onClose={close} />}
      </DialogButton>
    </Group>
  );
}

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
        <NativeSelect label={t("Type")} data={typeChoices} {...bound(type, (text) => setType(text as WebhookType))} />
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
