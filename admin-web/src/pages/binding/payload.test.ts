import { expect, test } from "vitest";
import { eventOption, jsonFault } from "./payload.tsx";
import { fieldsOf } from "./slot-fields.tsx";

test.each([
  ["", 1, 1, "the text ends, expected a value"],
  ["{", 1, 2, "the text ends, expected a name in double quotes or }"],
  ['{\n  "a": 1,\n}', 3, 1, "expected a name in double quotes"],
  ["{'a': 1}", 1, 2, "expected a name in double quotes or }"],
  ['{"a" 1}', 1, 6, "expected a colon"],
  ['{"a": }', 1, 7, "expected a value"],
  ['{"a": 1 "b": 2}', 1, 9, "expected a comma or }"],
  ["[1, 2", 1, 6, "the text ends, expected a comma or ]"],
  ["[1}", 1, 3, "expected a comma or ]"],
  ["{} x", 1, 4, "expected the end of the text"],
  ['{"a": "b\r\nc"}', 1, 7, "expected a value"],
  ["{\r\n\r\n01", 3, 1, "expected a name in double quotes or }"],
  ["[\n 01]", 2, 2, "expected a value or ]"],
])("%j is no JSON from line %i, column %i on", (text, line, column, message) => {
  expect(jsonFault(text)).toEqual({ line, column, message });
});

const good = [
  "{}",
  "[]",
  " [ ] ",
  '""',
  "0",
  "-0.5e+3",
  "true",
  "null",
  '{"a":[{"b":null},1,"x"],"c":{}}',
  '"\\u00e9\\n\\""',
  '"\u007f\u2028"',
];
const bad = [
  "-",
  "1.",
  ".5",
  "+1",
  "1e",
  "tru",
  "nulll",
  '"\\x"',
  '"\\u12"',
  '"a',
  '"\u0000"',
  "[,]",
  "[1,]",
  "{,}",
  '{"a":1,,}',
  "{]",
  "]",
];
const odd = ["1 2", "\u00a01", "\ufeff{}", "NaN", "{a:1}", "//", "[1]]", '{"a":1}}', '{"a":"😀"}', "1.5.2", "0x1", '"\t"'];

test.each([...good, ...bad, ...odd])("%j is JSON just when the parser takes it", (text) => {
  expect(jsonFault(text) === null).toBe(parses(text));
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test("an event is named by its order and its customer, as far as they are known", () => {
  const event = { id: "1", orderNumber: "10042", customer: "Ada", receivedAt: new Date().toISOString(), test: false, dryRun: false };
  expect(eventOption(event as never).label).toMatch(/^10042, Ada, \d+:\d\d/u);
  expect(eventOption({ ...event, orderNumber: null, customer: null, test: true } as never).label).toMatch(/^Event, \d.* \(test\)$/u);
});

test("a pasted event adds the fields that no event of the site had", () => {
  const known = [{ path: "order.id", type: "string", sample: "7", lastSeenAt: "2026-11-20T08:00:00Z" }] as const;
  const added = fieldsOf('{"order":{"id":"8","tracking_number":"JD01"}}', known);
  expect(added.find(({ path }) => path === "order.tracking_number")).toMatchObject({ type: "string", sample: "JD01" });
  expect(added.some(({ path }) => path === "order.id")).toBe(false);
  expect(fieldsOf(null, known)).toEqual([]);
});
