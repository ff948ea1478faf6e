import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { findCycles, readGraph, root } from "./graph.ts";

/** `npm run shape`: how many source files there are, how long they are, and how many other files import them. Tests are left out. */
const graph = readGraph();
const isSource = (path: string) =>
  /^(?:gateway|admin-server|admin-web|shared)\//u.test(path) && /\.tsx?$/u.test(path) && !path.includes(".test.");
const files = [...graph.keys()].filter(isSource);
const lengths = files.map((path) => readFileSync(join(root, path), "utf8").split("\n").length - 1).toSorted((a, b) => a - b);
const at = (share: number) => lengths[Math.min(Math.floor(lengths.length * share), lengths.length - 1)] ?? 0;

const importers = new Map<string, number>();
for (const path of files) {
  const named = (graph.get(path) ?? []).flatMap(({ kind, name }) => (kind === "file" ? [name] : []));
  for (const name of new Set(named)) importers.set(name, (importers.get(name) ?? 0) + 1);
}
const alone = files.filter((path) => importers.get(path) === 1).length;

const rows: [string, string | number][] = [
  ["source files", files.length],
  ["folders with source", new Set(files.map(dirname)).size],
  ["lines", lengths.reduce((sum, length) => sum + length, 0)],
  ["median / p90 / longest", `${at(0.5)} / ${at(0.9)} / ${at(1)}`],
  ["files of 15 lines or fewer", lengths.filter((length) => length <= 15).length],
  ["files with exactly one importer", `${alone} (${((100 * alone) / files.length).toFixed(1)} %)`],
  ["import circles, types counted", findCycles(graph).length],
];
for (const [name, value] of rows) process.stdout.write(`${name.padEnd(34)}${value}\n`);
