import fc from "fast-check";
import { slowDown, takeSlots } from "shared/db/waiting/pace";
import { expect, it } from "vitest";
import { scaled } from "../../../test/faults/harness/scale.ts";
import { testDatabase } from "../../../test/support/database.ts";
import { spacingOf } from "./pace.ts";

/** The most of these moments (ms) in any second. */
function mostInASecond(moments: readonly number[]): number {
  const sorted = moments.toSorted((a, b) => a - b);
  let from = 0;
  return sorted.reduce((most, moment, i) => {
    while (moment - (sorted[from] ?? 0) >= 1000) from += 1;
    return Math.max(most, i - from + 1);
  }, 0);
}

it("however early or late each slot is used, no second has more than a tenth too many", () => {
  const offsets = fc.array(fc.integer({ min: -20, max: 50 }), { minLength: 2500, maxLength: 2500 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1000 }), offsets, fc.nat(2000), (perSecond, used, worstAt) => {
      const spacing = spacingOf(perSecond);
      // Slots are used at random moments, and in the worst case: late up to a moment, then early.
      const at = (i: number) => i * spacing;
      const worst = Array.from({ length: Math.ceil(2500 / spacing) }, (_, i) => at(i) + (at(i) < worstAt ? 50 : -20));
      expect(mostInASecond(worst)).toBeLessThanOrEqual(Math.floor(perSecond * 1.1));
      const moments = Array.from({ length: Math.min(2500, Math.ceil(2500 / spacing)) }, (_, i) => i * spacing + (used[i] ?? 0));
      expect(mostInASecond(moments)).toBeLessThanOrEqual(Math.floor(perSecond * 1.1));
      expect(1000 / spacing).toBeGreaterThanOrEqual(perSecond * 0.93);
      expect(1000 / spacing).toBeLessThanOrEqual(perSecond + 1e-6);
    }),
    { numRuns: scaled(10, 30) },
  );
});

it("slots follow each other, whoever takes them, and lapse when nobody does", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  const now = async () => Number((await sql<{ now: string }[]>`select extract(epoch from clock_timestamp()) * 1000 as now`)[0]?.now);
  const before = await now();
  const slices = await Promise.all(
    Array.from({ length: 8 }, async () => ({ ...(await takeSlots(sql, "number", 10, 12.5)), at: await now() })),
  );
  const latest = Math.max(...slices.map(({ startsIn }) => startsIn));
  // Eight slices of 125 ms stand in one row.
  expect(latest + (await now()) - before).toBeGreaterThan(7 * 125);
  await sql`update number_pace set next_at = now() - interval '1 minute'`;
  expect((await takeSlots(sql, "number", 1, 12.5)).startsIn).toBeLessThan(5);
});

it("a number that is too fast has half its pace, once a second, and all of it within a minute", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  const spacing = async () => Math.round((await takeSlots(sql, "number", 1, 10)).spacingMs);
  const ago = (seconds: number) => sql`update number_pace set slowed_at = now() - make_interval(secs => ${seconds})`.execute();
  await spacing();
  await Promise.all(Array.from({ length: 5 }, () => slowDown(sql, "number")));
  expect(await sql`select slowed_to from number_pace`).toMatchObject([{ slowed_to: 0.5 }]);
  // It recovers with every moment.
  expect(await spacing()).toBeLessThanOrEqual(20);
  for (let n = 0; n < 12; n += 1) {
    await ago(2);
    await slowDown(sql, "number");
  }
  expect(await spacing()).toBeLessThanOrEqual(320);
  await ago(10);
  const later = await spacing();
  await ago(20);
  expect(await spacing()).toBeLessThan(later);
  for (const seconds of [60, 366 * 86_400]) {
    await ago(seconds);
    expect(await spacing()).toBe(10);
  }
});
