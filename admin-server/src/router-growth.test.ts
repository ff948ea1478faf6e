import { sources } from "shared/core/sources/sources";
import type { UncheckedTemplate } from "shared/core/template/draft";
import { uncheckedTemplateSchema } from "shared/core/template/draft";
import { checkAndMend } from "shared/core/template/mend";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { $ZodType } from "zod/v4/core";
import { scaled } from "../../test/faults/harness/scale.ts";
import { procedurePaths } from "../../test/support/admin.ts";
import { countSteps } from "../../test/support/counted-steps.ts";
import { largestInput } from "../../test/support/largest-input.ts";
import { appRouter } from "./router.ts";
import { refusedInput } from "./trpc/errors.ts";
import { refuseHuge } from "./trpc/input-bounds.ts";

const procedures = appRouter._def.procedures as unknown as Record<string, { _def: { inputs: $ZodType[] } }>;

/** Texts that rules look at closely; the usual run takes some of them. */
const units = ["{{5}} {{7}} ", "a {{1}} b. ", "http://a.example/{{1}}", "00", "é\n", "a"].slice(0, scaled(3, 6));

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
 * How the steps grow from a size to four times as much, as the mean of two such steps: problems come and go at the platform's limits. Each runs once before,
 * since the first run makes what is remembered.
 */
async function growth(run: (share: number) => unknown): Promise<number> {
  const [small, large] = [1 / 16, 1];
  for (const share of [small, large]) run(share);
  const few = await countSteps(() => run(small));
  return Math.sqrt((await countSteps(() => run(large))) / few);
}

describe("four times the input takes at most eight times the steps", () => {
  test("to take or refuse, of every procedure's input", async () => {
    const grown = new Map<string, number>();
    for (const path of listing) {
      const judge = (share: number): void => {
        for (const unit of units)
          for (const schema of procedures[path]?._def.inputs ?? []) judgeOne(schema, largestInput(schema, share, unit));
      };
      grown.set(path, await growth(judge));
    }
    expect([...grown].filter(([, times]) => times > 8)).toEqual([]);
  }, 120_000);

  const bodies = [...units, "{{1}} a ", "hi {{5}} {{7}}, ", "{{99}} ", "{{1}}{{2}}", "\t{{ a }}", "_a_ *"];
  const templateOf = (share: number, unit: string) => largestInput(uncheckedTemplateSchema, share, unit) as UncheckedTemplate;

  test.each(bodies.slice(0, scaled(5, 13)))("to check and mend a template of %j", async (unit) => {
    expect(await growth((share) => checkAndMend(templateOf(share, unit)))).toBeLessThanOrEqual(8);
    const bare = (share: number) => ({
      name: "a",
      language: "en",
      category: "UTILITY",
      body: `a ${unit.repeat((1_000 * share) / unit.length)} b.`,
    });
    expect(await growth((share) => checkAndMend(bare(share)))).toBeLessThanOrEqual(8);
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
    const body = (share: number) => ({
      id: 1,
      name: `#${".1".repeat(400 * share)}`,
      line_items: Array.from({ length: 400 * share }, (_each, id) => ({ id, name: "x", quantity: 1, price: "1.00" })),
      meta_data: Array.from({ length: 400 * share }, (_each, id) => ({ id, key: "_wc_shipment_tracking_items", value: [] })),
    });
    for (const topic of ["orders/create", "refunds/create", "order.updated", "checkouts/update"]) {
      const map = (share: number): void => {
        source.deliveryOf(() => topic, body(share));
        source.fits(topic, body(share));
        source.payloadOf(body(share), { topic, siteUrl: "https://s.example", storedOrder: body(share) });
      };
      expect(await growth(map)).toBeLessThanOrEqual(8);
    }
  });
});
