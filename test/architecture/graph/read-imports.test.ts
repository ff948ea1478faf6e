import { expect, test } from "vitest";
import { readImports } from "./read-imports.ts";

test.each([
  ['import { a, type B } from "./x.ts";', { specifier: "./x.ts", typeOnly: false, names: ["a", "B"] }],
  ['import type { B } from "./x.ts";', { specifier: "./x.ts", typeOnly: true, names: ["B"] }],
  ['import whole, * as all from "x";', { specifier: "x", typeOnly: false, names: ["*", "*"] }],
  ['import "x";', { specifier: "x", typeOnly: false, names: [] }],
  ['export { a as b } from "x";', { specifier: "x", typeOnly: false, names: ["a"] }],
  ['export type { A } from "x";', { specifier: "x", typeOnly: true, names: ["A"] }],
  ['export * from "x";', { specifier: "x", typeOnly: false, names: ["*"] }],
  ['const x = await import("x");', { specifier: "x", typeOnly: false, names: ["*"] }],
  ['type X = import("x").Y;', { specifier: "x", typeOnly: true, names: ["*"] }],
])("%s", (text, expected) => {
  expect(readImports("a.ts", text)).toEqual([expected]);
});

test("a text in a comment or a string is no import", () => {
  expect(readImports("a.ts", '// import "x"\nconst y = \'import "x"\';')).toEqual([]);
});

test("a file that cannot be parsed is an error, not a file without imports", () => {
  expect(() => readImports("a.ts", "import {")).toThrow("a.ts cannot be parsed");
});
