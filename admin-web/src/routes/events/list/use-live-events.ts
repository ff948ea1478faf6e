import { useDebouncedCallback } from "@mantine/hooks";
import { useEventTail } from "../../../session/use-event-tail.ts";
import { trpc } from "../../../trpc.ts";
import { daySpan } from "../../../ui/filters/day-span.ts";
import type { PagedQuery } from "../../../ui/states/paged-list.tsx";
import type { EventFilters } from "../events-search.ts";
import type { ListedEvent } from "./event-table.tsx";

const pageSize = 50;
/** Many may come at once; they are looked for together. */
const together = { delay: 150, maxWait: 1000 };

/** The events that fit the filters, newest first, and while it is live with those that come. */
export function useLiveEvents(filters: EventFilters, isLive: boolean): { events: PagedQuery<ListedEvent>; isLost: boolean } {
  const events = trpc.events.list.useInfiniteQuery(
    { ...filters, ...daySpan(filters), limit: pageSize },
    { getNextPageParam: (page) => page.nextCursor },
  );
  const lookSoon = useDebouncedCallback(() => void events.refetch(), together);
  const { isLost } = useEventTail({ siteId: filters.siteId, isLive, onEvents: lookSoon });
  return { events, isLost };
}
