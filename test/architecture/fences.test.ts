import { describe, expect, test } from "vitest";
import { data } from "../support/data.ts";
import { breaches, stepBreaches } from "./fences.ts";
import { graphOf, readGraph, type Graph } from "./graph.ts";
import { zones } from "./zones.ts";

describe("breaches", () => {
  const project = readGraph();

  test("the project's own files were read", () => {
    expect(project.size).toBeGreaterThan(50);
  });

  test("nobody imports what the fences refuse", () => {
    expect(breaches(project, zones)).toEqual([]);
  });

  test("the steps of the ingest spine are composed in one place", () => {
    expect(stepBreaches(project)).toEqual([]);
  });

  describe("each fence refuses what it is there for", () => {
    test.each(data<[string, string][]>("test-architecture-fences", "examples"))("%s: %s", (path, text) => {
      expect(breaches(graphOf({ [path]: text }), zones)).toHaveLength(1);
    });

    test.each(data<[string, string][]>("test-architecture-fences", "and lets through s s"))("and lets through %s: %s", (path, text) => {
      expect(breaches(graphOf({ [path]: text }), zones)).toEqual([]);
    });

    test("a step that takes another step's value, or the composer itself", () => {
      const files = {
        "gateway/src/ingest/settle.ts": 'import { claim } from "./claim.ts";',
        "gateway/src/ingest/plan.ts": 'import { x } from "./dispatch/wave.ts";',
        "gateway/src/ingest/recover.ts": 'import { x } from "./ingest.ts";',
      };
      expect(stepBreaches(graphOf(files))).toHaveLength(3);
    });

    test("but not its types, its own parts, or the composer", () => {
      const files = {
        "gateway/src/ingest/settle.ts": 'import type { Claimed } from "./claim.ts"; import { x } from "./settle/answer.ts";',
        "gateway/src/ingest/ingest.ts": 'import { claim } from "./claim.ts"; import { settle } from "./settle.ts";',
        "gateway/src/ingest/plan.ts": 'import { Refusal } from "../refusal.ts";',
      };
      expect(stepBreaches(graphOf(files))).toEqual([]);
    });
  });
});

describe("app router", () => {
  test("the dashboard names the server's AppRouter and nothing else of it", () => {
    expect(otherNames(readGraph())).toEqual([]);
  });

  test("any other name is found", () => {
    const text = 'import type { AppRouter, Context } from "admin-server/router"; import type * as all from "admin-server/context";';
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
});
