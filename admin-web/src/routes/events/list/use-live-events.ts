import { useDebouncedCallback } from "@mantine/hooks";
import { useCallback } from "react";
import { useEventTail } from "../../../session/use-event-tail.ts";
import { trpc } from "../../../trpc.ts";
import { daySpan } from "../../../ui/filters/day-span.ts";
import { onePage, type Rows } from "../../../ui/news/merge-news.ts";
import { useNews } from "../../../ui/news/use-news.ts";
import type { PagedQuery } from "../../../ui/states/paged-list.tsx";
import type { EventFilters } from "../events-search.ts";
import type { ListedEvent } from "./event-table.tsx";

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
export function useLiveEvents(filters: EventFilters, { isLive, isReading }: LiveEventsOptions): LiveEvents {
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
