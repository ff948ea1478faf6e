import "../../test/support/counted-steps.ts";
import { learnFields } from "shared/core/fields/learn";
import { uncheckedTemplateSchema } from "shared/core/input/templates";
import { type JsonObject, printJson } from "shared/core/json";
import { hidePaths, maskPayload } from "shared/core/mask";
import { findableOf } from "shared/core/search";
import { sources } from "shared/core/sources/sources";
import type { UncheckedTemplate } from "shared/core/template/draft";
import { checkAndMend } from "shared/core/template/mend";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { $ZodType } from "zod/v4/core";
import { procedurePaths } from "../../test/support/admin.ts";
import { countSteps } from "../../test/support/counted-steps.ts";
import { largestInput } from "../../test/support/largest-input.ts";
import { appRouter } from "./router.ts";
import { refusedInput } from "./trpc/errors.ts";
import { refuseHuge } from "./trpc/input-bounds.ts";

const procedures = appRouter._def.procedures as unknown as Record<string, { _def: { inputs: $ZodType[] } }>;

/** Texts that rules look at closely. */
const units = ["{{5}} {{7}} ", "a {{1}} b. ", "http://a.example/{{1}}", "00", "é\n", "a"];

/** Procedures whose input has a list or a record; texts alone are read by regular expressions, which have a test of their own. */
const listing = procedurePaths.filter((path) =>
  (procedures[path]?._def.inputs ?? []).some((schema) => hasList(largestInput(schema, 1, "a"))),
);

function hasList(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Array.isArray(value) || Object.keys(value).length > 100 || Object.values(value).some(hasList);
}

function judgeOne(schema: $ZodType, given: unknown): void {
  const { error } = z.safeParse(schema, given);
  if (error !== undefined) refusedInput(error.issues);
}

/**
 * How the steps grow at most when the input grows to four times its size, seen at two sizes. `make` gives the input of a size, whose lists and texts grow
 * alike. Each runs once before, since the first run makes what is remembered.
 */
async function growth<Input>(make: (share: number) => Input, run: (input: Input) => unknown): Promise<number> {
  const inputs = [1 / 16, 1 / 4, 1].map(make);
  for (const input of inputs) run(input);
  const seen: { size: number; steps: number }[] = [];
  for (const input of inputs) seen.push({ size: JSON.stringify(input).length, steps: await countSteps(() => run(input)) });
  const times = seen.slice(1).map((large, at) => {
    const small = seen[at] ?? large;
    return large.size < 1.5 * small.size ? 1 : 4 ** (Math.log(large.steps / small.steps) / Math.log(large.size / small.size));
  });
  return Math.max(...times);
}

describe("four times the input takes at most eight times the steps", () => {
  test("to take or refuse, of every procedure's input", async () => {
    const grown = new Map<string, number>();
    for (const path of listing) {
      const schemas = procedures[path]?._def.inputs ?? [];
      const make = (share: number) => units.map((unit) => schemas.map((schema) => largestInput(schema, share, unit)));
      const judge = (given: unknown[][]): void => given.forEach((each) => schemas.forEach((schema, at) => judgeOne(schema, each[at])));
      grown.set(path, await growth(make, judge));
    }
    expect([...grown].filter(([, times]) => times > 8)).toEqual([]);
  }, 120_000);

  const bodies = [...units, "{{1}} a ", "hi {{5}} {{7}}, ", "{{99}} ", "{{1}}{{2}}", "\t{{ a }}", "_a_ *"];
  const templateOf = (share: number, unit: string) => largestInput(uncheckedTemplateSchema, share, unit) as UncheckedTemplate;

  test.each(bodies)("to check and mend a template of %j", async (unit) => {
    expect(
      await growth(
        (share) => templateOf(share, unit),
        (input) => checkAndMend(input),
      ),
    ).toBeLessThanOrEqual(8);
    const bare = (share: number) => ({
      name: "a",
      language: "en",
      category: "UTILITY",
      body: `a ${unit.repeat((1_000 * share) / unit.length)} b.`,
    });
    expect(await growth(bare, (input) => checkAndMend(input))).toBeLessThanOrEqual(8);
  });

  test("members that nobody knows, and lists without end, are refused in a few words", () => {
    const unknown = Object.fromEntries(Array.from({ length: 60_000 }, (_, n) => [`member ${n}`, n]));
    const refusal = refusedInput(z.strictObject({}).safeParse(unknown).error?.issues ?? []);
    expect([refusal.message.length < 600, refusal.message.includes("member 0")]).toEqual([true, true]);
    expect(() => refuseHuge({ buttons: Array.from({ length: 8_000 }, () => ({})) })).toThrow("buttons: Has too many values");
    expect(() => refuseHuge({ a: Array.from({ length: 900 }, () => Array.from({ length: 900 })) })).toThrow("Has too many values");
    expect(() => refuseHuge({ payload: { items: Array.from({ length: 8_000 }) } })).not.toThrow();
  });

  test.each(Object.entries(sources))("to map what a shop of type %s posts", async (_, source) => {
    const body = (share: number): JsonObject => ({
      id: 1,
      name: `#${".1".repeat(400 * share)}`,
      line_items: Array.from({ length: 400 * share }, (_each, id) => ({ id, name: "x", quantity: 1, price: "1.00" })),
      meta_data: Array.from({ length: 400 * share }, (_each, id) => ({ id, key: "_wc_shipment_tracking_items", value: [] })),
    });
    for (const topic of ["orders/create", "refunds/create", "order.updated", "checkouts/update"]) {
      const map = (given: JsonObject): void => {
        source.deliveryOf(() => topic, given);
        source.fits(topic, given);
        const payload = source.payloadOf(given, { topic, siteUrl: "https://s.example", storedOrder: given });
        // The body's bound bounds what is stored of it: its own text, and what is read of it.
        expect(printJson(payload).length).toBeLessThan(3 * printJson(given).length + 1_000);
      };
      expect(await growth(body, map)).toBeLessThanOrEqual(8);
    }
  });

  const payloads: Record<string, (share: number) => JsonObject> = {
    members: (share) => Object.fromEntries(Array.from({ length: 20_000 * share }, (_, n) => [`k${n}`, { name: `n${n}` }])),
    "long keys": (share) => ({
      ["k".repeat(100_000 * share)]: Object.fromEntries(Array.from({ length: 500 * share }, (_, n) => [`k${n}`, n])),
    }),
    names: (share) => ({
      customer: { names: Array.from({ length: 4_000 * share }, (_, n) => `Ada${n}`) },
      text: "Ada1x Ada2 ".repeat(4_000 * share),
    }),
  };

  test.each(Object.entries(payloads))("to mask, learn and find an event with %s", async (_, make) => {
    const work = (payload: JsonObject) => [maskPayload(payload), hidePaths(payload, learnFields(payload)), findableOf(payload)];
    expect(await growth(make, work)).toBeLessThanOrEqual(8);
  });
});
