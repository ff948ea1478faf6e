import { cell, row, say } from "./print.ts";

/** One result of a benchmark, with the bar that it has to reach, if there is one. */
export interface Figure {
  name: string;
  value: number;
  unit?: string | undefined;
  atLeast?: number | undefined;
  atMost?: number | undefined;
  decimals?: number | undefined;
}

/** `≥ 1.3 reached`; empty without a bar. */
export function verdict({ value, atLeast, atMost }: Figure): string {
  if (atLeast === undefined && atMost === undefined) return "";
  const bar = atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast}`;
  if (Number.isNaN(value)) return `${bar} not measured`;
  return `${bar} ${value >= (atLeast ?? -Infinity) && value <= (atMost ?? Infinity) ? "reached" : "NOT REACHED"}`;
}

export const figureText = (figure: Figure): string =>
  [cell(figure.value, figure.decimals ?? 2), figure.unit, verdict(figure)].filter((part) => part !== undefined && part !== "").join(" ");

/** Everything that was measured, last: those with a bar first. */
export function printFigures(figures: readonly Figure[]): void {
  const hasBar = (figure: Figure): boolean => verdict(figure) !== "";
  const width = Math.max(0, ...figures.map(({ name }) => name.length)) + 2;
  say("\nAll figures");
  for (const figure of [...figures.filter(hasBar), ...figures.filter((each) => !hasBar(each))]) {
    row([figure.name, cell(figure.value, figure.decimals ?? 2), ` ${figure.unit ?? ""}`.padEnd(10), verdict(figure)], width);
  }
}
