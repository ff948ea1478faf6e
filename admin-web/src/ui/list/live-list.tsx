import { Button, Group, Switch } from "@mantine/core";
import { useDebouncedCallback, useWindowEvent } from "@mantine/hooks";
import { type InfiniteData, useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { getUntypedClient } from "@trpc/client";
import { type ReactNode, useCallback, useEffect, type PointerEvent, type RefObject, useRef, useState } from "react";
import { statusFacts, type NotificationStatus } from "shared/core/message";
import { t } from "../../language.ts";
import { type Inputs, type Outputs, trpc, trpcClient } from "../../trpc.ts";
import { ticked } from "../base/fields.ts";
import { News } from "../base/page.tsx";

interface LiveFrameProps extends Pick<ReturnType<typeof useTailedList>, "frame"> {
  /** What stands at the beginning of the line above, such as the number of matches. */
  head?: ReactNode;
  children: ReactNode;
}

/**
 * A list that follows what comes, below a line with its switch and the state of its connection. While somebody reads it, new rows wait behind a button inside:
 * otherwise moving the pointer to it would end the reading, and the rows would come before the click.
 */
export const LiveFrame = ({ frame: { top, waiting, onShow, handlers, ...tail }, head, children }: LiveFrameProps) => (
  <>
    <Group mih="1.5rem" wrap="nowrap" ref={top}>
      {head}
      <Follow {...tail} />
    </Group>
    <div {...handlers}>
      {/* On the upper edge of the list, and without a height, so that nothing moves when the button appears. */}
      <Group data-screen role="status" justify="center" align="start" h={0} mb={-10} pos="sticky" top="6.25rem" style={{ zIndex: 3 }}>
        {waiting.count > 0 && (
          <Button size="compact-sm" radius="xl" mt="-1rem" onClick={({ detail }) => onShow(detail === 0)}>
            {t("{count, plural, one {Show # new} other {Show #{more} new}}", { count: waiting.count, more: waiting.more ? "+" : "" })}
          </Button>
        )}
      </Group>
      {children}
    </div>
  </>
);

interface FollowProps {
  siteId: string | undefined;
  isLive: boolean;
  setLive: (isLive: boolean) => void;
  /** An event has arrived or was answered. */
  onEvents: () => void;
}

/** The switch, and what is wrong with the connection, whose states draw no row again. */
function Follow({ setLive, ...tail }: FollowProps) {
  const { isLost } = useEventTail(tail);
  return (
    <>
      <News ms="auto" c="var(--mantine-color-yellow-light-color)">
        {isLost && t("Connection lost. Reconnecting…")}
      </News>
      <Switch
        data-screen
        label={t("Follow")}
        labelPosition="left"
        size="sm"
        {...ticked(tail.isLive, setLive)}
        data-state={isLost ? "lost" : undefined}
      />
    </>
  );
}

interface TailOptions<Row> {
  siteId: string | undefined;
  /** How often the newest page is looked at beside the news of events. */
  every?: (rows: readonly Row[], isLive: boolean) => number | false;
  /** Whether the newest rows are shown also while the list is not live; they always are unless given. */
  brings?: (shown: Rows<Row> | undefined, newest: Rows<Row> | undefined) => boolean;
}

/** One refetch for events that arrive together. */
const together = { delay: 100, maxWait: 300 };

/** A list of events or messages, the newest first, that shows by itself what comes, unless somebody reads it. */
export function useTailedList<Name extends string>(
  name: Name,
  input: ListOf<Name>["input"] & { limit: number },
  { siteId, every, brings }: TailOptions<RowOf<Name>>,
) {
  const top = useRef<HTMLDivElement>(null);
  const [isLive, setLive] = useState(true);
  const { isReading, handlers } = useIsReading(top);
  const look = { every: (rows: readonly RowOf<Name>[]) => every?.(rows, isLive) ?? false, focus: isLive };
  const { loaded: query, newest, show } = useList(name, input, look);
  const onEvents = useDebouncedCallback(() => void newest.refetch(), together);
  const shown = query.data && onePage(query.data.pages);
  const latest = newest.data;
  // Shown rows still update in place while they are held. An empty list never is.
  const isHeld = (isReading || (!isLive && brings?.(shown, latest) === false)) && (shown?.items.length ?? 0) > 0;
  useEffect(() => {
    if (latest !== undefined) show((rows) => (isHeld ? updateRows(rows, latest) : mergeNewest(rows, latest)));
  }, [latest, isHeld, show]);
  const waiting = isHeld && shown !== undefined && latest !== undefined ? countNewRows(shown, latest) : { count: 0, more: false };
  const first = shown?.items[0]?.id;
  const isLed = useRef(false);
  useEffect(() => {
    if (isLed.current) top.current?.nextElementSibling?.querySelector<HTMLElement>("tbody a")?.focus();
    isLed.current = false;
  }, [first]);
  /** Whoever comes by keyboard goes on at the first of the new rows. */
  const onShow = (isByKey: boolean) => {
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    isLed.current = isByKey;
    top.current?.scrollIntoView({ block: "start" });
    if (latest !== undefined) show((rows) => mergeNewest(rows, latest));
    void newest.refetch();
  };
  const frame = { top, siteId, isLive, setLive, onEvents, waiting, onShow, handlers };
  return { query: { ...query, error: query.error ?? newest.error }, newest: latest?.items ?? [], frame };
}

/** A procedure that answers a list, by its path such as `events.list`. */
export type ListOf<Name> = Name extends `${infer Part extends keyof Outputs}.${infer One}`
  ? {
      input: One extends keyof Inputs[Part] ? Inputs[Part][One] & object : never;
      answer: One extends keyof Outputs[Part] ? Outputs[Part][One] : never;
    }
  : never;
type RowOf<Name> = ListOf<Name>["answer"] extends Rows<infer Row extends Known> ? Row : never;

interface LookOptions<Row> {
  /** How often the newest page is looked at, in milliseconds, 10,000 unless given; false: only when asked. */
  every?: number | false | ((rows: readonly Row[]) => number | false);
  /** False to look neither when the window gets the focus nor when the connection is back. */
  focus?: boolean;
  /** Keeps the rows of the former input until those of the next one are there. */
  keepsShown?: boolean;
}

/**
 * A list that loads page by page, and its newest page, which alone is asked for again: a look is one request, however much of the list is loaded. `show`
 * replaces the loaded rows; it is stable for one input.
 */
function useList<Name extends string>(
  name: Name,
  input: ListOf<Name>["input"] & { limit: number },
  { every = 10_000, focus = true, keepsShown = false }: LookOptions<RowOf<Name>>,
) {
  type Page = Rows<RowOf<Name>>;
  const cache = useQueryClient();
  const path = name.split(".");
  const ask = (cursor: string | null) =>
    getUntypedClient(trpcClient).query(name, { ...(input as object), ...(cursor !== null && { cursor }) }) as Promise<Page>;
  const first = { queryKey: [path, { input, type: "query" }], queryFn: () => ask(null) };
  const key = JSON.stringify([path, { input, type: "infinite" }]);
  const { limit } = input;
  /** A page that came short, as no index serves its filter, goes on by itself for a while. */
  const goOn = async ({ items, nextCursor }: Page, rounds: number): Promise<Page> => {
    if (rounds === 0 || nextCursor === null || items.length >= limit) return { items, nextCursor };
    const next = await ask(nextCursor);
    return goOn({ items: [...items, ...next.items], nextCursor: next.nextCursor }, rounds - 1);
  };
  const loaded = useInfiniteQuery({
    queryKey: JSON.parse(key) as unknown[],
    // The first page is the newest one: both are loaded at once.
    queryFn: async ({ pageParam }) =>
      pageParam === null ? goOn(await cache.fetchQuery({ ...first, retry: false }), fewRounds) : goOn(await ask(pageParam), manyRounds),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    ...(keepsShown && { placeholderData: (shown: InfiniteData<Page, string | null> | undefined) => shown }),
  });
  const { data, hasNextPage, fetchNextPage, isPlaceholderData } = loaded;
  // What is found soon is shown, while the rest is looked for: a list that is not full tells by its end how many there are.
  const isShort = hasNextPage && !isPlaceholderData && data !== undefined && onePage(data.pages).items.length < limit;
  useEffect(() => {
    if (isShort) void fetchNextPage();
  }, [isShort, key, fetchNextPage]);
  const newest = useQuery({
    ...first,
    enabled: loaded.isSuccess && !loaded.isPlaceholderData,
    refetchInterval: ({ state }) => (typeof every === "function" ? every(state.data?.items ?? []) : every),
    refetchOnWindowFocus: focus,
    refetchOnReconnect: focus,
    gcTime: 0,
  });
  const show = useCallback(
    (change: (shown: Page) => Page) =>
      void cache.setQueryData<InfiniteData<Page, string | null>>(
        JSON.parse(key) as unknown[],
        (data) => data && { pages: pagesOf(change(onePage(data.pages)), limit), pageParams: [null] },
      ),
    [cache, key, limit],
  );
  return { loaded, newest, show };
}

/** So often a short page is asked to go on: before the list is shown, and after it. */
const fewRounds = 2;
const manyRounds = 40;

/** A list that shows by itself what is new, changed or gone on its newest page. */
export function useLiveList<Name extends string>(
  name: Name,
  input: ListOf<Name>["input"] & { limit: number },
  look: LookOptions<RowOf<Name>> = {},
) {
  const { loaded, newest, show } = useList(name, input, look);
  const { data } = newest;
  useEffect(() => {
    if (data !== undefined) show((rows) => mergeNewest(rows, data));
  }, [data, show]);
  return { ...loaded, error: loaded.error ?? newest.error };
}

/** Rows of a list, newest first. */
export interface Rows<Row> {
  items: Row[];
  nextCursor: string | null;
}

type Known = { id: string };

const onePage = <Row,>(pages: readonly Rows<Row>[]): Rows<Row> => ({
  items: pages.flatMap(({ items }) => items),
  nextCursor: pages.at(-1)?.nextCursor ?? null,
});

/** The rows in pages again, so that a refetch loads as many. */
function pagesOf<Row>({ items, nextCursor }: Rows<Row>, limit: number): Rows<Row>[] {
  const count = Math.max(1, Math.ceil(items.length / limit));
  return Array.from({ length: count }, (_, page) => ({ items: items.slice(page * limit, (page + 1) * limit), nextCursor }));
}

/** `more`: there may be rows between the newest and the shown ones. */
export function countNewRows<Row extends Known>(shown: Rows<Row>, newest: Rows<Row>): { count: number; more: boolean } {
  const known = new Set(shown.items.map(({ id }) => id));
  const count = newest.items.filter(({ id }) => !known.has(id)).length;
  return { count, more: count > 0 && count === newest.items.length && newest.nextCursor !== null };
}

/** Puts the newest on top and drops rows that no longer match the filters. Starts over if there may be rows between. Ids tell no order. */
export function mergeNewest<Row extends Known>(shown: Rows<Row>, newest: Rows<Row>): Rows<Row> {
  if (newest.nextCursor === null) return newest;
  // It has not looked as far as the first of them.
  if (newest.items.length === 0) return shown;
  const onTop = new Set(newest.items.map(({ id }) => id));
  const last = shown.items.findLastIndex(({ id }) => onTop.has(id));
  const older = last === -1 ? [] : shown.items.slice(last + 1);
  // Where both end with the same row, the list may have looked beyond it.
  const isBeyond = older.length > 0 || newest.items.at(-1)?.id === shown.items.at(-1)?.id;
  return isBeyond ? { items: [...newest.items, ...older], nextCursor: shown.nextCursor } : newest;
}

/** The same rows in the same places, with current values. */
export function updateRows<Row extends Known>(shown: Rows<Row>, newest: Rows<Row>): Rows<Row> {
  const byId = new Map(newest.items.map((row) => [row.id, row]));
  return { ...shown, items: shown.items.map((row) => byId.get(row.id) ?? row) };
}

/** Whether somebody reads a list, so that its rows must not move: it is scrolled past `top`, or holds the pointer or the focus (`handlers`). */
function useIsReading(top: RefObject<HTMLElement | null>) {
  const [isFocused, setFocused] = useState(false);
  const [isPointed, setPointed] = useState(false);
  const isScrolled = useScrolledPast(top);
  const handlers = {
    onFocus: () => setFocused(true),
    onBlur: () => setFocused(false),
    // A touch ends without leaving.
    onPointerEnter: ({ pointerType }: PointerEvent) => setPointed(pointerType === "mouse"),
    onPointerLeave: () => setPointed(false),
  };
  return { isReading: isScrolled || isFocused || isPointed, handlers };
}

/** Height of the bar that covers the top of every page. */
const barHeight = 56;

function useScrolledPast(place: RefObject<HTMLElement | null>): boolean {
  const [isPast, setPast] = useState(false);
  const look = () => setPast((place.current?.getBoundingClientRect().top ?? barHeight) < barHeight - 1);
  useWindowEvent("scroll", look, { passive: true });
  return isPast;
}

const tryAgainMs = 2000;

/**
 * Follows the account's events. `isLost`: the connection is being restored. A tail begins with the last events: the list, which was asked for a moment before, has
 * those that are no longer young.
 */
function useEventTail({ siteId, isLive, onEvents }: Omit<FollowProps, "setLive">) {
  const hasBegun = useRef(false);
  const { status, error, reset } = trpc.events.tail.useSubscription(
    { siteId },
    {
      enabled: isLive,
      onData: ({ events }) => {
        if (hasBegun.current || events.some(({ receivedAt }) => isYoung(receivedAt))) onEvents();
        hasBegun.current = true;
      },
    },
  );
  const hasEnded = isLive && (status === "error" || status === "idle");
  const [isLost, setLost] = useState(false);
  const isBroken = hasEnded || (status === "connecting" && error !== null);
  if (isBroken && !isLost) setLost(true);
  if (isLost && (status === "pending" || !isLive)) setLost(false);
  useEffect(() => {
    if (!hasEnded) return undefined;
    const timer = setTimeout(reset, tryAgainMs);
    return () => clearTimeout(timer);
  }, [hasEnded, reset]);
  return { isLost };
}

/** Whether a row is young enough that somebody may watch it change, so that it is polled often. `since`: when it was made, ISO 8601. */
export const isYoung = (since: string): boolean => Date.parse(since) > Date.now() - youngForMs;

const youngForMs = 60_000;

/** Whether the status of a young message may still change. */
export const isMoving = ({ status, createdAt }: { status: NotificationStatus; createdAt: string }): boolean =>
  !statusFacts[status].isFinal && isYoung(createdAt);

/** How often a moving message or event is read again. */
export const movingPollMs = 1500;
