import { NativeSelect, TextInput, Stack } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useSearch, useNavigate } from "@tanstack/react-router";
import { useRef, useState, useCallback } from "react";
import { isUuid } from "shared/core/uuid";
import { paths } from "../../paths.ts";
import { trpc } from "../../trpc.ts";
import { TextLink } from "../../ui/buttons.tsx";
import { useTypedFilter } from "../../ui/filters.tsx";
import { LiveHead, NewsPill, useEventTail, useIsReading, onePage, type Rows, useNews } from "../../ui/live-list.tsx";
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
    <Page title="Events" lead="What your sites posted, and what became of it: tests and dry runs too.">
      <EventFilterBar filters={filters} />
      <EventList filters={filters} />
      <EventDrawer id={open} />
    </Page>
  );
}

/** Which events are meant by what they were sent for. */
const kinds = {
  any: { label: "Any kind", flags: {} },
  live: { label: "Live", flags: { test: false, dryRun: false } },
  test: { label: "Tests", flags: { test: true } },
  dryRun: { label: "Dry runs", flags: { dryRun: true } },
} satisfies Record<string, { label: string; flags: Flags }>;

const kindChoices = Object.entries(kinds).map(([value, { label }]) => ({ value, label }));

/** They stand in the address, so that a view can be sent to somebody and comes back with a reload. */
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
        data={kindChoices}
        value={kindOf(filters)}
        onChange={(event) => change({ test: null, dryRun: null, ...kinds[event.currentTarget.value as Kind].flags })}
      />
      <OrderFilter orderId={filters.orderId} onChange={(orderId) => change({ orderId })} />
      <TextInput type="date" label="From" value={filters.from ?? ""} onChange={(event) => change({ from: event.currentTarget.value })} />
      <TextInput type="date" label="To" value={filters.to ?? ""} onChange={(event) => change({ to: event.currentTarget.value })} />
    </search>
  );
}

type Flags = Pick<EventFilters, "test" | "dryRun">;

type Kind = keyof typeof kinds;

/** The one that fits the filters best. */
function kindOf({ test, dryRun }: Flags): Kind {
  if (dryRun === true) return "dryRun";
  if (test === true) return "test";
  return test === false || dryRun === false ? "live" : "any";
}

/** Events of one order. What is no id does not filter, and is said. */
function OrderFilter({ orderId, onChange }: { orderId: string | undefined; onChange: (orderId: string | null) => void }) {
  const [text, type] = useTypedFilter(orderId, (typed) => onChange(isUuid(typed.trim()) ? typed.trim() : null));
  const isWrong = text.trim() !== "" && !isUuid(text.trim());
  return (
    <TextInput
      label="Order id"
      placeholder="Any order"
      value={text}
      error={isWrong && "Give the order_id that the ingest answered"}
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
        <NewsPill {...news} what="event" onShow={showNews} />
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
      <EmptyState title="Nothing fits these filters">
        <TextLink to={paths.events} search={{}}>
          Show everything
        </TextLink>
      </EmptyState>
    );
  }
  return (
    <EmptyState title="No event has come yet">
      Post a signed event to the gateway, and it stands here at once, sent or not, with what became of it.{" "}
      <TextLink to={paths.gettingStarted}>The first steps</TextLink> have code to copy with your site&apos;s own key.
    </EmptyState>
  );
}

const pageSize = 50;
/** Many may come at once; they are looked for together. */
const together = { delay: 150, maxWait: 1000 };

interface LiveEventsOptions {
  isLive: boolean;
  /** Somebody reads: the rows must not move. */
  isReading: boolean;
}

interface LiveEvents {
  events: PagedQuery<ListedEvent>;
  /** What came and is not shown yet. */
  news: { count: number; more: boolean };
  look: () => void;
  /** The connection that tells what is new went. */
  isLost: boolean;
}

/** The events that fit the filters, newest first, and while it is live with those that come. */
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
  const { waiting, take } = useNews({ shown, newest: newest.data, isHeld: isReading, show });
  const look = () => {
    take();
    void newest.refetch();
  };
  return { events, news: waiting, look, isLost };
}
