import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../json/value.ts";
import { chooseKeys } from "./choose-keys.ts";

const many = (count: number, entry: (n: number) => [string, JsonValue]): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => entry(n)));
const letters = (n: number): string => Array.from(n.toString(26), (digit) => String.fromCharCode(97 + Number.parseInt(digit, 26))).join("");

test("keys come in their order, each once, from all objects", () => {
  expect(
    chooseKeys([
      { b: 1, a: 2 },
      { c: 3, b: null },
    ]),
  ).toEqual(["b", "a", "c"]);
  expect(chooseKeys([])).toEqual([]);
});

test("of keys that count there are three, over all objects; other digits in a key do not count", () => {
  expect(
    chooseKeys([
      { "10": 1, "20": 2, a: 3 },
      { "30": 4, "40": 5, "1st": 6, b1: 7 },
    ]),
  ).toEqual(["10", "20", "a", "30", "1st", "b1"]);
});

test("three hundred are a record, one more is a list of which a few stand for all", () => {
  expect(chooseKeys([many(300, (n) => [`key${n}`, "text"])])).toHaveLength(300);
  expect(chooseKeys([many(301, (n) => [`key${n}`, "text"])])).toEqual(["key0", "key1", "key2"]);
});

describe("in a long list", () => {
  const list = many(301, (n) => [`key${n}`, "text"]);

  test("what stands out comes first", () => {
    expect(chooseKeys([{ ...list, invoice: "R-7", total: 5 }])).toEqual(["invoice", "total", "key0", "key1", "key2"]);
  });

  test("up to fifty that look alike stay", () => {
    const words = (count: number) => many(count, (n) => [`word_${letters(n)}`, true]);
    expect(chooseKeys([{ ...list, ...words(50) }])).toHaveLength(50 + 3);
    expect(chooseKeys([{ ...list, ...words(51) }])).toHaveLength(3 + 3);
  });

  test.each<[string, JsonObject]>([
    ["numbers in words", { line_12: "x", row7: "x", a1f: "x", "7th": "x" }],
    ["words", { abc: "x", größe: "x" }],
  ])("%s", (_, keys) => {
    const alike = many(60, (n) => [Object.keys(keys)[0] === "abc" ? letters(n + 1000) : `r${n}`, "x"]);
    const chosen = chooseKeys([{ ...list, ...alike, ...keys }]);
    expect(chosen.filter((key) => key in keys && !key.includes("_"))).toEqual([]);
  });

  test("values that look otherwise make another group, by the types of their first eight members in any order", () => {
    const mixed = {
      ...many(301, (n) => [`k${n}`, { a: n, b: "x" }]),
      k301: { b: "x", a: 1 },
      k302: { a: "x", b: "x" },
      k303: { c: [1] },
      k304: [1],
      k305: null,
    };
    expect(chooseKeys([mixed])).toEqual(
      ["k303", "k304", "k305", "k0", "k1", "k2"].flatMap((key) => (key === "k303" ? ["k302", key] : [key])),
    );
    const wide = (last: JsonValue): JsonValue => ({ ...many(8, (n) => [`m${letters(n)}`, n]), zz: last });
    const both = { ...many(301, (n) => [`k${n}`, wide(1)]), k301: wide("x") };
    expect(chooseKeys([both])).toEqual(["k0", "k1", "k2"]);
  });
});

test("what cannot stand in a path is left out", () => {
  expect(chooseKeys([{ "a.b": 1, "": 1, "ada@example.com": 1, "a\0": 1, fine: 1 }])).toEqual(["fine"]);
});
