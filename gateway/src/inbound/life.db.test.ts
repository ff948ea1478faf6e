import fc from "fast-check";
import { sources } from "shared/core/sources/sources";
import { describe, expect, it } from "vitest";
import { scaled } from "../../../test/faults/harness/scale.ts";
import { testDatabase } from "../../../test/support/database.ts";
import { shared } from "../../../test/support/shared.ts";
import { shopifyWithout, wooWithout } from "../../../test/support/shop-life/rules.ts";
import { shopifyLife, shopifyLifeOf } from "../../../test/support/shop-life/shopify.ts";
import { wooLife, wooLifeOf } from "../../../test/support/shop-life/woocommerce.ts";
import { type Life, live, openLife } from "../../../test/support/shop-life/world.ts";

const database = shared(async () => testDatabase());

const seed = 20_261_126;
const livesOf = (type: "woocommerce" | "shopify", count: number): Life<unknown>[] =>
  type === "woocommerce"
    ? fc.sample(wooLife, { seed, numRuns: count }).map((plan, n) => wooLifeOf(plan, n + 1) as Life<unknown>)
    : fc.sample(shopifyLife, { seed, numRuns: count }).map((plan, n) => shopifyLifeOf(plan, n + 1) as Life<unknown>);

describe.each([
  ["woocommerce", wooWithout],
  ["shopify", shopifyWithout],
] as const)("what the orders of %s tell, however late, often and in whichever order it comes", (type, without) => {
  it("is told once, is true when it is told, and the last state is always told", async () => {
    expect(await live(await openLife(database.sql, sources[type], type), livesOf(type, scaled(80, 200)))).toEqual([]);
  });

  it.each(Object.entries(without))("is wrong without the rule: %s", async (_, source) => {
    const [take, lives, faults] = [await openLife(database.sql, source, type), livesOf(type, 60), [] as string[]];
    for (let from = 0; from < lives.length && faults.length === 0; from += 12)
      faults.push(...(await live(take, lives.slice(from, from + 12))));
    expect(faults).not.toEqual([]);
  });
});
