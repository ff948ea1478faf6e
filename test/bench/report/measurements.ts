import type { Measured } from "../load/measure.ts";
import { median } from "../load/percentile.ts";
import { type Figure, figureText } from "./figure.ts";
import { cell, row, say } from "./print.ts";

const columns: [string, keyof Measured, number][] = [
  ["req/s", "throughput", 0],
  ["p50 ms", "p50", 2],
  ["p99 ms", "p99", 2],
  ["server µs", "serverCpu", 0],
  ["database µs", "databaseCpu", 0],
  ["platform µs", "platformCpu", 0],
  ["load µs", "loadCpu", 0],
  ["MB", "residentMegabytes", 0],
  ["failed", "failed", 0],
];

/** A row a contestant: medians of its rounds, CPU a request. */
export function printMeasurements(title: string, results: Record<string, Measured[]>): void {
  say(`\n${title}`);
  row(["", ...columns.map(([name]) => name)]);
  for (const [contestant, rounds] of Object.entries(results)) {
    row([contestant, ...columns.map(([, member, decimals]) => cell(median(rounds.map((round) => round[member])), decimals))]);
  }
  const failed = Object.values(results)
    .flat()
    .filter((round) => round.failed > 0);
  if (failed.length > 0) say(`requests failed in ${failed.length} of these measurements: do not trust them`);
}

/** Compares two contestants round by round; the figure is the median. */
export function ratioOf<Round>(
  figure: Omit<Figure, "value">,
  rounds: readonly Round[],
  references: readonly Round[],
  value: (round: Round) => number,
  compare: (one: number, reference: number) => number = (one, reference) => one / reference,
): Figure {
  const ratios = rounds.map((round, i) => compare(value(round), references[i] === undefined ? NaN : value(references[i])));
  const result = { ...figure, value: median(ratios) };
  say(`${result.name}: ${figureText(result)}   round by round ${ratios.map((ratio) => cell(ratio, figure.decimals ?? 2)).join("  ")}`);
  return result;
}
