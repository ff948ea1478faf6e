import { useHotkeys } from "@mantine/hooks";
import { useCallback, useEffect, useState, type KeyboardEvent, type RefObject } from "react";

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
