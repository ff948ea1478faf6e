import fc from "fast-check";
import { expect, test, describe } from "vitest";
import { z } from "zod";
import { scaled } from "../../../test/faults/harness/scale.ts";
import { hostilePayload, hostileText } from "../../../test/support/arbitrary/json.ts";
import { data } from "../../../test/support/data.ts";
import { evaluate } from "./expressions.ts";
import { variableMapSchema } from "./input/binding-members.ts";
import { parseJson, printJson, type JsonObject } from "./json.ts";
import { type ExpressionName, expressionNames, type VarSpec } from "./variables.ts";

describe("schema", () => {
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
});

describe("evaluate", () => {
  const now = new Date("2026-03-29T00:30:00Z");
  const run = (spec: VarSpec, payload: string, timezone = "UTC"): string | undefined =>
    evaluate(spec, { payload: parseJson(payload) as JsonObject, now, timezone });
  const expression = (expr: ExpressionName, payload: string): string | undefined => run({ source: "expression", expr }, payload);

  describe("field", () => {
    test.each(data<[string, string][]>("core-variables", "is"))("%s is %s", (payload, text) => {
      expect(run({ source: "field", path: "a", fallback: "F" }, payload)).toBe(text);
    });

    test.each(["{}", '{"a":null}', '{"a":""}', '{"a":1e999}', '{"__proto__":{"a":1}}'])("%s is missing", (payload) => {
      expect(run({ source: "field", path: "a" }, payload)).toBeUndefined();
      expect(run({ source: "field", path: "a", fallback: "" }, payload)).toBeUndefined();
      expect(run({ source: "field", path: "a", fallback: "F" }, payload)).toBe("F");
    });
  });

  test("static", () => {
    expect(run({ source: "static", value: "x" }, "{}")).toBe("x");
    expect(run({ source: "static", value: "" }, "{}")).toBeUndefined();
  });

  test.each([
    ['{"customer":{"first_name":"Ada","last_name":"Lovelace","full_name":"X"}}', "Ada Lovelace"],
    ['{"customer":{"first_name":"Ada","full_name":"X"}}', "Ada"],
    ['{"customer":{"first_name":"","last_name":"Lovelace"}}', "Lovelace"],
    ['{"customer":{"full_name":"Ada L."}}', "Ada L."],
    ['{"customer":{}}', undefined],
    ['{"customer":"Ada"}', undefined],
  ])("customer.full_name of %s", (payload, text) => {
    expect(expression("customer.full_name", payload)).toBe(text);
  });

  describe("items", () => {
    const items = '[{"name":"Mug","qty":2,"price":"9.90"},{"name":"Tea","qty":"1","price":4.5}]';

    test.each([
      [`{"order":{"items":${items}}}`, "Mug x 2, Tea x 1", "Mug x 2 - 9.90\nTea x 1 - 4.5"],
      [`{"cart":{"items":${items}}}`, "Mug x 2, Tea x 1", "Mug x 2 - 9.90\nTea x 1 - 4.5"],
      [`{"order":{"items":[]},"cart":{"items":[{"name":"Cup","qty":1}]}}`, "Cup x 1", "Cup x 1"],
      [`{"order":{"items":[{"name":"Cup"}]},"cart":{"items":${items}}}`, "Cup", "Cup"],
      ['{"order":{"items":[{"name":"Cup","price":"1.00"}]}}', "Cup", "Cup - 1.00"],
      ['{"order":{"items":[{"qty":1},null,"Cup",[],{"name":"","qty":3},{"name":"Pot","qty":0}]}}', "Pot x 0", "Pot x 0"],
      ['{"order":{"items":{"name":"Cup"}}}', undefined, undefined],
      ['{"order":{"items":[{}]}}', undefined, undefined],
      ["{}", undefined, undefined],
    ])("of %s", (payload, short, lines) => {
      expect(expression("items.summary_short", payload)).toBe(short);
      expect(expression("items.summary_lines", payload)).toBe(lines);
    });
  });

  test.each([
    ...data<[string, string][]>("core-variables", "totals"),
    ...data<string[]>("core-variables", "no totals").map((payload) => [payload, undefined] as const),
  ])("total.with_currency of %s is %s", (payload, text) => {
    expect(expression("total.with_currency", payload)).toBe(text);
  });

  test.each(data<[string, string, string][]>("core-variables", "dates in j"))("dates in %j", (timezone, today, minute) => {
    expect(run({ source: "expression", expr: "date.today" }, "{}", timezone)).toBe(today);
    expect(run({ source: "expression", expr: "date.now" }, "{}", timezone)).toBe(minute);
  });

  test("midnight is 00:00 of the new day, and summer time counts", () => {
    const at = (iso: string): string | undefined =>
      evaluate({ source: "expression", expr: "date.now" }, { payload: {}, now: new Date(iso), timezone: "Europe/Berlin" });
    expect(at("2026-03-28T23:00:00Z")).toBe("2026-03-29 00:00");
    expect(at("2026-03-29T01:00:00Z")).toBe("2026-03-29 03:00");
    expect(at("0999-06-30T12:00:00Z")).toMatch(/^0999-06-30 /);
  });

  test("a fallback stands in for an expression that finds nothing", () => {
    for (const expr of expressionNames.filter((name) => !name.startsWith("date.")))
      expect(run({ source: "expression", expr, fallback: "F" }, "{}")).toBe("F");
  });

  test("never throws on any JSON, and gives a text that is not empty or nothing", { timeout: 60_000 }, () => {
    const paths = fc.constantFrom(
      "customer",
      "customer.first_name",
      "order.items.0.name",
      "data",
      "__proto__",
      "constructor.name",
      "order.total.length",
    );
    const specs: fc.Arbitrary<VarSpec> = fc.oneof(
      paths.map((path) => ({ source: "field" as const, path })),
      fc.constantFrom(...expressionNames).map((expr) => ({ source: "expression" as const, expr })),
    );
    fc.assert(
      fc.property(hostilePayload, specs, hostileText, (payload, spec, timezone) => {
        const before = printJson(payload);
        const text = evaluate(spec, { payload, now, timezone });
        expect(text === undefined || (typeof text === "string" && text !== "")).toBe(true);
        expect(printJson(payload)).toBe(before);
      }),
      { seed: 5, numRuns: scaled(100, 300) },
    );
  });
});
