import type { ConditionRule } from "shared/core/conditions";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openShopWorld, type ShopWorld } from "../support/admin-shops.ts";
import { anEvent, postEvent, type PostOptions } from "../support/requests.ts";
import { waitFor } from "../support/wait-for.ts";

let world: ShopWorld;
beforeAll(async () => {
  world = await openShopWorld();
});
afterAll(async () => world?.[Symbol.asyncDispose]());

const admin = () => {
  const [first] = world.admins;
  if (first === undefined) throw new Error("no admin server");
  return first.client;
};
const bind = (...rules: ConditionRule[]) =>
  admin().bindings.update.mutate({ id: world.shop.bindingId, conditions: rules.length === 0 ? null : { match: "all", rules } });
const post = async (total: unknown, options?: PostOptions) =>
  (await postEvent(world.gateway, world.shop, { ...anEvent, order: { id: "1", total } }, options)).json;
const atLeast = (value: string | number): ConditionRule => ({ path: "order.total", op: "gte", value });

describe("a binding with conditions", () => {
  it("fires where they hold, from the moment that they are saved", async () => {
    expect(await post("99.99")).toMatchObject({ chat: "sent", bindings_run: 1 });
    await bind(atLeast(100));
    expect(await post("99.99")).toMatchObject({ chat: "skipped_conditions", bindings_run: 0, recipients_sent: 0, recipients_failed: 0 });
    expect(await post("100.00")).toMatchObject({ chat: "sent", bindings_run: 1 });
    await bind();
    expect(await post("99.99")).toMatchObject({ chat: "sent", bindings_run: 1 });
  });

  it("comes before a missing connection, and behind a missing binding", async () => {
    await bind(atLeast(100));
    await world.database.owner`create table kept as table platform_account`;
    await world.sql`delete from platform_account`;
    try {
      expect([(await post(1))["chat"], (await post(100))["chat"], (await post(1, { event: "order.unknown" }))["chat"]]).toEqual([
        "skipped_conditions",
        "skipped_no_config",
        "no_bindings",
      ]);
    } finally {
      await world.database.owner`insert into platform_account table kept`;
    }
  });

  it("stands out when it has held back every event of 30 days", async () => {
    const { shop, sql } = world;
    await bind(atLeast(100));
    const idleSince = async () => (await admin().bindings.get.query({ id: shop.bindingId })).binding.idleSince;
    const uses = () => sql<{ fired: boolean; held: boolean }[]>`
      select fired_at > now() - interval '1 hour' as fired, held_at > now() - interval '1 hour' as held from binding_use where binding_id = ${shop.bindingId}`;
    await waitFor("notes of firing and of holding back", async () => (await uses()).some(({ fired, held }) => fired && held));
    await sql`update binding set updated_at = now() - interval '40 days' where id = ${shop.bindingId}`;
    expect(await idleSince()).toBeNull();
    await sql`update binding_use set fired_at = '2026-01-02T00:00:00Z'`;
    await sql`update binding set updated_at = '2026-01-01T00:00:00Z' where id = ${shop.bindingId}`;
    expect(await idleSince()).toBe("2026-01-02T00:00:00.000Z");
    await sql`update binding_use set held_at = now() - interval '31 days'`;
    expect(await idleSince()).toBeNull();
    await sql`update binding_use set held_at = now(), fired_at = null`;
    expect(await idleSince()).toBe("2026-01-01T00:00:00.000Z");
    await bind(atLeast(50));
    expect(await idleSince()).toBeNull();
  });
});
