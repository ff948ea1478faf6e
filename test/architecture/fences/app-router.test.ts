import { expect, test } from "vitest";
import { graphOf, readGraph, type Graph } from "../graph/read-graph.ts";

test("the dashboard names the server's AppRouter and nothing else of it", () => {
  expect(otherNames(readGraph())).toEqual([]);
});

test("any other name is found", () => {
  const text = 'import type { AppRouter, Context } from "admin-server/router"; type X = import("admin-server/context").Context;';
  expect(otherNames(graphOf({ "admin-web/src/trpc.ts": text }))).toEqual(["admin-web/src/trpc.ts: Context", "admin-web/src/trpc.ts: *"]);
});

function otherNames(graph: Graph): string[] {
  return [...graph]
    .filter(([path]) => path.startsWith("admin-web/"))
    .flatMap(([path, edges]) =>
      edges
        .filter((edge) => edge.name.startsWith("admin-server/"))
        .flatMap((edge) => edge.names)
        .filter((name) => name !== "AppRouter")
        .map((name) => `${path}: ${name}`),
    );
}
