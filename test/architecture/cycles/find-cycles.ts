import type { Graph } from "../graph/read-graph.ts";

/** Import cycles among our own files, each as the list of its files from the first in the alphabet; types count, since a cycle of types is one of ideas. */
export function findCycles(graph: Graph): string[][] {
  const state = new Map<string, "open" | "done">();
  const cycles: string[][] = [];
  const trail: string[] = [];

  function visit(path: string): void {
    if (state.get(path) === "done") return;
    if (state.get(path) === "open") {
      cycles.push(fromFirst(trail.slice(trail.indexOf(path))));
      return;
    }
    state.set(path, "open");
    trail.push(path);
    for (const edge of graph.get(path) ?? []) if (edge.kind === "file") visit(edge.name);
    trail.pop();
    state.set(path, "done");
  }

  for (const path of graph.keys()) visit(path);
  return cycles;
}

function fromFirst(cycle: string[]): string[] {
  const start = cycle.indexOf(cycle.toSorted()[0] ?? "");
  return [...cycle.slice(start), ...cycle.slice(0, start)];
}
