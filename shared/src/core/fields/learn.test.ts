import { expect, test, describe } from "vitest";
import type { JsonObject, JsonValue } from "../json.ts";
import { typeOf, weightOf, conventionalKeys, conventionOf, isDataKey, isPlainWord, chooseKeys } from "./learn.ts";

describe("field", () => {
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
});

describe("conventional", () => {
  test("the keys that events have by convention, whichever element of an array they are in", () => {
    expect(conventionalKeys("")).toEqual(["event", "test", "site", "data", "customer", "order", "cart"]);
    expect(conventionalKeys("customer")).toEqual(["first_name", "last_name", "full_name", "email", "phone_e164"]);
    expect(conventionalKeys("order")).toEqual(
      "id number status total currency items_count order_url_customer tracking_number tracking_carrier items".split(" "),
    );
    expect(conventionalKeys("cart")).toEqual(["id", "total", "currency", "items_count", "recovery_url", "items"]);
    expect(conventionalKeys("site")).toEqual(["name", "url"]);
    for (const path of ["order.items[]", "cart.items[]", "order.items.0", "cart.items.12"]) {
      expect(conventionalKeys(path)).toEqual(["name", "qty", "price"]);
    }
  });

  test.each(["order.items", "order.id", "order.items[].name", "order.items[].name.first", "invoice", "orders"])(
    "%s leads to no such keys",
    (path) => {
      expect(conventionalKeys(path)).toEqual([]);
    },
  );

  test.each([
    ["event", 2],
    ["order", 2],
    ["order.items", 2],
    ["order.items[]", 2],
    ["order.items.0", 2],
    ["cart.items.12.price", 2],
    ["customer.phone_e164", 2],
    ["customer.locale", 1],
    ["order.items[].colour", 1],
    ["data[].x", 1],
    ["site.name.first", 1],
    ["event[]", 2],
    ["invoice", 0],
    ["orders.id", 0],
    ["my.order.id", 0],
  ])("%s: %d", (path, convention) => {
    expect(conventionOf(path)).toBe(convention);
  });
});

describe("data key", () => {
  test.each([
    "ada@example.com",
    "a@b",
    "12345",
    "+49 (170) 123.45-67",
    "＋４９　１７０－１２３４",
    "٤٩١٧٠",
    "2026-05",
    "2026-05-18",
    "2026-05-18T10:00:00Z",
    "2026-05 draft",
    "0f8fad5b-d9cb-469f-a165-70867728950e",
    "0F8FAD5B-D9CB-",
    "507f1f77bcf86cd799439011",
    "deadbeef12",
    "DEADBEEF12",
    "12deadbeef",
    "cus_9s6XKzkNRiz8i3",
    "ABCDEFGHIJK123",
    "abc1defgh2ijk3",
    "x".repeat(65),
  ])("%s is data", (key) => {
    expect(isDataKey(key)).toBe(true);
  });

  test.each([
    "x".repeat(64),
    "name",
    "phone_e164",
    "line2",
    "a @ b",
    "see ada@example.com",
    "ada@example.com b",
    "@",
    "1234",
    "１２３４",
    "x12345",
    "12345x",
    "v2026-05-18",
    "x0f8fad5b-d9cb-469f",
    "0f8fad5b-d9cb",
    "deadbeef1",
    "deadbeefca",
    "deadbeefc1",
    "xdeadbeef12",
    "deadbeef12x",
    "address_line_1",
    "abcdefghijkl12",
    "abcdefghij123",
  ])("%s is none", (key) => {
    expect(isDataKey(key)).toBe(false);
  });

  test.each([
    ["a", true],
    ["first_name", true],
    ["utm-Source", true],
    [`a${"b".repeat(31)}`, true],
    [`a${"b".repeat(32)}`, false],
    ["", false],
    ["_id", false],
    ["line2", false],
    ["a.b", false],
    ["two words", false],
  ])("%j is a plain word: %s", (key, plain) => {
    expect(isPlainWord(key)).toBe(plain);
  });
});

describe("choose keys", () => {
  const many = (count: number, entry: (n: number) => [string, JsonValue]): JsonObject =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => entry(n)));
  const letters = (n: number): string =>
    Array.from(n.toString(26), (digit) => String.fromCharCode(97 + Number.parseInt(digit, 26))).join("");

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
});
