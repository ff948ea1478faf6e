import { insertMembership } from "shared/db/membership";
import { resumeAfterEnd } from "shared/db/platform-account";
import { signBody } from "shared/secrets/signature";
import { describe, expect, it, vi } from "vitest";
import { openAdminOn } from "../support/admin.ts";
import { gatewayWorld } from "../support/gateway-world.ts";
import { masterKey, openShop, type Shop } from "../support/gateway.ts";
import { answer, newMessageId, refuse } from "../support/platform.ts";
import { postEvent } from "../support/requests.ts";
import { shared } from "../support/shared.ts";

const world = gatewayWorld({ dueMs: 20 });
const hour = 3_600_000;
const admin = shared(() => openAdminOn(world.databaseUrl, { masterKey }));

/** A shop with a number of its own, and its owner. */
async function open(settings: { retryHours?: number; phones?: string[] } = {}) {
  const phones = settings.phones ?? [];
  const shop = await openShop(world.sql, phones.length > 0 ? { recipient: { strategy: "site_recipients" }, phones } : {});
  await world.sql`update platform_account set phone_number_id = ${shop.siteId} where account_id = ${shop.accountId}`;
  await world.sql`update account set retry_hours = ${settings.retryHours ?? 24} where id = ${shop.accountId}`;
  const { client, user } = await admin.signUp();
  await insertMembership(world.sql, { userId: user.id, accountId: shop.accountId, role: "owner" });
  await client.auth.switchAccount.mutate({ accountId: shop.accountId });
  return { shop, client };
}
type Client = Awaited<ReturnType<typeof open>>["client"];

const post = async (shop: Shop, phone = "+15551230001") =>
  (await postEvent(world.gateway, shop, { customer: { first_name: "Ada", phone_e164: phone } })).json;
const logOf = async (client: Client) => (await client.notifications.list.query({})).items;
const one = async (client: Client) => (await logOf(client))[0];
const seconds = (): string => String(Math.floor(Date.now() / 1000));
const reference = (): string => world.platform.sends.at(-1)?.body.biz_opaque_callback_data ?? "";
const report = async (shop: Shop, status: string, more: object = {}): Promise<void> => {
  const update = { id: "wamid.x", status, timestamp: seconds(), biz_opaque_callback_data: reference(), ...more };
  await tell(shop, "messages", { statuses: [update] });
};
const failed = (code: number) => ({ errors: [{ code, title: "No" }] });
const tell = async ({ accountId, appSecret }: Shop, field: string, value: object, entry: object = {}): Promise<void> => {
  const body = Buffer.from(JSON.stringify({ entry: [{ ...entry, changes: [{ field, value }] }] }));
  const url = `${world.gateway.url}/api/public/platform/webhook/${accountId}`;
  const response = await fetch(url, { method: "POST", headers: { "X-Hub-Signature-256": signBody(appSecret, body) }, body });
  expect(response.status).toBe(200);
};
const passes = async ({ siteId, accountId }: Shop): Promise<void> => {
  await world.sql`update waiting_message set due_at = now() where site_id = ${siteId}`;
  await world.sql`update recipient_turn set due_at = now(), paused_until = null where account_id = ${accountId}`;
};
const putOffPoll = ({ accountId }: Shop) =>
  world.sql`update template_poll set due_at = now() + interval '1 hour', last_at = now() where account_id = ${accountId}`;
const isPolledSoon = async ({ accountId }: Shop): Promise<boolean> =>
  (await world.sql`select from template_poll where account_id = ${accountId} and due_at < now() + interval '61 seconds'`).length > 0;
const soon = { timeout: 20_000, interval: 200 };
const becomes = (client: Client, expected: object) => vi.waitFor(async () => expect(await one(client)).toMatchObject(expected), soon);
/** How far away the next attempt is, in parts of the named wait. */
const waitOf = (nextAttemptAt: string | null | undefined, named: number): number => (Date.parse(nextAttemptAt ?? "") - Date.now()) / named;

describe("a refusal that ends", () => {
  it.each([
    [131064, hour],
    [132015, 3 * hour],
    [134101, hour / 6],
  ])("(%i) has the message of an answered event wait, and is told when it is final", async (code, named) => {
    const { shop, client } = await open();
    const webhook = { siteId: shop.siteId, url: "https://shop.example/hooks", types: ["message.failed" as const] };
    await client.webhooks.create.mutate(webhook);
    world.platform.script((_, response) => refuse(response, 400, code));
    expect(await post(shop)).toMatchObject({ chat: "failed", recipients_failed: 1, recipients_sent: 0 });
    const waiting = await one(client);
    expect(waiting).toMatchObject({ status: "queued", errorCode: null, tries: [{ code: String(code) }] });
    expect(waitOf(waiting?.nextAttemptAt, named)).toBeGreaterThan(0.99);
    expect(waitOf(waiting?.nextAttemptAt, named)).toBeLessThan(1.3);
    expect(world.platform.sends).toHaveLength(1);
    const told = () => world.sql`select type from webhook_delivery where site_id = ${shop.siteId}`;
    expect(await told()).toEqual([]);
    await world.sql`update waiting_message set queued_at = now() - interval '23 hours 59 minutes' where site_id = ${shop.siteId}`;
    await passes(shop);
    await becomes(client, { status: "failed", errorCode: String(code), attempt: 2 });
    expect(await told()).toEqual([{ type: "message.failed" }]);
  });

  it("by callback queues the message again, whatever the platform repeats of the attempt; the next is sent once", async () => {
    const { shop, client } = await open();
    expect(await post(shop)).toMatchObject({ chat: "sent" });
    const first = reference();
    const again = (status: string, more: object = {}) => report(shop, status, { biz_opaque_callback_data: first, ...more });
    await again("failed", failed(131064));
    await again("sent");
    await again("failed", failed(131064));
    const waiting = await one(client);
    expect(waiting).toMatchObject({ status: "queued", waMessageId: null, sentAt: null, tries: [{ code: "131064" }] });
    expect(waitOf(waiting?.nextAttemptAt, hour)).toBeGreaterThan(0.99);
    await passes(shop);
    await becomes(client, { status: "sent", attempt: 2 });
    expect(world.platform.sends).toHaveLength(2);
    await again("failed", failed(131064));
    expect(await one(client)).toMatchObject({ status: "sent" });
  });

  it("that is reported before the send is recorded is kept all the same, also for a message of the queue", async () => {
    const { shop, client } = await open();
    world.platform.script(async (send) => {
      if (world.platform.sends.length <= 2)
        await report(shop, "failed", { biz_opaque_callback_data: send.body.biz_opaque_callback_data, ...failed(131064) });
      return newMessageId();
    });
    expect(await post(shop)).toMatchObject({ chat: "sent" });
    expect(await one(client)).toMatchObject({ status: "queued", attempt: 1 });
    await passes(shop);
    await vi.waitFor(async () => expect((await one(client))?.tries).toHaveLength(2), soon);
    await vi.waitFor(
      async () => expect(await world.sql`select from waiting_message where site_id = ${shop.siteId} and owner is null`).toHaveLength(1),
      soon,
    );
    expect(waitOf((await one(client))?.nextAttemptAt, hour)).toBeGreaterThan(0.99);
    await passes(shop);
    await becomes(client, { status: "sent", attempt: 3 });
  });

  it("keeps the message's schedule, whether the answer or a report held it", async () => {
    const { shop } = await open();
    const schedule = { expiresSeconds: 60, cancelOn: { events: ["order.paid"], by: "customer.first_name" } };
    await world.sql`update binding set schedule = ${JSON.stringify(schedule)}::text::json where id = ${shop.bindingId}`;
    world.platform.script((_, response) => refuse(response, 400, 131064));
    await post(shop);
    world.platform.script(newMessageId);
    await post(shop);
    await report(shop, "failed", failed(131064));
    const rows = await world.sql`
      select cancel_key is not null as cancels, extract(epoch from expires_at - uuid_time(event_id))::integer as seconds from waiting_message where site_id = ${shop.siteId}`;
    expect([...rows]).toEqual(Array(2).fill({ cancels: true, seconds: 60 }));
  });

  it("is final where the site wishes no retry after the answer, and where the account never tries again", async () => {
    const { shop, client } = await open();
    const { site } = await client.sites.update.mutate({ id: shop.siteId, retryAfterAnswer: false });
    expect(site.retryAfterAnswer).toBe(false);
    world.platform.script((_, response) => refuse(response, 400, 131064));
    await post(shop);
    expect(await one(client)).toMatchObject({ status: "failed", errorCode: "131064" });
    world.platform.script(newMessageId);
    await post(shop);
    await report(shop, "failed", failed(132015));
    expect(await one(client)).toMatchObject({ status: "failed", errorCode: "132015" });
    const never = await open({ retryHours: 0 });
    await post(never.shop);
    await report(never.shop, "failed", failed(131064));
    expect(await one(never.client)).toMatchObject({ status: "failed" });
  });

  it("(131049) by callback is tried once more after a day, if there is time for that", async () => {
    const { shop, client } = await open({ retryHours: 48 });
    await post(shop);
    await report(shop, "failed", failed(131049));
    expect(waitOf((await one(client))?.nextAttemptAt, 24 * hour)).toBeGreaterThan(0.99);
    await passes(shop);
    await becomes(client, { status: "sent", attempt: 2 });
    await report(shop, "failed", failed(131049));
    expect(await one(client)).toMatchObject({ status: "failed", errorCode: "131049" });
  });

  it("of a paused template ends as soon as it is approved again; queued messages to it wait untried", async () => {
    const { shop, client } = await open();
    world.platform.script((_, response) => refuse(response, 400, 132015));
    await post(shop);
    const [{ name } = { name: "" }] = await world.sql<{ name: string }[]>`select name from template where id = ${shop.templateId}`;
    const about = { message_template_name: name, message_template_language: "en_US" };
    await tell(shop, "message_template_status_update", { ...about, event: "PAUSED" });
    const person = { phone_e164: "+15551230002", first_name: "Ada" };
    await postEvent(world.gateway, shop, { customer: person }, { headers: { Prefer: "respond-async" } });
    await vi.waitFor(
      async () =>
        expect(await world.sql`select from waiting_message where site_id = ${shop.siteId} and held_for = '132015'`).toHaveLength(2),
      soon,
    );
    world.platform.script(newMessageId);
    await tell(shop, "message_template_status_update", { ...about, event: "APPROVED" });
    await vi.waitFor(async () => expect((await logOf(client)).map(({ status }) => status)).toEqual(["sent", "sent"]), soon);
    // A pause that nobody told of; the list is to be read soon.
    await putOffPoll(shop);
    world.platform.script((_, response) => refuse(response, 400, 132015));
    await post(shop, "+15551230003");
    expect(await one(client)).toMatchObject({ status: "queued" });
    expect(await isPolledSoon(shop)).toBe(true);
    world.platform.script(newMessageId);
    await tell(shop, "message_template_status_update", { ...about, event: "APPROVED" }, { time: Number(seconds()) + 1 });
    await becomes(client, { status: "sent", attempt: 2 });
  });

  it("of the number (131048) has one message a minute tried until one passes; settings and checks do not end it", async () => {
    const { shop, client } = await open({ phones: ["+15551230001", "+15551230002", "+15551230003"] });
    world.platform.script((_, response) => refuse(response, 400, 131048));
    expect(await post(shop)).toMatchObject({ chat: "failed", recipients_failed: 3 });
    expect((await logOf(client)).every(({ status }) => status === "queued")).toBe(true);
    const sends = world.platform.sends.length;
    expect(await post(shop)).toMatchObject({ chat: "failed", recipients_failed: 3 });
    expect(world.platform.sends).toHaveLength(sends);
    expect((await logOf(client)).slice(0, 3).map(({ status, nextAttemptAt }) => [status, nextAttemptAt])).toEqual(
      Array(3).fill(["queued", null]),
    );
    const limitOf = async () =>
      (await world.sql`select limited_number from platform_account where account_id = ${shop.accountId}`)[0]?.["limited_number"] as unknown;
    await client.settings.update.mutate({ platform: { wabaId: "1001", phoneNumberId: shop.siteId } });
    expect(await limitOf()).toBe(shop.siteId);
    world.platform.script(newMessageId);
    await world.sql`update platform_account set limited_probe_after = now() where account_id = ${shop.accountId}`;
    await vi.waitFor(async () => expect((await logOf(client)).filter(({ status }) => status === "sent")).toHaveLength(3), soon);
    expect(await limitOf()).toBeNull();
  });

  it.each([131063, 134102, 139200, 134011])("(%i) fails its message alone", async (code) => {
    const { shop, client } = await open();
    world.platform.script((_, response) => refuse(response, code === 134102 ? 500 : 400, code));
    await post(shop);
    expect(await one(client)).toMatchObject({ status: "failed", errorCode: String(code) });
    expect(world.platform.sends).toHaveLength(1);
    world.platform.script(newMessageId);
    expect(await post(shop)).toMatchObject({ chat: "sent" });
    expect((await client.settings.get.query()).platform.problem).toBeNull();
  });
});

it("a message that is held for quality is marked until another status comes; its price is counted once", async () => {
  const { shop, client } = await open();
  world.platform.script((_, response) =>
    answer(response, 200, { messages: [{ id: "wamid.h", message_status: "held_for_quality_assessment" }] }),
  );
  await post(shop, "+4915550100001");
  expect(await one(client)).toMatchObject({ status: "sent", heldAt: expect.any(String), pricing: null });
  const pricing = { billable: true, pricing_model: "PMP", type: "regular", category: "utility" };
  await report(shop, "sent", { recipient_id: "4915550100001", pricing });
  await report(shop, "delivered", { recipient_id: "4915550100001", pricing: { ...pricing, category: "marketing" } });
  expect(await one(client)).toMatchObject({
    status: "delivered",
    heldAt: null,
    pricing: { category: "utility", type: "regular", billable: true },
  });
  world.platform.script(newMessageId);
  await post(shop, "+34600111222");
  await report(shop, "delivered", { recipient_id: "34600111222", pricing: { ...pricing, type: "free_customer_service" } });
  const span = { from: new Date(Date.now() - hour).toISOString(), to: new Date(Date.now() + hour).toISOString() };
  const month = new Date().toISOString().slice(0, 7);
  expect(await client.stats.pricing.query(span)).toEqual({
    items: [
      { month, country: "DE", category: "utility", billable: 1, free: 0 },
      { month, country: "ES", category: "utility", billable: 0, free: 1 },
    ],
  });
  // A span that ends at midnight has nothing of the day that begins then.
  const midnight = `${new Date().toISOString().slice(0, 10)}T00:00:00Z`;
  expect(await client.stats.pricing.query({ from: "2026-01-01T00:00:00Z", to: midnight })).toEqual({ items: [] });
  await putOffPoll(shop);
  await post(shop, "+34600111223");
  await report(shop, "sent", { recipient_id: "34600111223", pricing });
  expect(await isPolledSoon(shop)).toBe(false);
  await post(shop, "+34600111223");
  await report(shop, "sent", { recipient_id: "34600111223", pricing: { ...pricing, category: "marketing_lite" } });
  expect(await isPolledSoon(shop)).toBe(true);
});

describe("a person whose phone is hidden", () => {
  const stop = (more: object) => ({
    messages: [{ id: `wamid.in${Math.random()}`, type: "text", text: { body: "STOP" }, timestamp: seconds(), ...more }],
  });
  const optOuts = async (client: Client) =>
    (await client.optOuts.list.query({})).items.map(({ phone, userId, scope }) => ({ phone, userId, scope }));

  it("is known by the user id that a status taught, else by the message that they answer", async () => {
    const { shop, client } = await open();
    await post(shop, "+34600111222");
    await report(shop, "delivered", { recipient_id: "34600111222", recipient_user_id: "ES.2000AbC9" });
    await tell(shop, "messages", stop({ from_user_id: "ES.2000AbC9" }));
    expect(await optOuts(client)).toEqual([{ phone: "+34600111222", userId: null, scope: "all" }]);
    expect(await post(shop, "+34600111222")).toMatchObject({ chat: "failed" });
    await post(shop, "+34600111223");
    const [message] = await logOf(client);
    await tell(shop, "messages", stop({ from_user_id: "ES.7", context: { id: message?.waMessageId } }));
    expect((await optOuts(client))[0]).toMatchObject({ phone: "+34600111223" });
    const value = { user_id: "ES.2000AbC9", category: "marketing_messages", value: "stop", timestamp: Number(seconds()) };
    await tell(shop, "user_preferences", { user_preferences: [value] });
    expect(await optOuts(client)).toContainEqual({ phone: "+34600111222", userId: null, scope: "marketing" });
  });

  it("who is not known yet is kept, and stopped as soon as a status names the phone", async () => {
    const { shop, client } = await open();
    await tell(shop, "messages", stop({ from_user_id: "DE.42" }));
    expect(await optOuts(client)).toEqual([{ phone: null, userId: "DE.42", scope: "all" }]);
    expect(await post(shop, "+4915550100001")).toMatchObject({ chat: "sent" });
    await report(shop, "delivered", { recipient_id: "4915550100001", recipient_user_id: "DE.42" });
    expect(await optOuts(client)).toEqual([{ phone: "+4915550100001", userId: null, scope: "all" }]);
    expect(await post(shop, "+4915550100001")).toMatchObject({ chat: "failed" });
  });

  it("takes an opt-out along to another number and another id", async () => {
    const { shop, client } = await open();
    await post(shop, "+34600111222");
    await report(shop, "delivered", { recipient_id: "34600111222", recipient_user_id: "ES.2" });
    await tell(shop, "messages", stop({ from_user_id: "ES.2" }));
    const moved = { type: "user_changed_number", wa_id: "34600333444", user_id: "ES.3", previous_user_id: "ES.2" };
    await tell(shop, "messages", { messages: [{ type: "system", from: "34600111222", timestamp: seconds(), system: moved }] });
    expect(new Set((await optOuts(client)).map(({ phone }) => phone))).toEqual(new Set(["+34600111222", "+34600333444"]));
    await tell(shop, "messages", {
      messages: [{ type: "text", from_user_id: "ES.3", timestamp: String(Number(seconds()) + 1), text: { body: "START" } }],
    });
    expect(await optOuts(client)).toEqual([{ phone: "+34600111222", userId: null, scope: "all" }]);
  });
});

describe("what the platform tells of the account", () => {
  const problems = async (client: Client) =>
    (await client.problems.list.query({ state: "open" })).items.map(({ kind, subject, title, advice }) => ({
      kind,
      subject,
      said: `${title} ${advice}`,
    }));
  const at = (ago: number) => ({ time: Math.floor(Date.now() / 1000) - ago });

  it("a ban has messages wait, and its end lets them go after a good check; a repeated ban is old news", async () => {
    const { shop, client } = await open();
    const ban = { event: "DISABLED_UPDATE", ban_info: { waba_ban_state: "DISABLE", waba_ban_date: "December 3, 2026" } };
    await tell(shop, "account_update", ban, at(20));
    expect(await post(shop)).toMatchObject({ chat: "failed", recipients_failed: 1 });
    expect(await one(client)).toMatchObject({ status: "queued", nextAttemptAt: null });
    expect(world.platform.sends).toEqual([]);
    await vi.waitFor(
      async () =>
        expect((await problems(client))[0]).toMatchObject({ kind: "platform_stopped", said: expect.stringContaining("December 3, 2026") }),
      soon,
    );
    await tell(shop, "account_update", { event: "DISABLED_UPDATE", ban_info: { waba_ban_state: "REINSTATE" } }, at(10));
    expect(await post(shop)).toMatchObject({ chat: "failed" });
    expect(world.platform.sends).toEqual([]);
    // Stands for the check of an admin server that can ask the platform.
    await resumeAfterEnd(world.sql, shop.accountId);
    await becomes(client, { status: "sent" });
    await tell(shop, "account_update", ban, at(20));
    expect(await post(shop)).toMatchObject({ chat: "sent" });
  });

  it("a restriction lasts until its end, another business account's is none of ours", async () => {
    const { shop, client } = await open();
    const end = Math.floor(Date.now() / 1000) + 7200;
    const restriction_info = [{ restriction_type: "RESTRICTED_BIZ_INITIATED_MESSAGING", expiration: String(end) }];
    await tell(shop, "account_update", { event: "ACCOUNT_RESTRICTION", restriction_info }, { id: "another" });
    expect(await post(shop)).toMatchObject({ chat: "sent" });
    await tell(shop, "account_update", { event: "ACCOUNT_RESTRICTION", restriction_info });
    expect(await post(shop)).toMatchObject({ chat: "failed" });
    expect(await one(client)).toMatchObject({ status: "queued", nextAttemptAt: new Date(end * 1000).toISOString() });
    expect((await client.settings.get.query()).platform.problem).toMatchObject({
      code: "RESTRICTED_BIZ_INITIATED_MESSAGING",
      until: new Date(end * 1000).toISOString(),
    });
    const [check] =
      await world.sql`select due_at from platform_health where account_id = ${shop.accountId} and due_at <= ${new Date(end * 1000)}`;
    expect(check).toBeDefined();
    await world.sql`update platform_account set probe_after = now() where account_id = ${shop.accountId}`;
    await resumeAfterEnd(world.sql, shop.accountId);
    await becomes(client, { status: "sent" });
  });

  it("all else becomes a notice in its own words, and a category is told before it changes and after", async () => {
    const { shop, client } = await open();
    await tell(shop, "account_update", { event: "SOMETHING_NEW", why: "because" });
    await tell(shop, "business_capability_update", { max_daily_conversations_per_business: 2000 });
    const [{ name } = { name: "" }] = await world.sql<{ name: string }[]>`select name from template where id = ${shop.templateId}`;
    const about = { message_template_name: name, message_template_language: "en-US", new_category: "UTILITY" };
    const when = Math.floor(Date.now() / 1000) + 86_400;
    await tell(shop, "template_category_update", { ...about, correct_category: "MARKETING", category_update_timestamp: when });
    const template = async () => (await client.templates.get.query({ id: shop.templateId })).template;
    expect(await template()).toMatchObject({
      category: "UTILITY",
      upcomingCategory: { category: "MARKETING", at: new Date(when * 1000).toISOString() },
    });
    await vi.waitFor(async () => {
      const told = await problems(client);
      expect(told).toContainEqual(
        expect.objectContaining({ kind: "platform_notice", said: expect.stringContaining("SOMETHING_NEW, why because") }),
      );
      expect(told).toContainEqual(
        expect.objectContaining({ kind: "platform_notice", said: expect.stringContaining("max_daily_conversations_per_business 2000") }),
      );
      expect(told).toContainEqual(
        expect.objectContaining({ kind: "template_category", said: expect.stringContaining("is about to make") }),
      );
    }, soon);
    await tell(shop, "template_category_update", { ...about, previous_category: "UTILITY", new_category: "MARKETING" });
    expect(await template()).toMatchObject({ category: "MARKETING", upcomingCategory: null });
    expect(await post(shop)).toMatchObject({ chat: "sent" });
    expect(world.platform.sends.at(-1)?.path).toMatch(/\/messages$/);
    expect((await client.settings.update.mutate({ platform: { marketingRoute: "marketing_messages" } })).platform.marketingRoute).toBe(
      "marketing_messages",
    );
    await post(shop);
    expect(world.platform.sends.at(-1)?.path).toMatch(/\/marketing_messages$/);
  });
});
