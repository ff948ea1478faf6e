import { expect, test } from "vitest";
import { typeOf, weightOf } from "./field.ts";

test("every value has its type", () => {
  expect([null, [], {}, "", 0, 1n, false].map(typeOf)).toEqual(["null", "array", "object", "string", "number", "number", "boolean"]);
});

test("null tells nothing, an empty text only its type, anything else all", () => {
  const weights = [
    weightOf({ type: "null", sample: null }),
    weightOf({ type: "string", sample: null }),
    weightOf({ type: "string", sample: "x" }),
    weightOf({ type: "object", sample: null }),
    weightOf({ type: "array", sample: null }),
  ];
  expect(weights).toEqual([0, 1, 2, 2, 2]);
});
