import { useWindowEvent, useHotkeys } from "@mantine/hooks";
import { defaultRangeExtractor, useWindowVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, type Ref, type RefObject, useEffect, useLayoutEffect, useMemo, useState } from "react";
import { flushSync } from "react-dom";
import { remember } from "shared/core/text";
import type { Selection } from "./selection.tsx";
import classes from "./data-table.module.css";

/** Of shorter lists every row is drawn. */
const many = 30;
/** The height of a row before it is measured, in pixels. */
const usualHeight = 44;
/** What stands above a list before it is measured, in pixels: with less, rows out of sight are drawn at first. */
const usualMargin = 256;
/** More is wanted when fewer rows than this are left below. */
const fewLeft = 30;

interface ListRowsProps {
  body: RefObject<HTMLElement | null>;
  ids: readonly string[];
  selection: Pick<Selection<unknown>, "has" | "toggle"> | undefined;
  /** Called while the end is near. */
  onEnd: (() => void) | undefined;
  draw: (index: number, measure?: Ref<HTMLTableRowElement>) => ReactNode;
}

/** The rows of a list, by keyboard too; of a long one only those in sight, and on paper all that are loaded. */
export function ListRows({ body, ids, selection, onEnd, draw }: ListRowsProps) {
  const active = useRowKeys(ids, body, selection);
  const [isPrinted, setPrinted] = useState(false);
  // The browser takes the page as it stands when this has run.
  useWindowEvent("beforeprint", () => flushSync(() => setPrinted(true)));
  useWindowEvent("afterprint", () => setPrinted(false));
  if (isPrinted || ids.length <= many) return ids.map((_, index) => draw(index));
  return <DrawnRows body={body} count={ids.length} active={active} onEnd={onEnd} draw={draw} />;
}

interface DrawnRowsProps extends Pick<ListRowsProps, "body" | "onEnd" | "draw"> {
  count: number;
  /** The row that is always drawn, so that it keeps the focus. */
  active: number;
}

/** They scroll with the window. */
function DrawnRows({ body, count, active, onEnd, draw }: DrawnRowsProps) {
  const [scrollMargin, setMargin] = useState(usualMargin);
  const rows = useWindowVirtualizer({
    count,
    estimateSize: () => usualHeight,
    overscan: 8,
    scrollMargin,
    rangeExtractor: (range) => [...new Set([...defaultRangeExtractor(range), Math.min(active, count - 1)])].toSorted((a, b) => a - b),
  });
  // What stands above may change its height.
  useLayoutEffect(() => {
    const look = () => setMargin(Math.round((body.current?.getBoundingClientRect().top ?? 0) + window.scrollY));
    look();
    const observer = new ResizeObserver(look);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [body]);
  const { measureElement } = rows;
  const isNearEnd = (rows.range?.endIndex ?? 0) > count - fewLeft;
  useEffect(() => {
    if (isNearEnd) onEnd?.();
  });
  // Rows that are drawn already stay as they are while others come into sight.
  const rowAt = useMemo(() => remember(count, (index: number) => draw(index, measureElement)), [count, draw, measureElement]);
  let end = scrollMargin;
  const drawn = rows.getVirtualItems().flatMap(({ index, start, end: its }) => {
    const gap = start - end;
    end = its;
    return [gap > 0 && <Gap key={`before ${index}`} height={gap} />, rowAt(index)];
  });
  return (
    <>
      {drawn}
      <Gap height={rows.getTotalSize() + scrollMargin - end} />
    </>
  );
}

/** In place of rows that are not drawn. */
const Gap = ({ height }: { height: number }) => <tr aria-hidden className={classes["gap"]} style={{ height }} />;

/** Absent for people who may choose none. */
type Chooser = Pick<Selection<unknown>, "has" | "toggle"> | undefined;

const screenful = 10;

/** The arrow keys, J and K move the focus among the rows' links, also to rows that are not drawn yet; Space chooses, with Shift all rows since the last one; Shift and an arrow also the next row. `active`: the row that has or had the focus. */
function useRowKeys(ids: readonly string[], body: RefObject<HTMLElement | null>, selection: Chooser): number {
  const [activeId, setActiveId] = useState<string | null>(null);
  const [moved, setMoved] = useState<{ to: number } | null>(null);
  const active = Math.max(0, ids.indexOf(activeId ?? ""));
  const moveTo = (index: number) => {
    const to = Math.min(Math.max(index, 0), ids.length - 1);
    setActiveId(ids[to] ?? null);
    setMoved({ to });
  };
  const step = (by: number) => {
    if (document.activeElement?.closest('[role="dialog"]')) return;
    moveTo(body.current?.contains(document.activeElement) === true ? active + by : active);
  };
  useHotkeys([
    ["j", () => step(1)],
    ["k", () => step(-1)],
  ]);
  useEffect(() => {
    if (moved !== null) body.current?.querySelector<HTMLElement>(`[data-index="${moved.to}"] a`)?.focus();
  }, [moved, body]);
  useEffect(() => {
    const rows = body.current;
    const onFocus = ({ target: focused }: globalThis.FocusEvent) => {
      const index = focused instanceof Element ? Number(focused.closest("tr")?.dataset["index"] ?? -1) : -1;
      if (index >= 0) setActiveId(ids[index] ?? null);
    };
    const onKeyDown = (event: KeyboardEvent) => {
      const { target: pressed } = event;
      if (pressed instanceof HTMLInputElement || (event.key === " " && pressed instanceof HTMLButtonElement)) return;
      const to = target(event.key, active, ids.length);
      const [id = "", next = ""] = [ids[active], ids[to ?? -1]];
      if (event.key === " " && selection !== undefined) selection.toggle(id, event.shiftKey);
      else if (to === undefined) return;
      else moveTo(to);
      event.preventDefault();
      if (event.shiftKey && next !== "") for (const each of [id, next]) if (selection?.has(each) === false) selection.toggle(each, false);
    };
    rows?.addEventListener("focusin", onFocus);
    rows?.addEventListener("keydown", onKeyDown);
    return () => {
      rows?.removeEventListener("focusin", onFocus);
      rows?.removeEventListener("keydown", onKeyDown);
    };
  });
  return active;
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
