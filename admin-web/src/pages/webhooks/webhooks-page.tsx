import { Group, NativeSelect, Select, Text } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { deliveryStatuses } from "shared/core/webhook";
import { formatCount } from "../../format.ts";
import { paths } from "../../paths.ts";
import { useMay } from "../../session.tsx";
import { type Outputs, trpc } from "../../trpc.ts";
import { TextLink } from "../../ui/buttons.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { DeliveryBadge, describeAnswer, type Endpoint } from "../../ui/endpoints.tsx";
import { Due, Moment } from "../../ui/facts.tsx";
import { Page } from "../../ui/page.tsx";
import { EmptyState, PagedList } from "../../ui/paged-list.tsx";
import { SiteSelect, useSiteName } from "../../ui/pickers.tsx";
import { DeliveryDrawer } from "./delivery-drawer.tsx";
import { ReplayFailedButton } from "./replay-failed.tsx";
import { changeWebhooksSearch, type DeliveryFilters } from "./route.ts";
import classes from "./webhooks.module.css";

export function WebhooksPage() {
  const { open, ...filters } = useSearch({ from: `/signed-in${paths.webhooks}` });
  const endpoints = useEndpoints();
  const mayReplay = useMay("operator");
  const replayable = endpoints?.filter(({ enabled }) => enabled) ?? [];
  return (
    <Page
      title="Webhooks"
      lead="What the sites' endpoints were told of messages, the newest first."
      actions={mayReplay && replayable.length > 0 && <ReplayFailedButton endpoints={replayable} webhookId={filters.webhookId} />}
    >
      <Filters filters={filters} endpoints={endpoints ?? []} />
      <DeliveryList filters={filters} endpoints={endpoints} />
      <DeliveryDrawer id={open} endpoints={endpoints ?? []} />
    </Page>
  );
}

/** All of the account, of which there are at most 100; undefined while they load. */
const useEndpoints = (): Endpoint[] | undefined => trpc.webhooks.list.useQuery({ limit: 200 }, { staleTime: 10_000 }).data?.items;

interface FiltersProps {
  filters: DeliveryFilters;
  endpoints: Endpoint[];
}

const statusChoices = [{ value: "", label: "Any status" }, ...deliveryStatuses];

/** They stand in the address, so that a view can be shared and reloaded. */
function Filters({ filters: { siteId, webhookId, status, notificationId }, endpoints }: FiltersProps) {
  const navigate = useNavigate();
  const change = (changes: Parameters<typeof changeWebhooksSearch>[0]) =>
    void navigate({ to: paths.webhooks, search: changeWebhooksSearch(changes), replace: true, resetScroll: false });
  const offered = endpoints.filter((endpoint) => siteId === undefined || endpoint.siteId === siteId);
  return (
    <>
      <search className={classes["filters"]} aria-label="Filters">
        <SiteSelect
          placeholder="Any site"
          value={siteId ?? null}
          onChange={(next) => change({ siteId: next, webhookId: null })}
          clearable
          clearButtonProps={{ "aria-label": "Any site" }}
        />
        <Select
          label="Endpoint"
          placeholder="Any endpoint"
          data={offered.map(({ id, url }) => ({ value: id, label: url }))}
          searchable
          nothingFoundMessage="No matching endpoints"
          value={webhookId ?? null}
          onChange={(next) => change({ webhookId: next })}
          clearable
          clearButtonProps={{ "aria-label": "Any endpoint" }}
        />
        <NativeSelect
          label="Status"
          data={statusChoices}
          value={status ?? ""}
          onChange={({ currentTarget }) => change({ status: currentTarget.value })}
        />
      </search>
      {notificationId !== undefined && (
        <Group gap="xs">
          <Text size="sm">
            Only what tells of{" "}
            <TextLink to={paths.log} search={{ open: notificationId }}>
              one message
            </TextLink>
            .{" "}
            <TextLink to={paths.webhooks} search={changeWebhooksSearch({ notificationId: null })}>
              Show all
            </TextLink>
          </Text>
        </Group>
      )}
    </>
  );
}

type Delivery = Outputs["webhookDeliveries"]["list"]["items"][number];

const lookEveryMs = 5_000;

function DeliveryList({ filters, endpoints }: { filters: DeliveryFilters; endpoints: Endpoint[] | undefined }) {
  const siteName = useSiteName();
  const list = trpc.webhookDeliveries.list.useInfiniteQuery(
    { ...filters, limit: 50 },
    { getNextPageParam: (page) => page.nextCursor, placeholderData: (shown) => shown, refetchInterval: lookEveryMs },
  );
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  const addressOf = (id: string) => endpoints?.find((endpoint) => endpoint.id === id)?.url ?? "…";
  return (
    <PagedList query={list} what="the deliveries" empty={<NothingTold isFiltered={isFiltered} hasEndpoints={endpoints?.length !== 0} />}>
      {(items) => <DataTable label="Deliveries" columns={columnsOf(siteName, addressOf)} rows={items} rowKey={({ id }) => id} />}
    </PagedList>
  );
}

type NameOf = (id: string) => string;

const columnsOf = (siteName: NameOf, addressOf: NameOf): Column<Delivery>[] => [
  { name: "Type", kind: "title", cell: (delivery) => <Type {...delivery} /> },
  { name: "Status", cell: (delivery) => <Status {...delivery} /> },
  { name: "Endpoint", cell: ({ webhookId, siteId }) => <EndpointCell address={addressOf(webhookId)} site={siteName(siteId)} /> },
  { name: "Attempts", kind: "short", cell: ({ attempts }) => formatCount(attempts) },
  { name: "When", kind: "short", cell: ({ createdAt }) => <Moment at={createdAt} seconds /> },
];

const Type = ({ id, type }: Delivery) => (
  <TextLink to={paths.webhooks} search={changeWebhooksSearch({ open: id })} resetScroll={false}>
    {type}
  </TextLink>
);

/** With the last answer, and the next attempt of one that is tried again. */
function Status({ lastStatusCode: code, lastError: error, nextAttemptAt, ...delivery }: Delivery) {
  const last = describeAnswer({ code, error });
  const isTriedAgain = nextAttemptAt !== null && delivery.attempts > 0;
  return (
    <div>
      <DeliveryBadge {...delivery} />
      {error !== null && (
        <Text size="xs" c="dimmed" mt={2}>
          {last}
        </Text>
      )}
      {isTriedAgain && (
        <Text size="xs" c="dimmed">
          Next attempt: <Due at={nextAttemptAt} />
        </Text>
      )}
    </div>
  );
}

function EndpointCell({ address, site }: { address: string; site: string }) {
  return (
    <div>
      {address}
      <Text size="sm" c="dimmed">
        {site}
      </Text>
    </div>
  );
}

function NothingTold({ isFiltered, hasEndpoints }: { isFiltered: boolean; hasEndpoints: boolean }) {
  if (isFiltered && hasEndpoints)
    return (
      <EmptyState title="No deliveries match these filters">
        <TextLink to={paths.webhooks} search={{}}>
          Clear filters
        </TextLink>
      </EmptyState>
    );
  if (hasEndpoints)
    return (
      <EmptyState title="Nothing told yet">
        Deliveries show here as soon as a message of a site with an endpoint is sent. To try an endpoint, send it a test event from the{" "}
        <TextLink to={paths.sites}>page of its site</TextLink>.
      </EmptyState>
    );
  return (
    <EmptyState title="No endpoints yet">
      Tidings can tell your backend when messages are sent, delivered, read or have failed. Open a{" "}
      <TextLink to={paths.sites}>site</TextLink> and add an endpoint under Webhooks. The documentation has{" "}
      <TextLink to={paths.topic} params={{ topic: "webhooks" }}>
        code to receive webhooks
      </TextLink>
      .
    </EmptyState>
  );
}
