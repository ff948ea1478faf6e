import { expect, test } from "vitest";
import { z } from "zod";
import { variableMapSchema } from "./schema.ts";

const messagesOf = (schema: z.ZodType, value: unknown): string[] =>
  schema.safeParse(value).error?.issues.map((issue) => issue.message) ?? [];

test("takes all that a map may hold", () => {
  const map = {
    header: { "1": { source: "static", value: "" } },
    body: { "1": { source: "field", path: "a.b", fallback: "x" }, "12": { source: "expression", expr: "date.now", fallback: "" } },
    button_url: {},
  };
  expect(variableMapSchema.parse(map)).toEqual(map);
  expect(variableMapSchema.parse({})).toEqual({});
});

test.each<[unknown, string]>([
  [null, "must be an object with header, body and button_url, each of them optional"],
  [{ footer: {} }, "has no member footer"],
  [{ body: [] }, "body: must be an object of slot number to value"],
  [{ body: { "0": { source: "static", value: "x" } } }, 'body.0: must be a slot number, as in "1"'],
  [{ body: { name: { source: "static", value: "x" } } }, 'body.name: must be a slot number, as in "1"'],
  [{ body: { "01": { source: "static", value: "x" } } }, 'body.01: must be a slot number, as in "1"'],
  [{ body: { "1000": { source: "static", value: "x" } } }, 'body.1000: must be a slot number, as in "1"'],
  [{ body: { "1": "x" } }, "body.1: must be an object whose source is field, static or expression"],
  [{ body: { "1": { source: "fixed" } } }, "body.1.source: must be field, static or expression"],
  [{ body: { "2": { source: "field" } } }, "body.2.path: must be a dotted path, as in customer.first_name"],
  [{ body: { "2": { source: "field", path: "" } } }, "body.2.path: must not be empty"],
  [{ body: { "2": { source: "field", path: "a..b" } } }, "body.2.path: must be keys joined by single dots, as in customer.first_name"],
  [{ header: { "1": { source: "field", path: "a", fallback: 1 } } }, "header.1.fallback: must be a text"],
  [{ header: { "1": { source: "static" } } }, "header.1.value: must be a text"],
  [{ header: { "1": { source: "static", value: "x", fallback: "y" } } }, "header.1: has no member fallback"],
  [{ footer: {}, buttons: {} }, "has no member footer, buttons"],
  [{ button_url: { "1": { source: "static", value: "x".repeat(32_769) } } }, "button_url.1.value: must be at most 32768 characters long"],
  [
    { button_url: { "1": { source: "expression", expr: "date.tomorrow" } } },
    "button_url.1.expr: must be one of customer.full_name, items.summary_short, items.summary_lines, total.with_currency, date.today, date.now",
  ],
])("refuses %j and says where", (map, message) => {
  expect(messagesOf(variableMapSchema, map)).toEqual([message]);
});

test("within a binding the messages name the same places", () => {
  const binding = z.object({ variableMap: variableMapSchema });
  expect(messagesOf(binding, { variableMap: { body: { "2": { source: "field" } } } })).toEqual([
    "body.2.path: must be a dotted path, as in customer.first_name",
  ]);
  expect(messagesOf(binding, {})).toEqual(["variableMap: must be an object with header, body and button_url, each of them optional"]);
});
