import { defaultRangeExtractor, useWindowVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, type Ref, type RefObject, useLayoutEffect, useState } from "react";
import classes from "./ui.module.css";

/** The height of a row before it is measured, in pixels. */
const usualHeight = 44;

interface DrawnRowsProps {
  body: RefObject<HTMLElement | null>;
  count: number;
  /** The row that is always drawn, so that it keeps the focus. */
  active: number;
  draw: (index: number, measure: Ref<HTMLTableRowElement>) => ReactNode;
}

/** The rows in sight of a long list that scrolls with the window. */
export function DrawnRows({ body, count, active, draw }: DrawnRowsProps) {
  const [scrollMargin, setMargin] = useState(0);
  const rows = useWindowVirtualizer({
    count,
    estimateSize: () => usualHeight,
    overscan: 12,
    scrollMargin,
    rangeExtractor: (range) => [...new Set([...defaultRangeExtractor(range), Math.min(active, count - 1)])].toSorted((a, b) => a - b),
  });
  // What stands above may change its height with each drawing.
  useLayoutEffect(() => {
    if (body.current !== null) setMargin(Math.round(body.current.getBoundingClientRect().top + window.scrollY));
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
