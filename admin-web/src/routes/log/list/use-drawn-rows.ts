import { useMediaQuery } from "@mantine/hooks";
import { useEffect, useLayoutEffect, useState, type RefObject } from "react";

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
