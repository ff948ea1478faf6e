import type { Cluster } from "./cluster.ts";
import { type Measured, median } from "./load.ts";

/** The settings of a benchmark. */
export interface Run {
  cluster: Cluster;
  rounds: number;
  /** The seconds of a load. */
  seconds: number;
  /** The seconds of the same load before each, which do not count. */
  warmUp: number;
  /** Small sizes, which only show whether the benchmark works. */
  quick: boolean;
  /** The folder of another built checkout. */
  checkout: string | null;
}

/** Measures, prints, and answers the figures for the table at the end. */
export type Benchmark = (run: Run) => Promise<Figure[]>;

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

/** Prints a row for each contestant: medians of its rounds, CPU for each request. */
export function printMeasurements(title: string, results: Record<string, Measured[]>): void {
  say(`\n${title}`);
  row(["", ...columns.map(([name]) => name)]);
  for (const [contestant, rounds] of Object.entries(results))
    row([contestant, ...columns.map(([, member, decimals]) => cell(median(rounds.map((round) => round[member])), decimals))]);
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
function verdict({ value, atLeast, atMost }: Figure): string {
  if (atLeast === undefined && atMost === undefined) return "";
  const bar = atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast}`;
  if (Number.isNaN(value)) return `${bar} not measured`;
  return `${bar} ${value >= (atLeast ?? -Infinity) && value <= (atMost ?? Infinity) ? "reached" : "NOT REACHED"}`;
}

export const figureText = (figure: Figure): string =>
  [cell(figure.value, figure.decimals ?? 2), figure.unit, verdict(figure)].filter((part) => part !== undefined && part !== "").join(" ");

/** Prints all figures, at the end: those with a bar first. */
export function printFigures(figures: readonly Figure[]): void {
  const hasBar = (figure: Figure): boolean => verdict(figure) !== "";
  const width = Math.max(0, ...figures.map(({ name }) => name.length)) + 2;
  say("\nAll figures");
  for (const figure of [...figures.filter(hasBar), ...figures.filter((each) => !hasBar(each))])
    row([figure.name, cell(figure.value, figure.decimals ?? 2), ` ${figure.unit ?? ""}`.padEnd(10), verdict(figure)], width);
}

/** Prints a line. The benchmarks print for people: one line at a time, columns of one width. */
export const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** A number with this many decimals; a dash if it could not be measured. */
export const cell = (value: number, decimals = 0): string => (Number.isNaN(value) ? "–" : value.toFixed(decimals));

/** The first column names the row and is `width` wide. */
export const row = (cells: string[], width = 12): void =>
  say(cells.map((text, i) => (i === 0 ? text.padEnd(width) : text.padStart(13))).join(""));
