import { Group } from "@mantine/core";
import { useSearch } from "@tanstack/react-router";
import { deliveryStatuses, webhookTypes } from "shared/core/webhook";
import { formatCount } from "../../format.ts";
import { t, translated } from "../../language.ts";
import { paths } from "../../paths.ts";
import { type Outputs, trpc } from "../../trpc.ts";
import { ButtonLink, TextLink } from "../../ui/base/buttons.tsx";
import { DialogButton } from "../../ui/base/dialogs.tsx";
import { Moment } from "../../ui/base/facts.tsx";
import { Awaiting, later, part } from "../../ui/base/later.tsx";
import { PageTabs } from "../../ui/base/page-tabs.tsx";
import { Page, rich, EmptyState } from "../../ui/base/page.tsx";
import { useMay } from "../../ui/base/role.ts";
import { useSiteName } from "../../ui/base/site-names.tsx";
import { DetailDrawer, openHere } from "../../ui/list/detail-drawer.tsx";
import { type Filter, FilterBar, toldFilters } from "../../ui/list/filter-bar.tsx";
import { isFiltered, periodFilter, typedFilter, useOperationFilter, useSiteFilter } from "../../ui/list/list-filters.tsx";
import { counting } from "../../ui/list/list-head.tsx";
import { useLiveList } from "../../ui/list/live-list.tsx";
import { PagedTable } from "../../ui/list/paged-table.tsx";
import { daySpan } from "../../ui/list/search-params.ts";
import { tellState } from "../../ui/list/state-line.ts";
import { DeliveryBadge, describeAnswer, type Endpoint, endpointName, EndpointUrl } from "../../ui/site/endpoints.tsx";
import { type Column, ListSkeleton } from "../../ui/table/data-table.tsx";
import { type DeliveryFilters, readWebhooksSearch, type WebhooksSearch } from "./route.ts";

const DeliveryDetail = part(async () => (await import("./delivery-drawer.tsx")).DeliveryDetail);
const RetryDeliveries = part(async () => (await import("./retry-deliveries.tsx")).RetryDeliveries);
const AddEndpoint = later(async () => (await import("../site/webhooks.tsx")).AddEndpoint);
const NoEndpoint = part(async () => (await import("../site/webhooks.tsx")).NoEndpoint);
const WebhooksSection = part(async () => (await import("../site/webhooks.tsx")).WebhooksSection);

export function WebhooksPage() {
  const search = useSearch({ from: `/signed-in${paths.webhooks}` });
  const { open: _, tab = "deliveries", ...filters } = search;
  const { search: sought, status } = filters;
  // All of the account, of which there are at most 100; undefined while they load.
  const endpoints = trpc.webhooks.list.useQuery({ limit: 200 }, { staleTime: 10_000, select: named }).data;
  const all = useFilters(endpoints ?? [], search);
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
        failing:
          endpoints !== undefined &&
          endpoints.length > 0 &&
          endpoints.filter(({ failingSince, disabledBecause }) => failingSince ?? disabledBecause).length,
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
            <AddEndpoint isHidden={endpoints?.length === 0} likely={filters.siteId ?? endpoints?.[0]?.siteId} />
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
        <DeliveryList search={search} filters={filters} chips={all} endpoints={endpoints} />
      )}
    </Page>
  );
}

const Endpoints = (filters: WebhooksSearch) => (
  <Awaiting fallback={<ListSkeleton what={t("the endpoints")} />}>
    <FilterBar search={filters} read={readWebhooksSearch} placeholder={t("Address or site")} filters={[useSiteFilter()]} views="webhooks" />
    <WebhooksSection filters={filters} />
  </Awaiting>
);

/** Their addresses with their numbers. */
const named = ({ items }: Outputs["webhooks"]["list"]): Endpoint[] => items.map((one) => ({ ...one, url: endpointName(one) }));

function useFilters(endpoints: readonly Endpoint[], search: WebhooksSearch): Filter<WebhooksSearch>[] {
  const operation = useOperationFilter(search);
  return [
    useSiteFilter(),
    { name: "webhookId", label: t("Endpoint"), options: endpoints.map(({ id, url }) => ({ value: id, label: url })) },
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
  filters: DeliveryFilters;
  chips: Filter<WebhooksSearch>[];
  endpoints: Endpoint[] | undefined;
}

function DeliveryList({ search, filters, chips, endpoints }: DeliveryListProps) {
  const siteName = useSiteName();
  const input = { ...filters, ...daySpan(filters) };
  const list = useLiveList("webhookDeliveries.list", { ...input, limit: 50 }, { every: lookEveryMs, keepsShown: true });
  const counted = trpc.webhookDeliveries.count.useQuery(input, counting).data;
  const addressOf = (id: string) => endpoints?.find((endpoint) => endpoint.id === id)?.url ?? "…";
  return (
    <>
      <FilterBar
        search={search}
        read={readWebhooksSearch}
        placeholder={t("Order, name, phone or value")}
        filters={chips}
        views="webhooks"
      />
      <PagedTable
        label={t("Deliveries")}
        query={list}
        counted={counted}
        what={t("the deliveries")}
        empty={endpoints?.length === 0 ? <NoEndpoint /> : <NothingTold />}
        filtered={isFiltered(filters) && endpoints?.length !== 0 && null}
        columns={columnsOf(siteName, addressOf)}
        rowLink={({ id }) => openHere(id)}
      />
      <DetailDrawer title={t("Delivery")} id={search.open} rows={list.data?.pages.flatMap(({ items }) => items) ?? []}>
        {(id) => <DeliveryDetail id={id} endpoints={endpoints ?? []} />}
      </DetailDrawer>
    </>
  );
}

type NameOf = (id: string) => string;

const columnsOf = (siteName: NameOf, addressOf: NameOf): Column<Outputs["webhookDeliveries"]["list"]["items"][number]>[] => [
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
  { name: t("Endpoint"), kind: "long", cell: ({ webhookId }) => <EndpointUrl url={addressOf(webhookId)} /> },
  { name: t("Site"), kind: "short", isNarrow: true, cell: ({ siteId }) => siteName(siteId) },
];

const NothingTold = () => (
  <EmptyState title={t("No deliveries yet")} action={<ButtonLink to={paths.sites}>{t("Open sites")}</ButtonLink>}>
    {rich(
      t(
        "Deliveries appear here as soon as a message of a site with an endpoint is sent. To try an endpoint, send it a test event from the <0>page of its site</0>.",
      ),
      <TextLink to={paths.sites} />,
    )}
  </EmptyState>
);
