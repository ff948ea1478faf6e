import { appRouter } from "admin-server/router";
import { refusedInput } from "admin-server/trpc/errors";
import { uncheckedTemplateSchema, type UncheckedTemplate } from "shared/core/template/draft";
import { checkAndMend } from "shared/core/template/mend";
import { expect, test } from "vitest";
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

/** The least of several tries: other programs take the processor away now and then. */
const costOf = (run: () => unknown): number => Math.min(...Array.from({ length: 5 }, () => cpuMs(run)));

test.each(procedurePaths)("the largest inputs of %s hold the server up for 50 ms at most", (path) => {
  for (const schema of procedures[path]?._def.inputs ?? []) {
    for (const unit of units) {
      const input = largestInput(schema, 1, unit);
      const cost = costOf(() => refusedInput(schema.safeParse(input).error?.issues ?? []));
      expect([unit, cost < mostMs, cost]).toEqual([unit, true, cost]);
    }
  }
});

test.each(units)("so does the advice on a template of %j", (unit) => {
  const whole = largestInput(uncheckedTemplateSchema, 1, unit) as UncheckedTemplate;
  const bare = { name: "a", language: "en", category: "UTILITY", body: `a ${unit.repeat(2_000 / unit.length)} b.` };
  for (const input of [whole, bare, { ...bare, examples: whole.examples }]) {
    const cost = costOf(() => checkAndMend(input));
    expect([cost < mostMs, cost]).toEqual([true, cost]);
  }
});
