import fc from "fast-check";
import { expect, test } from "vitest";
import { data } from "../../../test/support/data.ts";
import type { JsonValue } from "./json.ts";
import { findableOf, orderNames, readSearch, searchWords } from "./search.ts";

test.each(data<[string, string[]][]>("core-search", "s is the words j"))("%s is the words %j", (text, words) => {
  expect(searchWords(text)).toEqual(words);
});

test("letters of other scripts are found by a part of their word", () => {
  const [word = ""] = searchWords("عليسا");
  expect(word).toMatch(/^[a-z0-9]{20}$/);
  expect(word).toContain(searchWords("ليس")[0]);
});

test.each(data<[string, null | string[][]][]>("core-search", "s looks for j"))("%s looks for %j", (text, lists) => {
  expect(readSearch(text)).toEqual(lists);
});

const payload = {
  order: { number: "A-10042", id: 774411, total: "49.90", placed_at: "2026-11-20T08:00:00Z" },
  customer: { first_name: "Ada", last_name: "Lovelace", email: "ada@example.com", phone: "+49 170 1234567" },
  data: { tracking_number: "00340434161094", url: "https://shop.example/x", gift: true, note: "x".repeat(101) },
};

test("an event is found by its order and its short values; what may be a person's stands apart", () => {
  const { open, personal, customer } = findableOf(payload);
  expect(open).toEqual(expect.arrayContaining(["a", "10042", "774411", "49", "90", "00340434161094"]));
  expect(personal).toEqual(expect.arrayContaining(["ada", "lovelace", "example", "com", "491701234567"]));
  // A number of the order that is the customer's phone is the customer's.
  const named = findableOf({ customer: { phone: "+491701234567" }, order: { id: "491701234567", number: "1042" } });
  expect([named.open, named.personal.includes("491701234567")]).toEqual([["1042"], true]);
  expect(open.join(" ")).not.toMatch(/ada|lovelace|example|1701234567|xxx|2026/);
  expect(customer).toBe("Ada Lovelace");
});

test("a customer without a name has none, nor has what is no object", () => {
  for (const none of [{}, { customer: { name: " \n" } }, [], null, "x", 7]) expect(findableOf(none).customer).toBeNull();
  expect(findableOf({ customer: { name: "Ada\n Lovelace" } }).customer).toBe("Ada Lovelace");
});

test("whatever it holds, an event is found by a bounded number of words of letters and digits, and found again by what was written", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const { open, personal } = findableOf(value as JsonValue);
      for (const words of [open, personal]) expect(words.join(" ").length).toBeLessThanOrEqual(700);
      for (const word of [...open, ...personal]) expect(word).toMatch(/^[a-z0-9]{1,40}$/);
    }),
  );
  fc.assert(
    fc.property(fc.string({ unit: "binary", minLength: 1, maxLength: 60 }), (text) => {
      const words = new Set(Object.values(findableOf({ order: { ref: text } })).flat());
      const [first = []] = readSearch(text) ?? [];
      const isLeftOut = /^\d{4}-|:\/\//.test(text);
      expect(isLeftOut ? [] : first.filter((word) => !words.has(word))).toEqual([]);
    }),
  );
});

test.each(["#1001 A", "##1001a", "＃1001A", "# 1001  a", "１００１Ａ"])("an order called %j is one of the names of 1001A", (stored) => {
  expect(orderNames(stored).filter((name) => orderNames("1001A").includes(name))).not.toEqual([]);
});

test.each(["#1001", "##1001", "＃1001", "# 1001", "1001"])("1001 may be an order called %j, and is found by it", (stored) => {
  expect([orderNames("1001").includes(stored), orderNames(stored).includes("1001")]).toEqual([true, true]);
});
