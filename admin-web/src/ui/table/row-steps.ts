import { useHotkeys } from "@mantine/hooks";

const keys = { j: 1, k: -1, ArrowDown: 1, ArrowUp: -1 };

/** The rows of a page that are no links, of all its lists. */
const rows = "main :is(table:not([data-links]) tbody tr, ol article)";

/** J, K and the arrow keys move the focus among them: to what a row has first to press, else to the row. A list of links has its own. */
export function useRowSteps(): void {
  useHotkeys(Object.entries(keys).map(([key, by]) => [key, (event) => step(event, by), { preventDefault: false }]));
}

function step(event: KeyboardEvent, by: number): void {
  const focused = document.activeElement;
  const isTaken =
    event.defaultPrevented || focused?.closest('[role="dialog"], [role="menu"]') || document.querySelector("main [data-links]");
  const all = isTaken ? [] : [...document.querySelectorAll<HTMLElement>(rows)];
  const at = all.findIndex((row) => row.contains(focused));
  const row = at === -1 ? all[0] : (all[at + by] ?? all[at]);
  // Without a row they scroll the page.
  if (row === undefined || (at === -1 && event.key.startsWith("Arrow"))) return;
  row.tabIndex = -1;
  (row.querySelector<HTMLElement>("a, button") ?? row).focus();
  event.preventDefault();
}
