import { expect, test, describe } from "vitest";
import { data } from "../support/data.ts";
import { readImports, graphOf, readGraph, findCycles } from "./graph.ts";

describe("read imports", () => {
  test.each(data<[string, object][]>("test-architecture-graph", "examples"))("%s", (text, expected) => {
    expect(readImports("a.ts", text)).toEqual([expected]);
  });

  test("a text in a comment or a string is no import", () => {
    expect(readImports("a.ts", '// import "x"\nconst y = \'import "x"\';')).toEqual([]);
  });

  test("a file that cannot be parsed is an error, not a file without imports", () => {
    expect(() => readImports("a.ts", "import {")).toThrow("a.ts cannot be parsed");
  });
});

describe("find cycles", () => {
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
});
