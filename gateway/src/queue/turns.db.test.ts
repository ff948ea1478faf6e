import { renewGatewayLease } from "shared/db/event/gateway-lease";
import { newId } from "shared/db/ids";
import type { Sql } from "shared/db/statement";
import { cancelOfBinding } from "shared/db/waiting/cancel";
import { listScheduled, readBacklog } from "shared/db/waiting/list";
import { takeDue } from "shared/db/waiting/take";
import { turnOver } from "shared/db/waiting/turns";
import { encodeReference } from "shared/platform/client";
import { expect, it, vi } from "vitest";
import { gatewayWorld } from "../../../test/support/gateway-world.ts";
import { openGateway, openShop, type Shop } from "../../../test/support/gateway.ts";
import { heldUp } from "../../../test/support/held-up.ts";
import { anEvent, postEvent, postUpdates } from "../../../test/support/requests.ts";

const world = gatewayWorld({ dueMs: 20 });

const soon = { timeout: 20_000, interval: 50 };
const preferAsync = { headers: { Prefer: "respond-async" } };
const waitingOf = async ({ siteId }: Shop) => [...(await world.sql`select owner, again from waiting_message where site_id = ${siteId}`)];
const statusesOf = async ({ siteId }: Shop) =>
  (await world.sql`select status from notification where site_id = ${siteId} order by id`).map(({ status }) => status as string);

const cart = (id: string) => ({ ...anEvent, cart: { id } });

it("a message that the platform reports at the moment of the take is not sent", async () => {
  const shop = await openShop(world.sql);
  await world.sql`update site set hold_messages = true where id = ${shop.siteId}`;
  await postEvent(world.gateway, shop, anEvent, preferAsync);
  let taken: Promise<unknown> = Promise.resolve();
  await world.sql.begin(async (callback) => {
    await callback`update notification set status = 'delivered' where site_id = ${shop.siteId}`;
    await world.sql`update site set hold_messages = false where id = ${shop.siteId}`;
    taken = vi.waitFor(async () => expect(await waitingOf(shop)).toEqual([]), soon);
    await vi.waitUntil(async () => (await world.sql`select from pg_locks where not granted`).length > 0, soon);
  });
  await taken;
  expect(world.platform.sends).toEqual([]);
  expect(await statusesOf(shop)).toEqual(["delivered"]);
});

it("a site with many messages keeps neither another site nor another account waiting", async () => {
  const crowded = await openShop(world.sql, { messagesPerSecond: 40 });
  const sibling = await openShop(world.sql, { accountId: crowded.accountId });
  const other = await openShop(world.sql);
  await world.sql`update platform_account set phone_number_id = account_id::text`;
  const sites = [crowded, sibling, other].map(({ siteId }) => siteId);
  await world.sql`update site set hold_messages = true where id = any(${sites}::uuid[])`;
  const order = (n: number) => ({ customer: { phone_e164: `+1555${1_000_000 + n}` }, order: { id: `${n}` } });
  for (let n = 0; n < 120; n += 20)
    await Promise.all(Array.from({ length: 20 }, (_, i) => postEvent(world.gateway, crowded, order(n + i), preferAsync)));
  for (const [i, shop] of [sibling, other].entries()) await postEvent(world.gateway, shop, order(900 + i), preferAsync);
  world.platform.sends.splice(0);
  await world.sql`update site set hold_messages = false where id = any(${sites}::uuid[])`;
  await vi.waitUntil(async () => (await world.sql`select from waiting_message where site_id = any(${sites}::uuid[])`).length === 0, soon);
  const phones = world.platform.sends.map(({ body }) => body.to);
  expect(phones).toHaveLength(122);
  // Waves of twenty of one account take turns.
  expect(phones.indexOf("+15551000900")).toBeLessThan(45);
  expect(phones.indexOf("+15551000901")).toBeLessThan(45);
});

it.each<[string, (shop: Shop) => Promise<unknown>, string]>([
  ["an event", (shop) => postEvent(world.gateway, shop, { ...anEvent, cart: { id: "a" } }), "cancelled_by_event"],
  ["its binding's end", ({ siteId, bindingId }) => cancelOfBinding(world.sql, siteId, bindingId), "binding_deleted"],
])(
  "a message that nobody knows to be sent is cancelled by %s, and what the platform reports counts all the same",
  async (_, stop, code) => {
    const shop = await openShop(world.sql, {
      event: "cart.updated",
      schedule: { delaySeconds: 3600, cancelOn: { events: ["order.created"], by: "cart.id" } },
    });
    await postEvent(world.gateway, shop, { ...anEvent, cart: { id: "a" } }, { event: "cart.updated" });
    // Stands for a gateway that has died.
    await world.sql`update waiting_message set doubts = 1, again = true where site_id = ${shop.siteId}`;
    await world.sql`update notification set status = 'sending', in_doubt_since = now() where site_id = ${shop.siteId}`;
    await stop(shop);
    const logged = async () => [
      ...(await world.sql`select id, status, error_code, in_doubt_since from notification where site_id = ${shop.siteId}`),
    ];
    const [message] = await logged();
    expect(message).toMatchObject({ status: "cancelled", error_code: code, in_doubt_since: null });
    expect(await waitingOf(shop)).toEqual([]);
    const reference = encodeReference({ siteId: shop.siteId, notificationId: String(message?.["id"]), attempt: 1 });
    await postUpdates(world.gateway, shop, [
      { id: "wamid.late", status: "delivered", timestamp: "1800000000", biz_opaque_callback_data: reference },
    ]);
    expect(await logged()).toMatchObject([{ status: "delivered", error_code: null }]);
  },
);

it("what may have been sent waits no longer once the platform reports it, also where nothing is taken", async () => {
  const shop = await openShop(world.sql);
  await world.sql`update site set hold_messages = true where id = ${shop.siteId}`;
  for (const name of ["sent", "unknown"]) await postEvent(world.gateway, shop, { ...anEvent, order: { id: name } }, preferAsync);
  await world.sql`update waiting_message set doubts = 1, again = true where site_id = ${shop.siteId}`;
  const [message, other] = await world.sql<{ id: string }[]>`
    update notification set status = 'sending', in_doubt_since = now() where site_id = ${shop.siteId} returning id`;
  const reference = encodeReference({ siteId: shop.siteId, notificationId: String(message?.id), attempt: 1 });
  const report = { id: "wamid.in-doubt", status: "delivered", timestamp: "1800000000", biz_opaque_callback_data: reference };
  await postUpdates(world.gateway, shop, [report]);
  expect((await listScheduled(world.sql, shop.accountId, {}, { before: null, from: null, limit: 9 })).map(({ id }) => id)).toEqual([
    other?.id,
  ]);
  expect(await readBacklog(world.sql, shop.accountId, { siteId: shop.siteId })).toMatchObject({ scheduled: 1, paused: 1 });
});

it("a number's messages leave in their order, and no more are taken than leave soon, though the pace has just become another", async () => {
  const shop = await openShop(world.sql, { messagesPerSecond: 40 });
  await world.sql`update platform_account set phone_number_id = account_id::text where account_id = ${shop.accountId}`;
  const hold = (isOn: boolean) => world.sql`update site set hold_messages = ${isOn} where id = ${shop.siteId}`.execute();
  const takenNow = async () => (await world.sql`select from waiting_message where site_id = ${shop.siteId} and owner is not null`).length;
  const phones = Array.from({ length: 45 }, (_, n) => `+1555${4_000_000 + n}`);
  await hold(true);
  for (const phone_e164 of phones) await postEvent(world.gateway, shop, { customer: { phone_e164 } }, preferAsync);
  await world.sql`update account set has_opt_outs = true, messages_per_second = 6 where id = ${shop.accountId}`;
  // The first messages, taken at the former pace, are judged for a while: nothing overtakes them.
  const judge = (sql: Sql) => sql`lock table opt_out in access exclusive mode`;
  await Promise.all(
    await heldUp(
      world.sql,
      judge,
      1,
      () => [hold(false)],
      async () => expect(await takenNow()).toBe(20),
    ),
  );
  for (let sent = 1; sent < 9; sent += 1) {
    await vi.waitUntil(() => world.platform.sends.length >= sent, soon);
    expect(await takenNow()).toBeLessThanOrEqual(6);
  }
  await hold(true);
  await vi.waitUntil(async () => (await takenNow()) === 0, soon);
  const sent = world.platform.sends.map(({ body }) => String(body.to));
  expect(sent).toEqual(phones.slice(0, sent.length));
  expect(sent.length).toBeLessThan(20);
  expect(await waitingOf(shop)).toHaveLength(phones.length - sent.length);
});

it("nothing is taken, or looked for again and again, at a site whose messages are held", async () => {
  const shop = await openShop(world.sql);
  const owner = newId();
  await renewGatewayLease(world.sql, { id: owner, seconds: 60, since: owner });
  await world.sql`update site set hold_messages = true where id = ${shop.siteId}`;
  await postEvent(world.gateway, shop, anEvent, preferAsync);
  expect(await takeDue(world.sql, owner, shop.siteId, 1)).toEqual({ messages: [], isMore: false });
  await world.sql`update site set hold_messages = false where id = ${shop.siteId}`;
  await vi.waitUntil(async () => (await statusesOf(shop))[0] === "sent", soon);
});

it("recipients whose messages were cancelled hold nobody up", async () => {
  const shop = await openShop(world.sql);
  await world.sql`
    insert into recipient_turn (account_id, phone_hash, site_id, due_at)
    select ${shop.accountId}, 'gone ' || n, ${shop.siteId}, now() - interval '1 hour' from generate_series(1, 500) n`;
  await postEvent(world.gateway, shop, anEvent, preferAsync);
  await vi.waitUntil(async () => (await statusesOf(shop))[0] === "sent", soon);
  expect(await world.sql`select from recipient_turn where account_id = ${shop.accountId}`).toEqual([]);
});

it("a phone that waits at a held site gets its message of another, and what was held when the hold ends", async () => {
  const held = await openShop(world.sql);
  const other = await openShop(world.sql, { accountId: held.accountId, schedule: { delaySeconds: 3600 } });
  const hold = (isOn: boolean) =>
    world.sql.begin(async (sql) => {
      await sql`update site set hold_messages = ${isOn} where id = ${held.siteId}`;
      await turnOver(sql, held.siteId);
    });
  const turn = async () =>
    (await world.sql`select site_id, due_at > now() as later from recipient_turn where account_id = ${held.accountId}`)[0];
  await hold(true);
  await postEvent(world.gateway, held, anEvent, preferAsync);
  await postEvent(world.gateway, other, anEvent);
  expect(await turn()).toEqual({ site_id: other.siteId, later: true });
  await hold(false);
  await vi.waitUntil(async () => (await statusesOf(held))[0] === "sent", soon);
  expect(await statusesOf(other)).toEqual(["scheduled"]);
  await hold(true);
  // The site of the message that is due first is on hold, so the turn stays with the other site.
  await postEvent(world.gateway, held, anEvent, preferAsync);
  expect(await turn()).toEqual({ site_id: other.siteId, later: true });
  await world.sql`update waiting_message set due_at = now(), queued_at = now() where site_id = ${other.siteId}`;
  await world.sql`update recipient_turn set due_at = now() where account_id = ${held.accountId}`;
  await vi.waitUntil(async () => (await statusesOf(other))[0] === "sent", soon);
  expect(await statusesOf(held)).toEqual(["sent", "scheduled"]);
});

it("the turn of a cancelled message keeps nothing of another site waiting once that site's hold ends", async () => {
  const held = await openShop(world.sql);
  const other = await openShop(world.sql, { accountId: held.accountId, schedule: { delaySeconds: 3600 } });
  await postEvent(world.gateway, other, anEvent);
  await cancelOfBinding(world.sql, other.siteId, other.bindingId);
  await world.sql`update site set hold_messages = true where id = ${held.siteId}`;
  await postEvent(world.gateway, held, anEvent, preferAsync);
  expect(await world.sql`select site_id from recipient_turn where account_id = ${held.accountId}`).toEqual([{ site_id: other.siteId }]);
  await world.sql.begin(async (sql) => {
    await sql`update site set hold_messages = false where id = ${held.siteId}`;
    await turnOver(sql, held.siteId);
  });
  await vi.waitUntil(async () => (await statusesOf(held))[0] === "sent", soon);
});

it("a message that would leave with its event is cancelled by an earlier one, which the answer and the log tell alike", async () => {
  const shop = await openShop(world.sql, { schedule: { cancelOn: { events: ["order.paid"], by: "cart.id" } } });
  await postEvent(world.gateway, shop, cart("a"), { event: "order.paid" });
  await postEvent(world.gateway, shop, cart("b"), { event: "order.paid" });
  const keyed = { headers: { "X-Service-Idempotency-Key": "once" } };
  const [told, repeated] = [await postEvent(world.gateway, shop, cart("a"), keyed), await postEvent(world.gateway, shop, cart("a"), keyed)];
  expect(told).toMatchObject({ status: 200, json: { chat: "scheduled", bindings_run: 1, recipients_sent: 0, recipients_failed: 0 } });
  expect(repeated.json).toEqual(told.json);
  expect((await postEvent(world.gateway, shop, cart("b"), preferAsync)).json).toMatchObject({ chat: "scheduled" });
  expect((await postEvent(world.gateway, shop, cart("a"))).json).toMatchObject({ chat: "sent", recipients_sent: 1 });
  expect(await statusesOf(shop)).toEqual(["cancelled", "cancelled", "sent"]);
  expect(world.platform.sends).toHaveLength(1);
  expect(await world.sql`select from event where site_id = ${shop.siteId} and chat is null`).toEqual([]);
});

it("a gateway that stops hands back what it has not sent", async () => {
  const shop = await openShop(world.sql, { messagesPerSecond: 1 });
  const first = await openGateway(world.databaseUrl, world.platform.url, {}, { dueMs: 20 });
  const phones = Array.from({ length: 8 }, (_, n) => `+1555123100${n}`);
  for (const phone of phones) await postEvent(first, shop, { customer: { phone_e164: phone } }, preferAsync);
  await first[Symbol.asyncDispose]();
  await world.sql`update account set messages_per_second = null where id = ${shop.accountId}`;
  await vi.waitFor(async () => expect(new Set(await statusesOf(shop))).toEqual(new Set(["sent"])), soon);
  expect(world.platform.sends.map(({ body }) => body.to).toSorted()).toEqual(phones);
});

it("a message meets the event that cancels it at another gateway in the same moment", async () => {
  const shop = await openShop(world.sql, {
    event: "cart.updated",
    schedule: { delaySeconds: 3600, cancelOn: { events: ["order.created"], by: "cart.id" } },
  });
  await using second = await openGateway(world.databaseUrl, world.platform.url, {}, { dueMs: 20 });
  const one = { ...cart("same"), order: { id: "7" } };
  await postEvent(world.gateway, shop, one, { event: "order.seen" });
  const ofOrder = (sql: Sql) => sql`select from customer_order where site_id = ${shop.siteId} for update`;
  const calls = () => [postEvent(world.gateway, shop, one, { event: "cart.updated" }), postEvent(second, shop, one)];
  await Promise.all(await heldUp(world.sql, ofOrder, 2, calls));
  expect(await statusesOf(shop)).toEqual(["cancelled"]);
});
