import { optOutKey } from "shared/core/person-key";
import { newId } from "shared/db/ids";
import { insertRequest, type NewRequest } from "shared/db/requested-event";
import { describe, expect, it, vi } from "vitest";
import { testDatabase } from "../../../test/support/database.ts";
import { gatewayWorld } from "../../../test/support/gateway-world.ts";
import { openGateway, openShop, type Shop, spawnGateway, vault } from "../../../test/support/gateway.ts";
import { addWebhook } from "../../../test/support/receiver.ts";
import { anEvent, postEvent } from "../../../test/support/requests.ts";

const timeLimits = { dueMs: 20, requestedTickMs: 20 };
const world = gatewayWorld(timeLimits);
const soon = { timeout: 15_000, interval: 50 };

/** Asks for an event, as the admin server does. */
async function ask(shop: Shop, changes: Partial<NewRequest>, sql = world.sql): Promise<string> {
  const none = { replay_of: null, binding_id: null, template_id: null, name: null, payload: null, phone: null };
  const row = { ...none, kind: "replay" as const, id: newId(), request_id: newId(), account_id: shop.accountId, site_id: shop.siteId };
  return (await insertRequest(sql, { ...row, ...changes })).id;
}

/** The reason why there is no such event; null if there is one. */
const settled = (id: string, sql = world.sql): Promise<string | null> =>
  vi.waitFor(async () => {
    const [row] = await sql<
      [{ problem: string | null; done: boolean }]
    >`select problem, done_at is not null as done from requested_event where id = ${id}`;
    expect(row.done).toBe(true);
    return row.problem;
  }, soon);

const post = async (shop: Shop, payload: object = anEvent, headers: Record<string, string> = {}): Promise<string> =>
  String((await postEvent(world.gateway, shop, payload, { headers })).json["event_id"]);
const sent = () => world.platform.sends.map(({ body }) => [body.to, textsOf(body.template)]);
const textsOf = (template: { components?: unknown[] }) =>
  JSON.stringify(template.components)
    .match(/"text":"[^"]*"/g)
    ?.map((text) => text.slice(8, -1));
const eventsOf = ({ siteId }: Shop) =>
  world.sql<
    { id: string; test: boolean; chat: string; source: string }[]
  >`select id, test, chat, source from event where site_id = ${siteId} order by id`;

describe("an event that is run once more", () => {
  it.each([false, true])("is planned with the bindings of now, and leaves its order as it is (encrypted: %s)", async (encrypted) => {
    const shop = await openShop(world.sql, { encrypted });
    const original = await post(shop, { ...anEvent, order: { ...anEvent.order, status: "paid" } });
    await post(shop, { customer: {}, order: { ...anEvent.order, status: "shipped" } });
    world.platform.sends.splice(0);
    const before = await world.sql`select status from customer_order where site_id = ${shop.siteId}`;
    await world.sql`update binding set recipient = '{"strategy":"static_phone","phone":"+15557770001"}' where id = ${shop.bindingId}`;
    const id = await ask(shop, { replay_of: original });
    expect(await settled(id)).toBeNull();
    await vi.waitFor(() => expect(sent()).toEqual([["+15557770001", ["Ada", "10042"]]]), soon);
    expect((await eventsOf(shop)).at(-1)).toEqual({ id, test: false, chat: "accepted", source: "generic" });
    expect(await world.sql`select status from customer_order where site_id = ${shop.siteId}`).toEqual(before);
  });

  it("is stored and sent once, whichever gateway dies while it takes it", async () => {
    await using database = await testDatabase();
    const { sql } = database;
    const shop = await openShop(sql);
    const urls = { databaseUrl: database.url, platformApiUrl: world.platform.url };
    await using dying = await spawnGateway({ ...urls, timeLimits, crash: { step: "claim", nth: 2 } });
    const original = String((await postEvent(dying, shop)).json["event_id"]);
    world.platform.sends.splice(0);
    const id = await ask(shop, { replay_of: original }, sql);
    await dying.ended;
    await using _other = await openGateway(database.url, world.platform.url, {}, timeLimits);
    // Plays a gateway that dies before it stores the event, and then, twice, before it reports it.
    for (let died = 1; died <= 3; died += 1) {
      await sql`update requested_event set done_at = null, owner = null, lease_until = null, due_at = now() where id = ${id}`;
      expect(await settled(id, sql)).toBeNull();
    }
    await vi.waitFor(() => expect(sent()).toEqual([["+15551230001", ["Ada", "10042"]]]), soon);
    expect(await sql`select from event where id = ${id}`).toHaveLength(1);
  });

  it("is refused when its site refuses events, or its data is gone, and waits while somebody is being forgotten", async () => {
    const shop = await openShop(world.sql);
    const original = await post(shop);
    const dryRun = await post(shop, anEvent, { "X-Service-Mode": "test" });
    world.platform.sends.splice(0);
    expect(await settled(await ask(shop, { replay_of: dryRun }))).toBe("dry_run");
    expect(await settled(await ask(shop, { replay_of: newId() }))).toBe("event_gone");
    await world.sql`update site set enabled = false where id = ${shop.siteId}`;
    expect(await settled(await ask(shop, { replay_of: original }))).toBe("site_disabled");
    await world.sql`update site set enabled = true where id = ${shop.siteId}`;
    const erasure = newId();
    await world.sql`
      insert into erasure (id, account_id, requested_by, phone, phone_hash, hint, below, steps)
      values (${erasure}, ${shop.accountId}, 'ann', '', ${erasure}, '', ${newId()}, '[]')`;
    const waits = await ask(shop, { replay_of: original });
    const other = await openShop(world.sql);
    expect(await settled(await ask(other, { replay_of: await post(other) }))).toBeNull();
    await world.sql`delete from event_payload where site_id = ${shop.siteId} and id = ${original}`;
    await world.sql`update erasure set finished_at = now() where id = ${erasure}`;
    expect(await settled(waits)).toBe("payload_gone");
    expect((await eventsOf(shop)).map(({ id }) => id)).toEqual([original, dryRun]);
  });

  it("keeps to opt-outs and to a held site, and tells endpoints as any event", async () => {
    const shop = await openShop(world.sql);
    const original = await post(shop);
    await addWebhook(world.sql, shop, { url: "http://127.0.0.1:9/hook" });
    await world.sql`update site set hold_messages = true where id = ${shop.siteId}`;
    const held = await ask(shop, { replay_of: original });
    expect(await settled(held)).toBeNull();
    const statusesOf = (eventId: string) =>
      world.sql`select status, error_code from notification where site_id = ${shop.siteId} and event_id = ${eventId}`;
    expect(await statusesOf(held)).toEqual([{ status: "scheduled", error_code: null }]);
    await world.sql`
      insert into opt_out (id, account_id, phone_hash, scope, source, active, since, told_at)
      values (${newId()}, ${shop.accountId}, ${vault.fingerprint(optOutKey(shop.accountId, "+15551230001"))}, 'all', 'operator', true, now(), now())`;
    await world.sql`update account set has_opt_outs = true where id = ${shop.accountId}`;
    const refused = await ask(shop, { replay_of: original });
    expect(await settled(refused)).toBeNull();
    expect(await statusesOf(refused)).toEqual([{ status: "failed", error_code: "recipient_opted_out" }]);
    expect(await world.sql`select type from webhook_delivery where event_id = ${refused}`).toEqual([{ type: "message.failed" }]);
  });
});

it("of a backfill it is for its binding alone, and nobody gets what would have expired", async () => {
  const shop = await openShop(world.sql);
  const [late, past] = [newId(), newId()];
  await world.sql`
    insert into binding (id, site_id, event, template_id, recipient, variable_map, schedule)
    select unnest(${[late, past]}::uuid[]), site_id, event, template_id, '{"strategy":"static_phone","phone":"+15557770002"}', variable_map,
      unnest(${[null, '{"expiresSeconds":1}']}::text[])::jsonb
    from binding where id = ${shop.bindingId}`;
  const original = await post(shop);
  await vi.waitFor(() => expect(world.platform.sends).toHaveLength(3), soon);
  world.platform.sends.splice(0);
  const older = original.replace(/^.{13}/, "019a0000-0000");
  for (const table of ["event", "event_payload"]) await world.sql`update ${world.sql(table)} set id = ${older} where id = ${original}`;
  const backfill = { kind: "backfill", replay_of: older } as const;
  expect(await settled(await ask(shop, { ...backfill, binding_id: late }))).toBeNull();
  expect(await settled(await ask(shop, { ...backfill, binding_id: past }))).toBe("expired");
  expect(await settled(await ask(shop, { ...backfill, binding_id: newId() }))).toBe("binding_gone");
  await vi.waitFor(() => expect(sent()).toEqual([["+15557770002", ["Ada", "10042"]]]), soon);
});

describe("a test", () => {
  const test = (shop: Shop, changes: Partial<NewRequest>) =>
    ask(shop, { kind: "test", name: "order.created", payload: JSON.stringify(anEvent), ...changes });

  it.each([
    ["all bindings of an event", () => ({}), "+15550009999", ["Ada", "10042"]],
    ["a binding", (shop: Shop) => ({ binding_id: shop.bindingId }), "+15550009999", ["Ada", "10042"]],
    ["another phone", (shop: Shop) => ({ binding_id: shop.bindingId, phone: "+15558880001" }), "+15558880001", ["Ada", "10042"]],
    [
      "a template",
      (shop: Shop) => ({ template_id: shop.templateId, name: "test", payload: '{"body":["Bea"]}' }),
      "+15550009999",
      ["Bea", "10042"],
    ],
  ])("of %s reaches the test phone at once, and nothing else is touched", async (what, changes, phone, texts) => {
    const shop = await openShop(world.sql, { schedule: { delaySeconds: 86_400 } });
    if (what === "a binding") await world.sql`update binding set enabled = false where id = ${shop.bindingId}`;
    await addWebhook(world.sql, shop, { url: "http://127.0.0.1:9/hook" });
    const id = await test(shop, changes(shop));
    expect(await settled(id)).toBeNull();
    await vi.waitFor(() => expect(sent()).toEqual([[phone, texts]]), soon);
    expect(await eventsOf(shop)).toEqual([{ id, test: true, chat: "accepted", source: "dashboard" }]);
    expect(await world.sql`select test from notification where site_id = ${shop.siteId}`).toEqual([{ test: true }]);
    expect(await world.sql`select from customer_order where site_id = ${shop.siteId}`).toHaveLength(0);
    expect(await world.sql`select from webhook_delivery where site_id = ${shop.siteId}`).toHaveLength(0);
    expect(await world.sql`select payload, phone from requested_event where id = ${id}`).toEqual([{ payload: null, phone: null }]);
  });

  it("is refused without a phone, and when it comes too late", async () => {
    const shop = await openShop(world.sql);
    const early = newId().replace(/^.{13}/, "018f0000-0000");
    expect(await settled(await test(shop, { id: early }))).toBe("too_late");
    await world.sql`update site set test_phone = null where id = ${shop.siteId}`;
    expect(await settled(await test(shop, {}))).toBe("no_test_phone");
    expect(await eventsOf(shop)).toEqual([]);
  });
});
