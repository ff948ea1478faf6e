import { appRouter } from "admin-server/router";
import { refusedInput } from "admin-server/trpc/errors";
import { learnFields } from "shared/core/fields/learn";
import { uncheckedTemplateSchema } from "shared/core/input/templates";
import { type JsonObject, type JsonValue, parseJson, printJson } from "shared/core/json";
import { hidePaths, maskPayload } from "shared/core/mask";
import { phoneFinder, phonePattern } from "shared/core/phone-search";
import { findableOf } from "shared/core/search";
import { sources } from "shared/core/sources/sources";
import type { UncheckedTemplate } from "shared/core/template/draft";
import { checkAndMend } from "shared/core/template/mend";
import { afterAll, expect, test } from "vitest";
import { procedurePaths } from "../support/admin.ts";
import { cpuMs } from "../support/cpu-time.ts";
import { largestInput, type Schema } from "../support/largest-input.ts";

type Issues = Parameters<typeof refusedInput>[0];
interface Parsing extends Schema {
  safeParse(input: unknown): { error?: { issues: Issues } };
}
const procedures = appRouter._def.procedures as unknown as Record<string, { _def: { inputs: Parsing[] } }>;

const mostMs = 50;
const units = ["{{5}} {{7}} ", "{{999}} ", "a {{1}} b. ", "{{1}}{{2}}", "http://a.example/{{ 1 }}", "00", "é\n", "_a_ *", "😀", "a"];

/** The least of several tries, of many where it would be too much: beside other programs the same work takes more of a processor, whose caches they share. */
function costOf(run: () => unknown): number {
  let least = Infinity;
  for (let tries = 0; tries < 5 || (least >= mostMs && tries < 50); tries += 1) least = Math.min(least, cpuMs(run));
  return least;
}

/** The cost of each input, the worst first, is printed at the end. */
const costs: [what: string, ms: number][] = [];
afterAll(() => {
  const rows = costs.toSorted(([, a], [, b]) => b - a).slice(0, 40);
  process.stdout.write(rows.map(([what, ms]) => `${ms.toFixed(1).padStart(7)} ms  ${what}\n`).join(""));
});

function noted(what: string, run: () => unknown): number {
  const ms = costOf(run);
  costs.push([what, ms]);
  return ms;
}

test.each(procedurePaths)("the largest inputs of %s hold the server up for 50 ms at most", (path) => {
  for (const schema of procedures[path]?._def.inputs ?? []) {
    for (const unit of units) {
      const input = largestInput(schema, 1, unit);
      expect(noted(`${path} of ${JSON.stringify(unit)}`, () => refusedInput(schema.safeParse(input).error?.issues ?? []))).toBeLessThan(
        mostMs,
      );
    }
  }
});

test.each(units)("so does the advice on a template of %j", (unit) => {
  const whole = largestInput(uncheckedTemplateSchema, 1, unit) as UncheckedTemplate;
  const bare = { name: "a", language: "en", category: "UTILITY", body: `a ${unit.repeat(2_000 / unit.length)} b.` };
  for (const input of [whole, bare, { ...bare, examples: whole.examples }])
    expect(noted(`advice on ${JSON.stringify(unit)}`, () => checkAndMend(input))).toBeLessThan(mostMs);
});

const mebibyte = 1024 * 1024;
const filled = (make: (n: number) => JsonValue, bytes = mebibyte): JsonValue[] =>
  Array.from({ length: Math.floor(bytes / (printJson(make(9_999)).length + 1)) }, (_, n) => make(n));
const byKey = (values: JsonValue[]): JsonObject => Object.fromEntries(values.map((value, n) => [`k${n}`, value]));
const deep = (levels: number, key: string, inner: JsonValue): JsonObject =>
  Object.fromEntries([[`${key}${levels}`, levels === 0 ? inner : deep(levels - 1, key, inner)]]);
const people = Array.from({ length: 200 }, (_, n) => `Name${n}x`);

/** Bodies of a mebibyte, as an event's may be. */
const bodies: Record<string, JsonObject> = {
  numbers: { list: filled((n) => n) },
  members: byKey(filled((n) => `x${n}`, mebibyte / 2)),
  objects: { list: filled((n) => ({ id: n, name: `n${n}` })) },
  "long paths": deep(40, "ab ".repeat(4_000), byKey(filled((n) => n, mebibyte / 6))),
  "names in a text": { customer: { names: people }, text: `${people.join(" ")} `.repeat(800) },
  "parts of names": { customer: { names: people }, list: filled((n) => `${people[n % 200] ?? ""}a `.repeat(25)) },
  digits: { text: "1 ".repeat(mebibyte / 2) },
  "parts of phones": { text: "12345678    ".repeat(mebibyte / 12) },
  pluses: { text: "+1 ".repeat(mebibyte / 3) },
  "circled digits": { text: "\u2460".repeat(mebibyte / 3) },
  addresses: { text: "@".repeat(mebibyte) },
  escapes: { text: "1%20".repeat(mebibyte / 4) },
  dates: { text: "2026-11-20 ".repeat(mebibyte / 11) },
  orders: { id: 1, line_items: filled((id) => ({ id, name: "x", quantity: 1, price: "1.00" })) },
};

test.each(Object.entries(bodies))("so does an event with %s: taken by a shop's mapper, masked, searched for a phone", (name, body) => {
  const text = printJson(body);
  const find = phoneFinder(phonePattern("+491701234567"));
  expect(noted(`${name}: parse`, () => parseJson(text))).toBeLessThan(mostMs);
  for (const [type, source] of Object.entries(sources)) {
    expect(
      noted(`${name}: map for ${type}`, () => {
        source.deliveryOf(() => "orders/create", body);
        source.fits("orders/create", body);
        source.payloadOf(body, { topic: "orders/create", siteUrl: "https://s.example", storedOrder: null });
      }),
    ).toBeLessThan(mostMs);
  }
  expect(noted(`${name}: mask`, () => maskPayload(body))).toBeLessThan(mostMs);
  expect(noted(`${name}: find a phone`, () => find(text))).toBeLessThan(mostMs);
  expect(noted(`${name}: learn fields`, () => learnFields(body))).toBeLessThan(mostMs);
  expect(noted(`${name}: hide paths`, () => hidePaths(body, learnFields(body).slice(0, 500)))).toBeLessThan(mostMs);
  expect(noted(`${name}: learn words`, () => findableOf(body))).toBeLessThan(mostMs);
});
