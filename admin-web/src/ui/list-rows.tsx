import { useWindowEvent } from "@mantine/hooks";
import { defaultRangeExtractor, useWindowVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, type Ref, type RefObject, useEffect, useLayoutEffect, useState } from "react";
import { flushSync } from "react-dom";
import { useRowKeys } from "./row-keys.ts";
import type { Selection } from "./selection.tsx";
import classes from "./data-table.module.css";

/** Of shorter lists every row is drawn. */
const many = 30;
/** The height of a row before it is measured, in pixels. */
const usualHeight = 44;
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
  const [scrollMargin, setMargin] = useState(0);
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
  const isNearEnd = (rows.range?.endIndex ?? 0) > count - fewLeft;
  useEffect(() => {
    if (isNearEnd) onEnd?.();
  });
  let end = scrollMargin;
  const drawn = rows.getVirtualItems().flatMap(({ index, start, end: its }) => {
    const gap = start - end;
    end = its;
    return [gap > 0 && <Gap key={`before ${index}`} height={gap} />, draw(index, rows.measureElement)];
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
