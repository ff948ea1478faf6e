import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hostileJson } from "../../../test/support/arbitrary/json.ts";
import { data } from "../../../test/support/data.ts";
import { lookUp, parseJson, pathProblem } from "./json.ts";

describe("lookUp", () => {
  const payload = parseJson(
    '{"order":{"items":[{"name":"Mug"},{"name":"Tea"}],"id":0},"a":{"__proto__":{"b":1},"":2},"text":"abc","many":["a","b","c","d","e","f","g","h","i","j","k"]}',
  );

  test.each(data<[string, string | number][]>("core-path", "s is j"))("%s is %j", (path, value) => {
    expect(lookUp(payload, path)).toBe(value);
  });

  test.each(data<string[]>("core-path", "leads nowhere"))("%j leads nowhere", (path) => {
    expect(lookUp(payload, path)).toBeUndefined();
  });

  test("finds nothing that only a prototype has, in anything", () => {
    const inherited = fc.constantFrom("constructor", "__proto__", "toString", "hasOwnProperty", "valueOf", "push", "length");
    fc.assert(
      fc.property(hostileJson, inherited, (value, key) => {
        const own = typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).includes(key);
        expect(lookUp(value, key) !== undefined).toBe(own);
      }),
      { seed: 4, numRuns: 500 },
    );
  });
});

describe("pathProblem", () => {
  test.each(["customer.first_name", "order.items.0.name", "data.Größe in cm", "a", "a".repeat(512), "items[x]"])("%s is fine", (path) => {
    expect(pathProblem(path)).toBeNull();
  });

  test.each(data<[string, RegExp][]>("core-path", "is no path"))("%j: %s", (path, problem) => {
    expect(pathProblem(path)).toMatch(problem);
  });
});
