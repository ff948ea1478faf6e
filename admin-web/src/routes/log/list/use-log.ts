import { useDebouncedCallback } from "@mantine/hooks";
import { useEffect } from "react";
import { useEventTail } from "../../../session/use-event-tail.ts";
import { type Outputs, trpc } from "../../../trpc.ts";
import { logFilter } from "../log-filter.ts";
import type { LogFilters } from "../log-search.ts";
import { countNews, type Rows, takeNews, updateRows } from "./merge-news.ts";

export type LogRow = Outputs["notifications"]["list"]["items"][number];

const pageSize = 100;
/** Statuses are not tailed: they are looked for, often while messages are on their way. */
const movingMs = 1500;
const quietMs = 10_000;
const movesForMs = 60_000;

interface LogOptions {
  isLive: boolean;
  /** Somebody reads further down: the rows must not move. */
  isReading: boolean;
}

interface Log {
  /** Undefined until the first of them have come. */
  rows: LogRow[] | undefined;
  /** Why they, or the older ones, did not come. */
  error: { message: string } | null;
  retry: () => void;
  older: { isThere: boolean; isComing: boolean; load: () => void };
  /** What came and is not shown, while somebody reads. */
  news: { count: number; more: boolean };
  look: () => void;
  /** The connection that tells what is new went. */
  isLost: boolean;
}

/** The log's rows: loaded page by page, and while it is live with what comes. */
export function useLog(filters: LogFilters, { isLive, isReading }: LogOptions): Log {
  const input = { ...logFilter(filters), limit: pageSize };
  const { list } = trpc.useUtils().notifications;
  const loaded = trpc.notifications.list.useInfiniteQuery(input, {
    getNextPageParam: (page) => page.nextCursor,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const newest = trpc.notifications.list.useQuery(input, {
    enabled: isLive && loaded.isSuccess,
    refetchInterval: ({ state }) => (isMoving(state.data) ? movingMs : quietMs),
    gcTime: 0,
  });
  const lookSoon = useDebouncedCallback(() => void newest.refetch(), { delay: 100, maxWait: 300 });
  const tail = useEventTail({ siteId: filters.siteId, isLive, onEvents: lookSoon });

  const key = JSON.stringify(input);
  useEffect(() => {
    const news = newest.data;
    if (news === undefined) return;
    list.setInfiniteData(JSON.parse(key) as typeof input, (data) => {
      if (data === undefined) return data;
      const shown = onePage(data.pages);
      return { pages: [isReading ? updateRows(shown, news) : takeNews(shown, news)], pageParams: data.pageParams.slice(0, 1) };
    });
  }, [list, key, newest.data, isReading]);

  const rows = loaded.data && onePage(loaded.data.pages);
  const news = rows !== undefined && newest.data !== undefined && isReading ? countNews(rows, newest.data) : { count: 0, more: false };
  const load = () => void loaded.fetchNextPage();
  return {
    rows: rows?.items,
    error: loaded.error,
    retry: loaded.isFetchNextPageError ? load : () => void loaded.refetch(),
    older: { isThere: loaded.hasNextPage, isComing: loaded.isFetchingNextPage || loaded.isFetchNextPageError, load },
    news,
    look: () => void newest.refetch(),
    isLost: tail.isLost,
  };
}

const onePage = (pages: readonly Rows<LogRow>[]): Rows<LogRow> => ({
  items: pages.flatMap(({ items }) => items),
  nextCursor: pages.at(-1)?.nextCursor ?? null,
});

/** Whether a young message may go on to be delivered or read. */
function isMoving(page: Rows<LogRow> | undefined): boolean {
  const since = Date.now() - movesForMs;
  return page?.items.some(({ status, createdAt }) => status !== "read" && status !== "failed" && Date.parse(createdAt) > since) ?? false;
}
