import { Switch, Text, Button } from "@mantine/core";
import { type ReactNode, type Ref, useEffect, type PointerEvent, type RefObject, useState } from "react";
import { trpc } from "../trpc.ts";
import classes from "./live-list.module.css";

interface LiveHeadProps {
  ref: Ref<HTMLDivElement>;
  isLive: boolean;
  onLive: (isLive: boolean) => void;
  /** The connection that tells what is new went. */
  isLost: boolean;
  children?: ReactNode;
}

/** Stands above a list that shows what comes. */
export function LiveHead({ ref, isLive, onLive, isLost, children }: LiveHeadProps) {
  return (
    <div className={classes["head"]} ref={ref}>
      {children}
      <Text size="sm" role="status" className={classes["lost"] ?? ""}>
        {isLost && "Connection lost, trying again…"}
      </Text>
      <Switch
        label="Live"
        labelPosition="left"
        size="sm"
        checked={isLive}
        onChange={(event) => onLive(event.currentTarget.checked)}
        data-state={isLost ? "lost" : undefined}
      />
    </div>
  );
}

interface NewsPillProps {
  count: number;
  /** There are at least so many. */
  more: boolean;
  /** One of them, such as `message`. */
  what: string;
  onShow: () => void;
}

/** Says that newer rows wait on top, and leads there. */
export function NewsPill({ count, more, what, onShow }: NewsPillProps) {
  const isOne = count === 1 && !more;
  return (
    <div className={classes["place"]} role="status">
      {count > 0 && (
        <Button size="compact-sm" radius="xl" className={classes["pill"] ?? ""} onClick={onShow}>
          {count}
          {more && "+"} new {isOne ? what : `${what}s`} — show
        </Button>
      )}
    </div>
  );
}

interface NewsOptions<Row> {
  /** Undefined until the first of them have come. */
  shown: Rows<Row> | undefined;
  /** What was looked for last. */
  newest: Rows<Row> | undefined;
  /** The rows must not move. */
  isHeld: boolean;
  /** Puts other rows in place of what is shown. The same function until the list is another. */
  show: (change: (shown: Rows<Row>) => Rows<Row>) => void;
}

interface News {
  /** How many came and are not shown yet. `more`: at least so many. */
  waiting: { count: number; more: boolean };
  /** Shows them in any case. */
  take: () => void;
}

/** Takes what is new into a list, or has it wait while the rows are held; what is shown changes in its place. An empty list holds nothing. */
export function useNews<Row extends { id: string }>({ shown, newest, isHeld, show }: NewsOptions<Row>): News {
  const holds = isHeld && (shown?.items.length ?? 0) > 0;
  useEffect(() => {
    if (newest !== undefined) show((rows) => (holds ? updateRows(rows, newest) : takeNews(rows, newest)));
  }, [newest, holds, show]);
  const waiting = holds && shown !== undefined && newest !== undefined ? countNews(shown, newest) : { count: 0, more: false };
  const take = () => {
    if (newest !== undefined) show((rows) => takeNews(rows, newest));
  };
  return { waiting, take };
}

/** Rows of a list, newest first, and where the older ones go on. */
export interface Rows<Row> {
  items: Row[];
  nextCursor: string | null;
}

interface Known {
  id: string;
}

/** Pages that follow each other, as one. */
export const onePage = <Row,>(pages: readonly Rows<Row>[]): Rows<Row> => ({
  items: pages.flatMap(({ items }) => items),
  nextCursor: pages.at(-1)?.nextCursor ?? null,
});

/** How many of the newest are not shown yet. `more`: there may be others between them and what is shown. */
export function countNews<Row extends Known>(shown: Rows<Row>, newest: Rows<Row>): { count: number; more: boolean } {
  const known = new Set(shown.items.map(({ id }) => id));
  const count = newest.items.filter(({ id }) => !known.has(id)).length;
  return { count, more: count > 0 && count === newest.items.length && newest.nextCursor !== null };
}

/** What is shown with the newest taken in: what fits the filters no longer is gone. Where others may lie between, it begins anew. */
export function takeNews<Row extends Known>(shown: Rows<Row>, newest: Rows<Row>): Rows<Row> {
  const oldest = newest.items.at(-1);
  if (oldest === undefined || newest.nextCursor === null || countNews(shown, newest).more) return newest;
  // Ids carry their time, so they say what is older.
  const older = shown.items.filter(({ id }) => id < oldest.id);
  return older.length === 0 ? newest : { items: [...newest.items, ...older], nextCursor: shown.nextCursor };
}

/** The same rows in the same places, each as it is by now. */
export function updateRows<Row extends Known>(shown: Rows<Row>, newest: Rows<Row>): Rows<Row> {
  const byId = new Map(newest.items.map((row) => [row.id, row]));
  return { ...shown, items: shown.items.map((row) => byId.get(row.id) ?? row) };
}

/** Whether somebody reads a list, whose rows must not move then: it is scrolled past `top`, or the pointer or the focus is in what has the `handlers`. */
export function useIsReading(top: RefObject<HTMLElement | null>) {
  const [isFocused, setFocused] = useState(false);
  const [isPointed, setPointed] = useState(false);
  const isScrolled = useScrolledPast(top);
  const handlers = {
    onFocus: () => setFocused(true),
    onBlur: () => setFocused(false),
    // A finger points at nothing between two taps.
    onPointerEnter: ({ pointerType }: PointerEvent) => setPointed(pointerType === "mouse"),
    onPointerLeave: () => setPointed(false),
  };
  return { isReading: isScrolled || isFocused || isPointed, handlers };
}

/** The bar on top of every page covers as much of what is under it. */
const barHeight = 56;

/** Whether what `place` marks has been scrolled away above. */
function useScrolledPast(place: RefObject<HTMLElement | null>): boolean {
  const [isPast, setPast] = useState(false);
  useEffect(() => {
    const look = () => setPast((place.current?.getBoundingClientRect().top ?? barHeight) < barHeight - 1);
    window.addEventListener("scroll", look, { passive: true });
    return () => window.removeEventListener("scroll", look);
  }, [place]);
  return isPast;
}

const tryAgainMs = 2000;

interface TailOptions {
  siteId: string | undefined;
  isLive: boolean;
  /** Something came or was answered. Told with what the tail begins with too, so also after a connection was lost. */
  onEvents: () => void;
}

/** Follows the account's events. `isLost`: the connection went, and a new one is being tried. */
export function useEventTail({ siteId, isLive, onEvents }: TailOptions): { isLost: boolean } {
  const { status, error, reset } = trpc.events.tail.useSubscription({ siteId }, { enabled: isLive, onData: onEvents });
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
