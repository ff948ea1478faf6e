import fc from "fast-check";
import { sources } from "shared/core/sources/sources";
import { expect, it } from "vitest";
import { testDatabase } from "../support/database.ts";
import { shopifyLife, shopifyLifeOf } from "../support/shop-life/shopify.ts";
import { wooLife, wooLifeOf } from "../support/shop-life/woocommerce.ts";
import { type Life, live, openLife } from "../support/shop-life/world.ts";

const count = 5_000;
const atOnce = 250;
const seed = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);

const lives = {
  woocommerce: () => fc.sample(wooLife, { seed, numRuns: count }).map((plan, n) => wooLifeOf(plan, n + 1) as Life<unknown>),
  shopify: () => fc.sample(shopifyLife, { seed, numRuns: count }).map((plan, n) => shopifyLifeOf(plan, n + 1) as Life<unknown>),
};

it.each(["woocommerce", "shopify"] as const)(
  `5,000 orders of %s are told of once each, truly and to the end (SEED=${seed})`,
  async (type) => {
    await using database = await testDatabase();
    const take = await openLife(database.sql, sources[type], type);
    const all = lives[type]();
    for (let from = 0; from < count; from += atOnce)
      expect({ from, faults: await live(take, all.slice(from, from + atOnce)) }).toEqual({ from, faults: [] });
  },
  900_000,
);
