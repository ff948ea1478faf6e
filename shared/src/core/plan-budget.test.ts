import { afterEach, expect, test, vi } from "vitest";
import { data } from "../../../test/support/data.ts";
import { longestValue } from "./expressions.ts";
import { parseJson, type JsonObject } from "./json.ts";
import { type BindingToPlan, planEvent } from "./plan.ts";
import type { TemplateDefinition } from "./template/definition.ts";
import type { VarSpec } from "./variables.ts";

const names = Array.from({ length: 40 }, (_, index) => String(index + 1));
const definition = data<TemplateDefinition>("core-plan-budget", "definition");
const template = { id: "t", name: "t", language: "en", status: "approved" as const, definition };
const bindingOf = (id: string, specOf: (name: string) => VarSpec): BindingToPlan => ({
  id,
  recipient: { strategy: "static_phone", phone: "+491701234567" },
  variableMap: { body: Object.fromEntries(names.map((name) => [name, specOf(name)])) },
  template,
});
const field = (path: string): VarSpec => ({ source: "field", path });
const plan = (payload: JsonObject, bindings: BindingToPlan[]): ReturnType<typeof planEvent> =>
  planEvent({
    bindings,
    payload,
    test: false,
    site: { testPhone: null, activePhones: [] },
    account: { timezone: "UTC", configured: true },
    now: new Date("2026-05-18T12:00:00Z"),
  });
const bindingsOf = (count: number, specOf: (name: string) => VarSpec): BindingToPlan[] =>
  Array.from({ length: count }, (_, index) => bindingOf(String(index), specOf));

afterEach(() => vi.restoreAllMocks());

test("a number of 300,000 digits is never computed with", () => {
  const compute = vi.spyOn(BigInt.prototype, "toString");
  const digits = `1${"0".repeat(300_000)}`;
  const payload = parseJson(`{"n":${digits},"list":[${digits}]}`) as JsonObject;
  const { messages, previews } = plan(
    payload,
    bindingsOf(1, () => field("n")),
  );
  expect(messages.map(({ failure }) => failure?.code)).toEqual(["too_long"]);
  expect(previews[0]?.slots.body[0]).toBe(`${digits.slice(0, longestValue)}…`);
  expect(compute.mock.calls.length).toBe(0);
});

test("the digits of a number that a message can hold are all there", () => {
  const digits = "9".repeat(2_000);
  expect(parseJson(`[${digits},${digits}9]`)).toEqual([BigInt(digits), `${digits}9`]);
});

test("a list of items is read once an event, and only as far as a message can hold it", () => {
  const item = (index: number): JsonObject => ({ name: `Item ${index}`, qty: 1 });
  let reads = 0;
  const items = new Proxy(
    Array.from({ length: 50_000 }, (_, index) => item(index)),
    {
      get: (target, key, receiver): unknown => {
        if (typeof key === "string" && /^\d+$/.test(key)) reads += 1;
        return Reflect.get(target, key, receiver);
      },
    },
  );
  const { messages } = plan(
    { order: { items } },
    bindingsOf(10, () => ({ source: "expression", expr: "items.summary_lines" })),
  );
  expect(messages.every(({ failure }) => failure?.code === "too_long")).toBe(true);
  expect(reads).toBeLessThan(longestValue);
});

test("a value that is cut is never sent, though white space is most of it", () => {
  const { messages, previews } = plan(
    { a: `x${" ".repeat(longestValue)}y` },
    bindingsOf(1, () => field("a")),
  );
  expect(messages.map(({ failure, components }) => [failure?.code, components])).toEqual([["too_long", "[]"]]);
  expect(previews[0]?.slots.body[0]).toMatch(/^x +…$/);
});

test.each([
  ["text", "x".repeat(800_000)],
  ["a list", Array.from({ length: 200_000 }, () => 1)],
  ["nested lists", parseJson(`${"[".repeat(100_000)}${"]".repeat(100_000)}`)],
  ["an object", { deep: { text: "x".repeat(400_000) }, more: "\0".repeat(200_000) }],
])("no more of %s is printed than a message can hold, and the previews of all bindings are bounded", (_, value) => {
  const stringify = vi.spyOn(JSON, "stringify");
  const { previews } = plan(
    { a: value },
    bindingsOf(200, (name) => ({ ...field("a"), fallback: name })),
  );
  const printed = stringify.mock.results.reduce((sum, { value: text }) => sum + String(text).length, 0);
  expect(printed).toBeLessThan(10 * longestValue);
  vi.restoreAllMocks();
  const shown = JSON.stringify(previews);
  expect(shown.length).toBeLessThan(2_000_000);
  expect(previews.at(-1)?.slots.body.every((text) => text.endsWith("…"))).toBe(true);
});
