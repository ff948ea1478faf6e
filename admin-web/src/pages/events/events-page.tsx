import { NativeSelect, TextInput, Stack } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useSearch, useNavigate } from "@tanstack/react-router";
import { useRef, useState, useCallback } from "react";
import { describeReason } from "shared/core/reason";
import { readUnreachedKey } from "shared/core/unreached";
import { isUuid } from "shared/core/uuid";
import { paths } from "../../paths.ts";
import { trpc } from "../../trpc.ts";
import { TextLink } from "../../ui/buttons.tsx";
import { useTypedFilter } from "../../ui/filters.tsx";
import { LiveHead, NewRowsButton, useEventTail, useIsReading, onePage, type Rows, useNewRows } from "../../ui/live-list.tsx";
import { Page } from "../../ui/page.tsx";
import { PagedList, EmptyState, type PagedQuery } from "../../ui/paged-list.tsx";
import { EventNameInput, SiteSelect } from "../../ui/pickers.tsx";
import { daySpan } from "../../ui/search-params.ts";
import { EventDrawer } from "./event-drawer.tsx";
import { EventTable, type ListedEvent } from "./event-table.tsx";
import { changeEventsSearch, type EventFilters as Filters, type EventFilters } from "./route.ts";
import classes from "./events.module.css";

export function EventsPage() {
  const { open, ...filters } = useSearch({ from: `/signed-in${paths.events}` });
  return (
    <Page title="Events" lead="Events from your sites and their results, including tests and dry runs.">
      <EventFilterBar filters={filters} />
      <EventList filters={filters} />
      <EventDrawer id={open} />
    </Page>
  );
}

const kinds = {
  any: { label: "Any kind", flags: {} },
  live: { label: "Live", flags: { test: false, dryRun: false } },
  unreached: { label: "Live, without a recipient", flags: { unreached: "any" } },
  test: { label: "Tests", flags: { test: true } },
  dryRun: { label: "Dry runs", flags: { dryRun: true } },
} satisfies Record<string, { label: string; flags: Flags }>;

/** With the reason why there is no recipient, where the address names one. */
function kindChoices({ unreached }: EventFilters) {
  const reason = readUnreachedKey(unreached ?? "");
  return Object.entries(kinds).map(([value, { label }]) => ({
    value,
    label: value === "unreached" && reason !== null ? describeReason(reason, "page") : label,
  }));
}

/** The filters are kept in the address, so that a view can be shared and reloaded. */
function EventFilterBar({ filters }: { filters: Filters }) {
  const navigate = useNavigate();
  const change = (changes: Parameters<typeof changeEventsSearch>[0]) =>
    void navigate({ to: paths.events, search: changeEventsSearch(changes), replace: true, resetScroll: false });
  const [name, typeName] = useTypedFilter(filters.event, (event) => change({ event }));
  return (
    <search aria-label="Filters" className={classes["filters"]}>
      <SiteSelect placeholder="Any site" clearable value={filters.siteId ?? null} onChange={(siteId) => change({ siteId })} />
      <EventNameInput siteId={filters.siteId ?? ""} placeholder="Any event" value={name} onChange={typeName} />
      <NativeSelect
        label="Kind"
        data={kindChoices(filters)}
        value={kindOf(filters)}
        onChange={(event) => change({ test: null, dryRun: null, unreached: null, ...kinds[event.currentTarget.value as Kind].flags })}
      />
      <OrderFilter orderId={filters.orderId} onChange={(orderId) => change({ orderId })} />
      <TextInput type="date" label="From" value={filters.from ?? ""} onChange={(event) => change({ from: event.currentTarget.value })} />
      <TextInput type="date" label="To" value={filters.to ?? ""} onChange={(event) => change({ to: event.currentTarget.value })} />
    </search>
  );
}

type Flags = Pick<EventFilters, "test" | "dryRun" | "unreached">;

type Kind = keyof typeof kinds;

function kindOf({ test, dryRun, unreached }: Flags): Kind {
  if (unreached !== undefined) return "unreached";
  if (dryRun === true) return "dryRun";
  if (test === true) return "test";
  return test === false || dryRun === false ? "live" : "any";
}

/** An invalid id shows an error and does not filter. */
function OrderFilter({ orderId, onChange }: { orderId: string | undefined; onChange: (orderId: string | null) => void }) {
  const [text, type] = useTypedFilter(orderId, (typed) => onChange(isUuid(typed.trim()) ? typed.trim() : null));
  const isWrong = text.trim() !== "" && !isUuid(text.trim());
  return (
    <TextInput
      label="Order ID"
      placeholder="Any order"
      value={text}
      error={isWrong && "Enter the order_id from the ingest answer"}
      onChange={(event) => type(event.currentTarget.value)}
    />
  );
}

function EventList({ filters }: { filters: EventFilters }) {
  const top = useRef<HTMLDivElement>(null);
  const [isLive, setLive] = useState(true);
  const { isReading, handlers } = useIsReading(top);
  const { events, news, look, isLost } = useLiveEvents(filters, { isLive, isReading });
  const showNews = () => {
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    top.current?.scrollIntoView({ block: "start" });
    look();
  };
  return (
    <Stack gap="xs" pos="relative">
      <LiveHead ref={top} isLive={isLive} onLive={setLive} isLost={isLost} />
      <div {...handlers}>
        <NewRowsButton {...news} what="event" onShow={showNews} />
        <PagedList query={events} what="the events" empty={<NoEvents filters={filters} />}>
          {(items) => <EventTable events={items} />}
        </PagedList>
      </div>
    </Stack>
  );
}

function NoEvents({ filters }: { filters: EventFilters }) {
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  if (isFiltered) {
    return (
      <EmptyState title="No events match these filters">
        <TextLink to={paths.events} search={{}}>
          Clear filters
        </TextLink>
      </EmptyState>
    );
  }
  return (
    <EmptyState title="No events yet">
      Post a signed event to the gateway; it shows here at once with its result. <TextLink to={paths.gettingStarted}>Get started</TextLink>{" "}
      has code to copy, with your site&apos;s key.
    </EmptyState>
  );
}

const pageSize = 50;
/** One refetch for events that arrive together. */
const together = { delay: 150, maxWait: 1000 };

interface LiveEventsOptions {
  isLive: boolean;
  /** The rows must not move. */
  isReading: boolean;
}

interface LiveEvents {
  events: PagedQuery<ListedEvent>;
  /** New events that are not shown yet. */
  news: { count: number; more: boolean };
  look: () => void;
  /** The connection for new events is lost. */
  isLost: boolean;
}

/** The matching events, newest first; new ones are added while it is live. */
function useLiveEvents(filters: EventFilters, { isLive, isReading }: LiveEventsOptions): LiveEvents {
  const input = { ...filters, ...daySpan(filters), limit: pageSize };
  const { list } = trpc.useUtils().events;
  const events = trpc.events.list.useInfiniteQuery(input, {
    getNextPageParam: (page) => page.nextCursor,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const newest = trpc.events.list.useQuery(input, { enabled: isLive && events.isSuccess, gcTime: 0 });
  const lookSoon = useDebouncedCallback(() => void newest.refetch(), together);
  const { isLost } = useEventTail({ siteId: filters.siteId, isLive, onEvents: lookSoon });

  const key = JSON.stringify(input);
  const show = useCallback(
    (change: (shown: Rows<ListedEvent>) => Rows<ListedEvent>) =>
      list.setInfiniteData(
        JSON.parse(key) as typeof input,
        (data) => data && { pages: [change(onePage(data.pages))], pageParams: data.pageParams.slice(0, 1) },
      ),
    [list, key],
  );
  const shown = events.data && onePage(events.data.pages);
  const { waiting, take } = useNewRows({ shown, newest: newest.data, isHeld: isReading, show });
  const look = () => {
    take();
    void newest.refetch();
  };
  return { events, news: waiting, look, isLost };
}
