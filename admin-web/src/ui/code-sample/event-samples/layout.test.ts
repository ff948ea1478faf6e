import { expect, test } from "vitest";
import { layOutJson } from "./layout.ts";

const long = "x".repeat(70);

test("what fits stands on one line, what does not takes one for each member", () => {
  expect(layOutJson({ a: 1, b: ["c", { d: "e" }] })).toBe('{"a": 1, "b": ["c", {"d": "e"}]}');
  expect(layOutJson({ a: { b: 1 }, c: [long, 2] })).toBe(`{\n  "a": {"b": 1},\n  "c": [\n    "${long}",\n    2\n  ]\n}`);
});

test("however it is laid out it stays the same JSON", () => {
  const value = { 'quo"te': long, list: [[], {}, [long, long]], empty: "", n: -1.5, deep: { deeper: { deepest: long } } };
  expect(JSON.parse(layOutJson(value))).toEqual(value);
});
