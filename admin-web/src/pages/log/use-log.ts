import { useDebouncedCallback, useMediaQuery, useHotkeys } from "@mantine/hooks";
import { useCallback, useEffect, useLayoutEffect, useState, type RefObject, type KeyboardEvent } from "react";
import { statusFacts } from "shared/core/message";
import { type Outputs, trpc } from "../../trpc.ts";
import { onePage, type Rows, useEventTail, useNews } from "../../ui/live-list.tsx";
import { logFilter, type LogFilters } from "./route.ts";

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
  !statusFacts[status].isFinal && Date.parse(createdAt) > Date.now() - movesForMs;

interface Sent {
  id: string;
  resendOf: string | null;
}

/** Whether there is a message among the newest that was sent again, and is not shown yet. */
export function bringsResend(shown: Rows<Sent> | undefined, newest: Rows<Sent> | undefined): boolean {
  const known = new Set(shown?.items.map(({ id }) => id));
  return newest?.items.some(({ id, resendOf }) => resendOf !== null && !known.has(id)) ?? false;
}

/** The heights that the style sheet gives the rows, in pixels. */
const rowHeight = { wide: 46, narrow: 96 };
/** What stands over the rows while the page is scrolled: the bar of the page and, where it is wide, the headings. */
const coveredHeight = 96;
/** Rows beyond what is in sight on either side. Which are drawn changes in steps of so many. */
const spare = 12;

interface DrawnRowsOptions {
  count: number;
  /** This row stays drawn wherever the page is scrolled to: it may have the focus, which would be lost with it. */
  activeIndex: number;
  /** Where to scroll to, each time that it is another object. */
  movedTo: { index: number } | null;
}

/** Which rows are in sight and where each is, in pixels from the first. `body`: what holds them. */
export function useDrawnRows(body: RefObject<HTMLElement | null>, { count, activeIndex, movedTo }: DrawnRowsOptions) {
  const isNarrow = useMediaQuery("(max-width: 48em)", false, { getInitialValueInEffect: false });
  const height = isNarrow ? rowHeight.narrow : rowHeight.wide;
  const { first, windowHeight } = useSight(body, height);
  useEffect(() => {
    if (movedTo !== null && body.current !== null) bringIntoSight(body.current, movedTo.index, height);
  }, [body, movedTo, height]);
  const last = first + Math.ceil(windowHeight / height) + 3 * spare;
  const indexes = Array.from({ length: Math.max(0, Math.min(last, count) - first) }, (_, index) => first + index);
  const drawn = activeIndex < count && !indexes.includes(activeIndex) ? [...indexes, activeIndex].toSorted((a, b) => a - b) : indexes;
  return { height: count * height, lastInSight: last, drawn: drawn.map((index) => ({ index, top: index * height })) };
}

function useSight(body: RefObject<HTMLElement | null>, height: number): { first: number; windowHeight: number } {
  const [first, setFirst] = useState(0);
  const [windowHeight, setWindowHeight] = useState(window.innerHeight);
  useLayoutEffect(() => {
    const look = () => {
      const above = Math.floor(-(body.current?.getBoundingClientRect().top ?? 0) / height);
      setFirst(Math.max(0, Math.floor(above / spare) - 1) * spare);
      setWindowHeight(window.innerHeight);
    };
    look();
    window.addEventListener("scroll", look, { passive: true });
    window.addEventListener("resize", look);
    // What stands above the rows changes, and with it the height of the page.
    const observer = new ResizeObserver(look);
    observer.observe(document.body);
    return () => {
      window.removeEventListener("scroll", look);
      window.removeEventListener("resize", look);
      observer.disconnect();
    };
  }, [body, height]);
  return { first, windowHeight };
}

function bringIntoSight(body: HTMLElement, index: number, height: number): void {
  const top = body.getBoundingClientRect().top + index * height;
  const below = top + height - window.innerHeight;
  if (top < coveredHeight) window.scrollBy({ top: top - coveredHeight });
  else if (below > 0) window.scrollBy({ top: below + height });
}

interface Row {
  id: string;
}

const screenful = 10;

/** One row at a time can be reached with Tab; the arrows, j and k go on from there, to rows that are not drawn yet too. */
export function useRowKeys(rows: readonly Row[], body: RefObject<HTMLElement | null>) {
  const [activeId, setActiveId] = useState<string | null>(null);
  const [movedTo, setMovedTo] = useState<{ index: number } | null>(null);
  const found = rows.findIndex(({ id }) => id === activeId);
  const activeIndex = Math.max(found, 0);

  const moveTo = (index: number): void => {
    const to = Math.min(Math.max(index, 0), rows.length - 1);
    setActiveId(rows[to]?.id ?? null);
    setMovedTo({ index: to });
  };
  const step = (by: number) => {
    if (document.activeElement?.closest('[role="dialog"]')) return;
    const isIn = body.current?.contains(document.activeElement) ?? false;
    moveTo(isIn ? activeIndex + by : activeIndex);
  };
  useHotkeys([
    ["j", () => step(1)],
    ["k", () => step(-1)],
  ]);
  useEffect(() => {
    if (movedTo !== null) body.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus({ preventScroll: true });
  }, [movedTo, body]);

  const onKeyDown = (event: KeyboardEvent): void => {
    const to = target(event.key, activeIndex, rows.length);
    if (to === undefined) return;
    event.preventDefault();
    moveTo(to);
  };
  const onRowFocus = useCallback((id: string) => setActiveId(id), []);
  return { activeIndex, movedTo, onKeyDown, onRowFocus };
}

function target(key: string, at: number, count: number): number | undefined {
  const targets: Record<string, number> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    PageDown: at + screenful,
    PageUp: at - screenful,
    Home: 0,
    End: count - 1,
  };
  return targets[key];
}

/** Has the log look for what is new at once. The pages that are loaded stay: what is new is put on top of them. */
export function useLookAgain(): () => void {
  const { list } = trpc.useUtils().notifications;
  return () =>
    void list.invalidate(undefined, { predicate: ({ queryKey }) => (queryKey[1] as { type?: string } | undefined)?.type === "query" });
}
