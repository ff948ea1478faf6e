import { expect, test, describe } from "vitest";
import { typeOf, weightOf, conventionalKeys, conventionOf, isDataKey, isPlainWord } from "./learn.ts";

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
