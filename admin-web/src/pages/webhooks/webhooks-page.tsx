import { Group } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { deliveryStatuses, webhookTypes } from "shared/core/webhook";
import { formatCount } from "../../format.ts";
import { t, translated } from "../../language.ts";
import { paths } from "../../paths.ts";
import { type Outputs, trpc } from "../../trpc.ts";
import { ButtonLink } from "../../ui/base/buttons.tsx";
import { Dialog, DialogButton } from "../../ui/base/dialogs.tsx";
import { Moment } from "../../ui/base/facts.tsx";
import { Awaiting, later, part } from "../../ui/base/later.tsx";
import { PageTabs } from "../../ui/base/page-tabs.tsx";
import { EmptyState, Page } from "../../ui/base/page.tsx";
import { useMay } from "../../ui/base/role.ts";
import { useSiteName } from "../../ui/base/site-names.tsx";
import { useCount } from "../../ui/list/count.ts";
import { DetailDrawer, openHere } from "../../ui/list/detail-drawer.tsx";
import { type Filter, FilterBar, toldFilters } from "../../ui/list/filter-bar.tsx";
import { isFiltered, periodFilter, typedFilter, useOperationFilter, useSiteFilter, useSoughtWords } from "../../ui/list/list-filters.tsx";
import { useLiveList } from "../../ui/list/live-list.tsx";
import { PagedTable } from "../../ui/list/paged-table.tsx";
import { daySpan } from "../../ui/list/search-params.ts";
import { tellState } from "../../ui/list/state-line.ts";
import { AddEndpointLink, DeliveryBadge, describeAnswer, type Endpoint, endpointName, EndpointUrl } from "../../ui/site/endpoints.tsx";
import { type Column, ListSkeleton } from "../../ui/table/data-table.tsx";
import { readWebhooksSearch, type WebhooksSearch } from "./route.ts";

const DeliveryDetail = part(async () => (await import("./delivery-drawer.tsx")).DeliveryDetail);
const RetryDeliveries = part(async () => (await import("./retry-deliveries.tsx")).RetryDeliveries);
const EndpointForm = part(async () => (await import("./endpoint-form.tsx")).EndpointForm);
const EndpointSecret = later(async () => (await import("./endpoint-form.tsx")).EndpointSecret);
const NoEndpoint = part(async () => (await import("../site/webhooks.tsx")).NoEndpoint);
const WebhooksSection = part(async () => (await import("../site/webhooks.tsx")).WebhooksSection);

export function WebhooksPage() {
  const search = useSearch({ from: `/signed-in${paths.webhooks}` });
  const { open: _, tab = "deliveries", ...filters } = search;
  const { search: sought, status } = filters;
  const endpoints = useEndpoints();
  const all = useDeliveryFilters(endpoints ?? [], search);
  const narrowed = toldFilters(
    all.filter(({ name }) => !["siteId", "webhookId", "status"].includes(name)),
    search,
  );
  const mayReplay = useMay("operator");
  return (
    <Page
      title={t("Webhooks")}
      lead={tellState("webhooks", {
        endpoints: endpoints?.length,
        failing: endpoints?.length !== 0 && endpoints?.filter(isFailing).length,
      })}
      actions={
        mayReplay && (
          <Group gap="sm">
            {tab === "deliveries" && status !== "delivered" && endpoints !== undefined && endpoints.length > 0 && (
              <DialogButton label={t("Retry all…")} title={t("Retry deliveries")}>
                {(close) => (
                  <RetryDeliveries
                    endpoints={endpoints}
                    filters={filters}
                    narrowed={sought === undefined ? narrowed : [`${t("Search")}: ${sought}`, ...narrowed]}
                    onClose={close}
                  />
                )}
              </DialogButton>
            )}
            {endpoints?.length !== 0 && <AddEndpointLink siteId={filters.siteId} />}
            {endpoints !== undefined && <AddEndpoint likely={filters.siteId ?? endpoints[0]?.siteId} />}
          </Group>
        )
      }
    >
      <PageTabs
        tabs={[
          { name: "deliveries", label: t("Deliveries") },
          { name: "endpoints", label: t("Endpoints") },
        ]}
        open={tab === "deliveries" ? tab : "endpoints"}
      />
      {tab !== "deliveries" ? (
        <Endpoints tab={tab} siteId={filters.siteId} search={sought} />
      ) : (
        <DeliveryList
          search={search}
          chips={all}
          endpoints={endpoints}
          empty={endpoints?.length === 0 ? <NoEndpoint isOfAll /> : <NothingTold action={allEndpoints} />}
        />
      )}
    </Page>
  );
}

/** Asks for an endpoint, where the address does, and shows the site's new secret with its first one. `likely`: the site that the form begins with. */
function AddEndpoint({ likely }: { likely?: string | undefined }) {
  const [secret, setSecret] = useState<string>();
  const navigate = useNavigate();
  const { tab, siteId } = useSearch({ from: `/signed-in${paths.webhooks}` });
  const end = () => void navigate({ to: paths.webhooks, search: { tab: "endpoints", siteId }, replace: true });
  return (
    <>
      <Dialog title={t("Add endpoint")} opened={tab === "new-endpoint"} onClose={end}>
        <EndpointForm likely={likely} onSecret={setSecret} onClose={end} />
      </Dialog>
      {/* A form that is closed before the answer still shows the secret: it is shown nowhere else. */}
      {secret !== undefined && <EndpointSecret secret={secret} onSaved={() => setSecret(undefined)} />}
    </>
  );
}

const isFailing = ({ failingSince, disabledBecause }: Endpoint) => failingSince ?? disabledBecause;

const allEndpoints = (
  <ButtonLink to={paths.webhooks} search={{ tab: "endpoints" }}>
    {t("Open endpoints")}
  </ButtonLink>
);

const Endpoints = (filters: WebhooksSearch) => (
  <Awaiting fallback={<ListSkeleton what={t("the endpoints")} />}>
    <FilterBar search={filters} read={readWebhooksSearch} placeholder={t("Address or site")} filters={[useSiteFilter()]} views="webhooks" />
    <WebhooksSection {...filters} />
  </Awaiting>
);

/** All endpoints of the account, of which there are at most 100, their addresses with their numbers; undefined while they load. */
const useEndpoints = (): Endpoint[] | undefined => trpc.webhooks.list.useQuery({ limit: 200 }, { staleTime: 10_000, select: named }).data;

const named = ({ items }: Outputs["webhooks"]["list"]): Endpoint[] => items.map((one) => ({ ...one, url: endpointName(one) }));

/** `endpoints`: those to choose from, where it is not one alone that the page is about. */
export function useDeliveryFilters(endpoints: readonly Endpoint[] | null, search: WebhooksSearch): Filter<WebhooksSearch>[] {
  const [site, operation] = [useSiteFilter<WebhooksSearch>(), useOperationFilter(search)];
  return [
    ...(endpoints === null
      ? []
      : [site, { name: "webhookId", label: t("Endpoint"), options: endpoints.map(({ id, url }) => ({ value: id, label: url })) }]),
    { name: "status", label: t("Status"), options: deliveryStatuses.map((value) => ({ value, label: translated(value) })) },
    { name: "type", label: t("Type"), options: webhookTypes.map((value) => ({ value, label: value })) },
    periodFilter(),
    typedFilter("eventId", t("Event ID")),
    typedFilter("notificationId", t("Message ID")),
    ...(search.operationId === undefined ? [] : [operation]),
  ];
}

const lookEveryMs = 5_000;

interface DeliveryListProps {
  search: WebhooksSearch;
  chips: Filter<WebhooksSearch>[];
  /** Undefined while they load. */
  endpoints: Endpoint[] | undefined;
  /** The endpoint that the page is about. */
  of?: Endpoint;
  empty: ReactNode;
}

export function DeliveryList({ search, chips, endpoints, of, empty }: DeliveryListProps) {
  const siteName = useSiteName();
  const { open, tab: _, ...filters } = search;
  const input = { ...filters, ...daySpan(filters), ...(of && { webhookId: of.id }) };
  const list = useLiveList("webhookDeliveries.list", { ...input, limit: 50 }, { every: lookEveryMs, keepsShown: true });
  const counted = useCount("webhookDeliveries.count", input).data;
  const addressOf = (id: string) => endpoints?.find((endpoint) => endpoint.id === id)?.url ?? "…";
  return (
    <>
      <FilterBar
        search={search}
        read={readWebhooksSearch}
        placeholder={useSoughtWords()}
        filters={chips}
        views="webhooks"
        within={of && { siteId: of.siteId, webhookId: of.id }}
      />
      <PagedTable
        label={t("Deliveries")}
        query={list}
        counted={counted}
        what={t("the deliveries")}
        empty={empty}
        filtered={isFiltered(filters) && endpoints?.length !== 0 && null}
        columns={of === undefined ? [...columns, ...whoseColumns(siteName, addressOf)] : columns}
        rowLink={({ id }) => openHere(id)}
      />
      <DetailDrawer title={t("Delivery")} id={open} rows={list.data?.pages.flatMap(({ items }) => items) ?? []}>
        {(id) => <DeliveryDetail id={id} endpoints={endpoints ?? []} />}
      </DetailDrawer>
    </>
  );
}

type Delivery = Outputs["webhookDeliveries"]["list"]["items"][number];

const columns: Column<Delivery>[] = [
  { name: t("Time"), kind: "short", cell: ({ createdAt }) => <Moment at={createdAt} /> },
  { name: t("Type"), kind: "title", isNarrow: true, cell: ({ type }) => type },
  { name: t("Status"), kind: "status", cell: (delivery) => <DeliveryBadge {...delivery} /> },
  { name: t("Answer"), kind: "long", cell: ({ lastStatusCode: code, lastError: error }) => describeAnswer({ code, error }) },
  { name: t("Attempts"), kind: "short", cell: ({ attempts }) => formatCount(attempts) },
  {
    name: t("Next attempt"),
    kind: "short",
    isExtra: true,
    cell: ({ nextAttemptAt, attempts }) => nextAttemptAt !== null && attempts > 0 && <Moment at={nextAttemptAt} />,
  },
];

type NameOf = (id: string) => string;

const whoseColumns = (siteName: NameOf, addressOf: NameOf): Column<Delivery>[] => [
  { name: t("Endpoint"), kind: "long", cell: ({ webhookId }) => <EndpointUrl url={addressOf(webhookId)} /> },
  { name: t("Site"), kind: "short", isNarrow: true, cell: ({ siteId }) => siteName(siteId) },
];

export const NothingTold = ({ action }: { action: ReactNode }) => (
  <EmptyState title={t("No deliveries yet")} action={action}>
    {t("Deliveries appear here as soon as something happens that an endpoint is notified of. To see one now, send it a test event.")}
  </EmptyState>
);
