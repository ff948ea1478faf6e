import { useDebouncedCallback } from "@mantine/hooks";
import { useCallback } from "react";
import { useEventTail } from "../../../session/use-event-tail.ts";
import { type Outputs, trpc } from "../../../trpc.ts";
import { onePage, type Rows } from "../../../ui/news/merge-news.ts";
import { useNews } from "../../../ui/news/use-news.ts";
import { logFilter } from "../log-filter.ts";
import type { LogFilters } from "../log-search.ts";
import { bringsResend } from "./brings-resend.ts";

export type LogRow = Outputs["notifications"]["list"]["items"][number];

const pageSize = 100;
/** Statuses are not tailed: they are looked for, often while messages are on their way. */
const movingMs = 1500;
const quietMs = 10_000;
const movesForMs = 60_000;

interface LogOptions {
  /** Else nothing comes by itself, but what was sent again from here. */
  isLive: boolean;
  /** Somebody reads: the rows must not move. */
  isReading: boolean;
}

interface Log {
  /** Undefined until the first of them have come. */
  rows: LogRow[] | undefined;
  /** Why they, or the older ones, did not come. */
  error: { message: string } | null;
  retry: () => void;
  older: { isThere: boolean; isComing: boolean; load: () => void };
  /** What came and is not shown yet. */
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
    enabled: loaded.isSuccess,
    refetchInterval: ({ state }) => lookAgainIn(state.data?.items ?? [], isLive),
    refetchOnWindowFocus: isLive,
    refetchOnReconnect: isLive,
    gcTime: 0,
  });
  const lookSoon = useDebouncedCallback(() => void newest.refetch(), { delay: 100, maxWait: 300 });
  const tail = useEventTail({ siteId: filters.siteId, isLive, onEvents: lookSoon });

  const key = JSON.stringify(input);
  const show = useCallback(
    (change: (shown: Rows<LogRow>) => Rows<LogRow>) =>
      list.setInfiniteData(
        JSON.parse(key) as typeof input,
        (data) => data && { pages: [change(onePage(data.pages))], pageParams: data.pageParams.slice(0, 1) },
      ),
    [list, key],
  );
  const shown = loaded.data && onePage(loaded.data.pages);
  const isHeld = isReading || (!isLive && !bringsResend(shown, newest.data));
  const { waiting, take } = useNews({ shown, newest: newest.data, isHeld, show });

  const load = () => void loaded.fetchNextPage();
  return {
    rows: shown?.items,
    error: loaded.error,
    retry: loaded.isFetchNextPageError ? load : () => void loaded.refetch(),
    older: { isThere: loaded.hasNextPage, isComing: loaded.isFetchingNextPage || loaded.isFetchNextPageError, load },
    news: waiting,
    look: () => {
      take();
      void newest.refetch();
    },
    isLost: tail.isLost,
  };
}

/** In milliseconds; false: not by the clock. A resend is followed in any case. */
function lookAgainIn(rows: readonly LogRow[], isLive: boolean): number | false {
  if (isLive) return rows.some(isMoving) ? movingMs : quietMs;
  return rows.some((row) => row.resendOf !== null && isMoving(row)) && movingMs;
}

/** Whether a young message may go on to be delivered or read. */
const isMoving = ({ status, createdAt }: LogRow): boolean =>
  status !== "read" && status !== "failed" && Date.parse(createdAt) > Date.now() - movesForMs;
