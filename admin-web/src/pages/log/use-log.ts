import { useDebouncedCallback, useMediaQuery, useHotkeys } from "@mantine/hooks";
import { useCallback, useEffect, useLayoutEffect, useMemo, useState, type RefObject, type KeyboardEvent } from "react";
import { type Outputs, trpc } from "../../trpc.ts";
import { isMoving, movingPollMs, onePage, type Rows, useEventTail, useList, useNewRows } from "../../ui/live-list.tsx";
import { logFilter, type LogFilters } from "./route.ts";

export type LogRow = Outputs["notifications"]["list"]["items"][number];

const pageSize = 100;
/** Statuses are polled, more often while messages may still change. */
const quietPollMs = 10_000;

interface LogOptions {
  /** If false, only resends from this page appear by themselves. */
  isLive: boolean;
  /** True while the rows must not move. */
  isReading: boolean;
}

interface Log {
  /** Undefined while loading. */
  rows: LogRow[] | undefined;
  error: { message: string } | null;
  retry: () => void;
  older: { isThere: boolean; isComing: boolean; load: () => void };
  /** New messages that are not shown yet. */
  news: { count: number; more: boolean };
  look: () => void;
  /** True while the connection for new messages is lost. */
  isLost: boolean;
}

/** The log's rows, loaded page by page; new ones are added while it is live. */
export function useLog(filters: LogFilters, { isLive, isReading }: LogOptions): Log {
  const input = { ...logFilter(filters), limit: pageSize };
  const { loaded, newest, show } = useList("notifications.list", input, { every: (rows) => lookAgainIn(rows, isLive), focus: isLive });
  const lookSoon = useDebouncedCallback(() => void newest.refetch(), { delay: 100, maxWait: 300 });
  const tail = useEventTail({ siteId: filters.siteId, isLive, onEvents: lookSoon });

  const shown = loaded.data && onePage(loaded.data.pages);
  const rows = useMemo(() => shown && withoutResent(shown.items, newest.data?.items ?? []), [shown, newest.data]);
  const isHeld = isReading || (!isLive && !bringsResend(shown, newest.data));
  const { waiting, take } = useNewRows({ shown, newest: newest.data, isHeld, show });

  const load = () => void loaded.fetchNextPage();
  return {
    rows,
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

/** Milliseconds, or false for no polling. Resends are followed in any case. */
function lookAgainIn(rows: readonly LogRow[], isLive: boolean): number | false {
  if (isLive) return rows.some(isMoving) ? movingPollMs : quietPollMs;
  return rows.some((row) => row.resendOf !== null && isMoving(row)) && movingPollMs;
}

interface Sent {
  id: string;
  resendOf: string | null;
}

/** Whether the newest rows hold a resend that is not shown yet. */
export function bringsResend(shown: Rows<Sent> | undefined, newest: Rows<Sent> | undefined): boolean {
  const known = new Set(shown?.items.map(({ id }) => id));
  return newest?.items.some(({ id, resendOf }) => resendOf !== null && !known.has(id)) ?? false;
}

/** The shown rows, each message once: one whose resend is shown too is left out; while the resend is only among the newest, the row says so. */
export function withoutResent<Row extends Sent & { resentAs: string | null }>(shown: readonly Row[], newest: readonly Row[]): Row[] {
  const resends = new Map([...newest, ...shown].map(({ id, resendOf }) => [resendOf, id]));
  const ids = new Set(shown.map(({ id }) => id));
  return shown.flatMap((row) => {
    const resentAs = resends.get(row.id);
    if (resentAs === undefined) return row;
    return ids.has(resentAs) ? [] : { ...row, resentAs };
  });
}

/** Refetches the newest messages at once; loaded pages stay. */
export function useLookAgain(): () => void {
  const { list } = trpc.useUtils().notifications;
  return () =>
    void list.invalidate(undefined, { predicate: ({ queryKey }) => (queryKey[1] as { type?: string } | undefined)?.type === "query" });
}

/** Row heights of the style sheet, in pixels. */
const rowHeight = { wide: 46, narrow: 96 };
/** Height of the sticky bar and headings above the rows. */
const coveredHeight = 96;
/** Rows drawn beyond either edge of the window, also the step in which the drawn range moves. */
const spare = 12;

interface DrawnRowsOptions {
  count: number;
  /** The row that is always drawn, so that it keeps the focus. */
  activeIndex: number;
  /** Scrolls to this row whenever the object changes. */
  movedTo: { index: number } | null;
}

/** The rows to draw, each with its offset in pixels. `body` contains them. */
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
    // The content above the rows may change its height.
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

/** Tab reaches one row; the arrow keys, j and k move on, also to rows that are not drawn yet. */
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
