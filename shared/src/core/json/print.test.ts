import fc from "fast-check";
import { expect, test } from "vitest";
import { hostileJson } from "../../../../test/support/arbitrary/hostile-json.ts";
import { parseJson } from "./parse.ts";
import { printJson } from "./print.ts";
import type { JsonObject, JsonValue } from "./value.ts";

const seeded = { seed: 2, numRuns: 500 };

test.each<[JsonValue, string]>([
  [2n ** 64n, "18446744073709551616"],
  [{ a: [1n, "x", null], b: {}, c: [] }, '{"a":[1,"x",null],"b":{},"c":[]}'],
  [[Number.POSITIVE_INFINITY, 1n], "[null,1]"],
  ["\ud800", '"\\ud800"'],
])("%o prints as %s", (value, text) => {
  expect(printJson(value)).toBe(text);
});

test("leaves out members without a value as JSON.stringify does", () => {
  const object: Record<string, unknown> = { a: undefined, b: 1n };
  expect(printJson(object as JsonObject)).toBe('{"b":1}');
});

test("equals JSON.stringify, whichever way it goes", { timeout: 60_000 }, () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
      const native = JSON.stringify(value);
      expect(printJson(value as JsonValue)).toBe(native);
      // The bigint sends the whole value the other way.
      expect(printJson([value as JsonValue, 1n])).toBe(`[${native},1]`);
    }),
    seeded,
  );
});

test("what it prints of anything parses back to the same print", { timeout: 60_000 }, () => {
  fc.assert(
    fc.property(hostileJson, (value) => {
      const text = printJson(value);
      expect(printJson(parseJson(text))).toBe(text);
    }),
    seeded,
  );
});
