import type { Graph } from "../graph/read-graph.ts";

const folder = "gateway/src/ingest/";
const steps = ["authenticate", "plan", "claim", "dispatch", "settle", "recover"];

/**
 * Every place where one step of the ingest spine takes a value of another. Only `ingest.ts` composes them; they may name each other's types,
 * since each step's input is what the step before it made.
 */
export function stepBreaches(graph: Graph): string[] {
  return [...graph].flatMap(([path, edges]) => {
    if (!path.startsWith(folder) || path === `${folder}ingest.ts` || path.endsWith(".test.ts")) return [];
    return edges
      .filter((edge) => !edge.typeOnly && edge.kind === "file")
      .filter((edge) => edge.name === `${folder}ingest.ts` || (stepOf(edge.name) !== undefined && stepOf(edge.name) !== stepOf(path)))
      .map((edge) => `${path} takes a value of ${edge.name}: let ingest.ts hand it over`);
  });
}

/** The step that a file belongs to: `claim.ts` and everything in `claim/`. */
function stepOf(path: string): string | undefined {
  if (!path.startsWith(folder)) return undefined;
  const name = path.slice(folder.length).split(/[/.]/u)[0] ?? "";
  return steps.includes(name) ? name : undefined;
}
