import { useHotkeys } from "@mantine/hooks";
import { type RefObject, useEffect, useState } from "react";
import type { Selection } from "./selection.tsx";

/** Absent for people who may choose none. */
type Chooser = Pick<Selection<unknown>, "has" | "toggle"> | undefined;

const screenful = 10;

/** The arrow keys, J and K move the focus among the rows' links, also to rows that are not drawn yet; Space chooses, with Shift all rows since the last one; Shift and an arrow also the next row. `active`: the row that has or had the focus. */
export function useRowKeys(ids: readonly string[], body: RefObject<HTMLElement | null>, selection: Chooser): number {
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
