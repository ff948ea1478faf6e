import { expect, test } from "vitest";
import { graphOf, readGraph } from "../graph/read-graph.ts";
import { findCycles } from "./find-cycles.ts";

test("no file imports itself, by whatever way round", () => {
  expect(findCycles(readGraph())).toEqual([]);
});

test("a cycle is found across packages and through types", () => {
  const graph = graphOf({
    "shared/src/c.ts": 'import type { B } from "./b.ts";',
    "shared/src/b.ts": 'export { a } from "shared/a";',
    "shared/src/a.ts": 'const c = () => import("./c.ts");',
    "shared/src/d.ts": 'import "./a.ts"; import "./b.ts";',
  });
  expect(findCycles(graph)).toEqual([["shared/src/a.ts", "shared/src/c.ts", "shared/src/b.ts"]]);
});

test("two ways to one file are no cycle", () => {
  const graph = graphOf({
    "a.ts": 'import "./b.ts"; import "./c.ts";',
    "b.ts": 'import "./d.ts";',
    "c.ts": 'import "./d.ts";',
    "d.ts": "",
  });
  expect(findCycles(graph)).toEqual([]);
});
