import type { ConditionRule } from "shared/core/conditions";
import { describe, expect, it } from "vitest";
import { openShopWorld } from "../support/admin-shops.ts";
import { anEvent, postEvent, type PostOptions } from "../support/requests.ts";
import { shared } from "../support/shared.ts";
import { waitFor } from "../support/wait-for.ts";

const world = shared(openShopWorld);

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

  it("sends nothing where they do not hold, and the trace names the rule and what it saw", async () => {
    await bind({ path: "order.id", op: "exists" }, atLeast(100));
    world.platform.sends.splice(0);
    const { event_id: id } = await post(99.989);
    const { event } = await admin().events.get.query({ id: String(id) });
    expect(event).toMatchObject({ chat: "skipped_conditions", bindingsRun: 0 });
    expect(event.trace).toMatchObject({
      summary:
        "The conditions of the binding were not met, so nothing was sent: condition not met: order.total is at least “100” (it is “99.989”).",
      bindings: [
        { bindingId: world.shop.bindingId, fired: false, failedRule: { path: "order.total", op: "gte" }, recipients: 0, messages: [] },
      ],
    });
    expect(world.platform.sends).toEqual([]);
    expect(await world.sql`select from notification where event_id = ${String(id)}`).toHaveLength(0);
  });

  it("leaves no rule out of a trace with any, and is told as fired where one holds", async () => {
    const { shop } = world;
    const rules = [atLeast(100), { path: "order.rush", op: "eq", value: true } as const];
    await admin().bindings.update.mutate({ id: shop.bindingId, conditions: { match: "any", rules } });
    const trace = async (total: number) => (await admin().events.get.query({ id: String((await post(total))["event_id"]) })).event.trace;
    const [held] = (await trace(1)).bindings;
    expect([held?.fired, held !== undefined && "failedRule" in held]).toEqual([false, false]);
    expect(held?.reasons).toEqual([
      "none of the conditions is met: order.total is at least “100” (it is “1”); order.rush is “true” (it is missing)",
    ]);
    expect((await trace(100)).bindings).toMatchObject([{ fired: true, messages: [{ status: "sent" }] }]);
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
    const begun = new Date();
    await bind(atLeast(101));
    for (const total of [1, 101]) await post(total);
    const idleSince = async () => (await admin().bindings.get.query({ id: shop.bindingId })).binding.idleSince;
    const uses = () => sql<{ fired: boolean; held: boolean }[]>`
      select fired_at >= ${begun} as fired, held_at >= ${begun} as held from binding_use where binding_id = ${shop.bindingId}`;
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
