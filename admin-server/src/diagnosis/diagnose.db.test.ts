import { newId } from "shared/db/ids";
import { afterAll, beforeAll, expect, test } from "vitest";
import { idAt, insertEvent, insertNotification, openBoundShop, openShopWorld } from "../../../test/support/admin-shops.ts";
import { connectPlatform, openResources, type OpenResources } from "../../../test/support/admin.ts";
import { refuse } from "../../../test/support/platform.ts";
import { anEvent, postEvent } from "../../../test/support/requests.ts";
import { waitFor } from "../../../test/support/wait-for.ts";

let resources: OpenResources;
beforeAll(async () => {
  resources = await openResources();
});
afterAll(() => resources[Symbol.asyncDispose]());

const hour = 3_600_000;
const ago = (hours: number): string => idAt(Date.now() - hours * hour);

/** A connected account with a site, an approved template and a binding of both. */
async function openShop() {
  const shop = await openBoundShop(resources);
  const { sql } = resources;
  await connectPlatform(resources, shop.accountId);
  await sql`update template set status = 'approved' where id = ${shop.templateId}`;
  const { binding } = await shop.api.bindings.create(shop.base);
  const at = { accountId: shop.accountId, siteId: shop.siteId, eventId: newId() };
  return {
    ...shop,
    sql,
    bindingId: binding.id,
    event: (columns: Parameters<typeof insertEvent>[2] = {}) => insertEvent(sql, shop.siteId, { name: "order.shipped", ...columns }),
    message: (columns: Parameters<typeof insertNotification>[2] = {}) =>
      insertNotification(sql, at, { template: "order_shipped", binding_id: binding.id, template_id: shop.templateId, ...columns }),
    codes: async (input: object = {}) => (await shop.api.sites.diagnose(input)).items.map(({ code }) => code),
  };
}

test("a healthy account has nothing wrong, and says since when", async () => {
  const { api, message, siteId } = await openShop();
  expect(await api.sites.diagnose()).toMatchObject({ items: [], lastFailedAt: null });
  const old = ago(24 * 10);
  await message({ id: old, status: "failed", error_code: "131026" });
  await message({ status: "delivered" });
  const { items, lastFailedAt, from, to } = await api.sites.diagnose({ siteId });
  expect(items).toEqual([]);
  expect(Date.now() - Date.parse(lastFailedAt ?? "")).toBeGreaterThan(9 * 24 * hour);
  expect(Date.parse(to) - Date.parse(from)).toBe(24 * hour);
});

test("failures are ranked by messages lost, then by the latest, and each list has exactly what is counted", async () => {
  const { api, message } = await openShop();
  for (let each = 0; each < 3; each += 1) await message({ id: ago(each), status: "failed", error_code: "131026" });
  for (let each = 0; each < 2; each += 1) await message({ id: ago(each + 2), status: "failed", error_code: "throttled" });
  for (let each = 0; each < 2; each += 1) await message({ id: ago(each + 1), status: "failed", error_code: "recipient_opted_out" });
  await message({ id: ago(1), status: "failed", error_code: "132000" });
  for (let each = 0; each < 2; each += 1) await message({ id: ago(each), status: "delivered" });
  await message({ id: ago(30), status: "failed", error_code: "131026" });
  await message({ id: ago(1), status: "cancelled", error_code: "cancelled_by_operator" });

  const { items, from, to } = await api.sites.diagnose();
  expect(items.map((item) => (item.code === "messages_failed" ? [item.errorCode, item.count, item.template] : [item.code]))).toEqual([
    ["131026", 3, null],
    ["recipient_opted_out", 2, null],
    ["throttled", 2, null],
    ["132000", 1, "order_shipped"],
  ]);
  expect(items[0]).toMatchObject({
    share: 3 / 11,
    site: { name: "Shop" },
    sentence: expect.stringMatching(/^3 messages failed \(27 %\): Undeliverable \(131026\)\.$/u) as string,
    action: expect.stringMatching(/not on WhatsApp.*\. Resend/u) as string,
  });
  for (const { place, count } of items) {
    if (place.kind !== "log") throw new Error("no list");
    expect((await api.notifications.list({ ...place.filter, from, to, limit: 200 })).items).toHaveLength(count);
  }
  const week = new Date(Date.now() - 7 * 24 * hour).toISOString();
  expect((await api.sites.diagnose({ from: week })).items[0]).toMatchObject({ errorCode: "131026", count: 4 });
});

test("an empty variable is named, with where its value should have been and how often it lacks", async () => {
  const { api, message, bindingId } = await openShop();
  const reason = "body {{1}}: customer.full_name is missing; button_url {{1}}: order.tracking_number is blank";
  await message({ id: ago(2), status: "failed", error_code: "slot_unresolved", error_reason: reason });
  const last = ago(1);
  await message({ id: last, status: "failed", error_code: "slot_unresolved", error_reason: "body {{1}}: customer.full_name is missing" });
  for (let each = 0; each < 6; each += 1) await message({ id: ago(each), status: "read" });
  const { items } = await api.sites.diagnose();
  expect(items).toMatchObject([
    {
      code: "slot_empty",
      problem: { code: "value_missing", slot: { group: "body", name: "1" }, from: "customer.full_name" },
      count: 2,
      share: 0.25,
      place: { kind: "binding", id: bindingId },
      sentence: "2 messages failed (25 %) because body {{1}} is empty (customer.full_name is missing) in the template order_shipped.",
    },
    { code: "slot_empty", problem: { code: "value_blank", slot: { group: "button_url", name: "1" } }, count: 1, share: 0.125 },
  ]);
});

test("no share is told of messages that were not all looked at", async () => {
  const { api, message, sql } = await openShop();
  const id = await message({ status: "failed", error_code: "slot_unresolved", error_reason: "body {{1}}: a.b is missing" });
  await sql`
    insert into notification (id, account_id, site_id, event_id, event, binding_id, template_id, template, language, to_phone, position, components, status, error_code, error_reason)
    select (left(id::text, 24) || lpad(n::text, 12, '0'))::uuid, account_id, site_id, event_id, event, binding_id, template_id, template, language, to_phone, n, '[]',
      status, error_code, error_reason
    from notification cross join generate_series(1, 2099) n where id = ${id}`;
  const [item, ...others] = (await api.sites.diagnose()).items;
  expect(item).toMatchObject({ code: "slot_empty", count: 2_000, more: true, share: null });
  expect(others).toEqual([]);
});

test.each(["rejected", "paused", "disabled", "pending"] as const)(
  "a %s template that a binding uses, with the messages that it has cost",
  async (status) => {
    const { api, message, sql, templateId } = await openShop();
    await sql`update template set status = ${status} where id = ${templateId}`;
    expect((await api.sites.diagnose()).items).toMatchObject([
      { code: "template_not_usable", status, count: 0, place: { kind: "template", id: templateId } },
    ]);
    await message({ status: "failed", error_code: "template_not_approved" });
    expect((await api.sites.diagnose()).items).toMatchObject([{ code: "template_not_usable", status, count: 1, share: 1 }]);
    await sql`update template set status = 'approved' where id = ${templateId}`;
    expect((await api.sites.diagnose()).items).toMatchObject([{ code: "messages_failed", errorCode: "template_not_approved", count: 1 }]);
  },
);

test("what stops everything comes first, whatever else was lost", async () => {
  const { api, message, event, sql, accountId, codes, siteId } = await openShop();
  for (let each = 0; each < 3; each += 1) await message({ status: "failed", error_code: "131026" });
  for (const error_code of ["account_stopped", "190"]) {
    await message({ status: "failed", error_code, failed_at: new Date() });
    // Of an earlier stop, which was cured.
    await message({ status: "failed", error_code, failed_at: new Date(Date.now() - hour) });
  }
  await sql`
    update platform_account set stopped_code = '190', stopped_reason = 'expired', stopped_at = now() - interval '1 minute' where account_id = ${accountId}`;
  const [first, ...others] = (await api.sites.diagnose()).items;
  expect(first).toMatchObject({ code: "platform_stopped", errorCode: "190", count: 2, place: { kind: "platform" } });
  const told = others.map((item) => [item.code === "messages_failed" && item.errorCode, [item.count, item.place.kind]]);
  expect(Object.fromEntries(told)).toEqual({ "131026": [3, "log"], "190": [1, "platform"], account_stopped: [1, "platform"] });
  await sql`delete from platform_account where account_id = ${accountId}`;
  await event({ chat: "skipped_no_config" });
  expect((await codes())[0]).toBe("platform_missing");
  await sql`update site_secret set secret = ${Buffer.from("x").toString("base64")} where site_id = ${siteId} and kind = 'webhook_secret'`;
  expect((await codes()).slice(0, 2).toSorted()).toEqual(["platform_missing", "secret_unreadable"]);
});

test("sites that refuse events, or hold their messages, with what is lost or waits by it", async () => {
  const { api, message, sql, siteId, accountId, codes } = await openShop();
  await api.sites.update({ id: siteId, enabled: false, holdMessages: true });
  expect(await codes()).toEqual(["site_disabled", "site_held"]);
  const id = await message({ status: "scheduled" });
  await sql`
    insert into waiting_message (site_id, id, account_id, event_id, binding_id, phone_hash, due_at, queued_at)
    values (${siteId}, ${id}, ${accountId}, ${id}, ${id}, 'digest', 'infinity', 'infinity')`;
  await message({ status: "failed", error_code: "site_disabled" });
  expect((await api.sites.diagnose()).items).toMatchObject([
    { code: "site_disabled", count: 1 },
    { code: "site_held", count: 1, place: { kind: "scheduled", filter: { siteId } } },
  ]);
});

test("events that nobody reaches, each reason with its list", async () => {
  const { api, event, siteId } = await openShop();
  for (let each = 0; each < 2; each += 1)
    await event({ id: ago(each + 1), chat: "skipped_no_phone", unreached: "no_country customer.phone" });
  await event({ chat: "skipped_no_phone", unreached: "no_active_recipient" });
  const { items, from, to } = await api.sites.diagnose();
  expect(items).toMatchObject([
    { code: "nobody_reached", count: 2, reason: { code: "phone_unreadable", problem: "no_country" } },
    { code: "nobody_reached", count: 1, reason: { code: "no_active_recipient" } },
  ]);
  expect(items[0]?.sentence).toBe("2 events had no recipient: the phone at customer.phone has no country code (+49…).");
  for (const { place, count } of items) {
    if (place.kind !== "events") throw new Error("no list");
    expect(place.filter.siteId).toBe(siteId);
    expect((await api.events.list({ ...place.filter, from, to })).items).toHaveLength(count);
  }
});

test("phones that are left out while others of the event get the message, by what is wrong with them", async () => {
  const { api, event, bindingId } = await openShop();
  const traceOf = (recipients: number) => {
    const phoneProblems = [
      { value: "0170 1234567", reason: "no_country" },
      { value: "12", reason: "too_short" },
    ];
    const binding = { bindingId, template: "order_shipped", language: "en", recipients, dropped: [], phoneProblems, reasons: [] };
    return JSON.stringify({ bindings: [binding], more: 0 });
  };
  for (let each = 0; each < 2; each += 1) await event({ id: ago(each), trace: traceOf(1) });
  await event({ id: ago(3), trace: traceOf(0) });
  await event({ id: ago(3), trace: traceOf(1), dry_run: true });
  const { items } = await api.sites.diagnose();
  expect(items).toMatchObject([
    { code: "phones_dropped", problem: "no_country", count: 2, place: { kind: "binding", id: bindingId } },
    { code: "phones_dropped", problem: "too_short", count: 2 },
  ]);
  expect(items[0]?.sentence).toBe("2 phones were left out of messages of the template order_shipped: each has no country code (+49…).");
  expect(JSON.stringify(items)).not.toContain("1234567");
});

test("a binding that is held back each time names the rule; one that fires does not stand there", async () => {
  const { api, event, sql, bindingId } = await openShop();
  const rules = [{ path: "order.total", op: "gt", values: ["100"], saw: "+491701234567" }];
  const trace = JSON.stringify({
    bindings: [
      { bindingId, template: "t", language: "en", recipients: 0, dropped: [], reasons: [], unmet: { match: "all", rules, more: 0 } },
    ],
    more: 0,
  });
  for (let each = 0; each < 2; each += 1) await event({ id: ago(each), chat: "skipped_conditions", trace });
  await sql`insert into binding_use (binding_id, held_at) values (${bindingId}, now())`;
  expect((await api.sites.diagnose()).items).toMatchObject([
    { code: "binding_held_back", count: 2, rule: { path: "order.total", op: "gt" }, place: { kind: "binding", id: bindingId } },
  ]);
  expect(JSON.stringify(await api.sites.diagnose())).not.toContain("491701234567");
  await sql`update binding_use set fired_at = now() where binding_id = ${bindingId}`;
  expect((await api.sites.diagnose()).items).toEqual([]);
});

test("an event that never comes while nearly the same one does", async () => {
  const { api, event, bindingId } = await openShop();
  await event({ name: "orders_shipped", chat: "no_bindings" });
  await event({ name: "user.signup", chat: "no_bindings" });
  expect((await api.sites.diagnose()).items).toMatchObject([
    { code: "event_misspelt", event: "order.shipped", comes: "orders_shipped", count: 1, place: { kind: "binding", id: bindingId } },
  ]);
  await event();
  expect((await api.sites.diagnose()).items).toEqual([]);
});

test("a site without bindings, and one whose tests have no phone", async () => {
  const { api, event, bindingId, siteId, codes } = await openShop();
  await event({ test: true, chat: "skipped_no_phone" });
  expect(await codes()).toEqual([]);
  await api.sites.update({ id: siteId, testPhone: null });
  expect(await codes()).toEqual(["test_without_phone"]);
  await event();
  await api.bindings.update({ id: bindingId, enabled: false });
  expect((await codes()).toSorted()).toEqual(["site_without_bindings", "test_without_phone"]);
});

test("a webhook of WooCommerce's legacy API, and a topic that never comes", async () => {
  const { api, sql, siteId, bindingId } = await openShop();
  await sql`update site set source_type = 'woocommerce', connected_at = now() - interval '9 days' where id = ${siteId}`;
  await sql`update binding set created_at = now() - interval '9 days' where id = ${bindingId}`;
  await sql`insert into site_topic (site_id, topic, last_seen_at) values (${siteId}, 'order.created:LEGACY', now())`;
  const { items } = await api.sites.diagnose();
  expect(items).toMatchObject([
    { code: "shop_fault", fault: { code: "legacy_api" }, site: { id: siteId }, action: expect.stringMatching(/API version 3/u) as string },
    { code: "shop_fault", fault: { code: "topic_missing", event: "order.shipped", topic: "order.updated" } },
  ]);
});

test("callbacks that never come: messages left long ago, and the platform reported on none", async () => {
  const { api, message, sql, accountId, codes } = await openShop();
  for (let each = 0; each < 3; each += 1) await message({ id: ago(each + 2), status: "sent" });
  expect((await api.sites.diagnose()).items).toMatchObject([{ code: "callbacks_missing", count: 3, place: { kind: "platform" } }]);
  await sql`insert into platform_callback (account_id, last_at) values (${accountId}, now())`;
  expect(await codes()).toEqual([]);
  await sql`update platform_callback set last_at = now() - interval '2 days'`;
  expect(await codes()).toEqual(["callbacks_missing"]);
  await message({ id: ago(2), status: "delivered" });
  expect(await codes()).toEqual([]);
});

test("an old backlog, endpoints that are off or fail, and a site gone silent", async () => {
  const { api, message, event, sql, siteId, accountId, codes } = await openShop();
  const wait = async (dueMinutesAgo: number) => {
    const id = await message({ status: "queued" });
    const due = new Date(Date.now() - dueMinutesAgo * 60_000);
    await sql`
      insert into waiting_message (site_id, id, account_id, event_id, binding_id, phone_hash, due_at, queued_at)
      values (${siteId}, ${id}, ${accountId}, ${id}, ${id}, ${id}, ${due}, now() - interval '33 minutes')`;
    await sql`insert into recipient_turn (account_id, phone_hash, site_id, due_at) values (${accountId}, ${id}, ${siteId}, ${due})`;
  };
  // What is tried again later is no backlog.
  await wait(-60);
  expect(await codes()).toEqual([]);
  expect(await api.stats.backlog()).toMatchObject({ queued: 1, due: 0, oldestDueSeconds: 0 });
  await wait(20);
  const { items } = await api.sites.diagnose();
  expect(items).toMatchObject([{ code: "backlog_old", count: 1, sentence: "1 message waits to be sent, the oldest for 20 minutes." }]);
  await sql`delete from waiting_message where site_id = ${siteId}`;
  const { webhook } = await api.webhooks.create({ siteId, url: "https://hooks.example/a", types: ["message.sent"] });
  expect(await codes()).toEqual([]);
  await sql`update webhook set failing_since = now() - interval '1 hour' where id = ${webhook.id}`;
  expect(await codes()).toEqual(["endpoint_failing"]);
  await sql`update webhook set disabled_because = 'gone', enabled = false where id = ${webhook.id}`;
  expect(await codes()).toEqual(["endpoint_off"]);
  for (let each = 0; each < 60; each += 1) await event({ id: ago(each + 20.5) });
  expect((await codes()).toSorted()).toEqual(["endpoint_off", "site_silent"]);
});

test("one site's alone when it is named, others' never, and at most 90 days", async () => {
  const { api, message } = await openShop();
  const other = await openShop();
  await other.message({ status: "failed", error_code: "131026" });
  await message({ status: "failed", error_code: "131047" });
  const second = (await api.sites.create({ name: "Second", url: "https://shop.example", sourceType: "generic" })).site.id;
  expect((await api.sites.diagnose()).items).toMatchObject([{ errorCode: "131047" }]);
  expect((await api.sites.diagnose({ siteId: second })).items).toEqual([]);
  const days = (count: number) => new Date(Date.now() - count * 24 * hour).toISOString();
  await expect(api.sites.diagnose({ siteId: other.siteId })).rejects.toMatchObject({ code: "NOT_FOUND" });
  await expect(api.sites.diagnose({ from: days(91) })).rejects.toMatchObject({ code: "BAD_REQUEST" });
  await expect(api.sites.diagnose({ from: days(-1) })).rejects.toMatchObject({ code: "BAD_REQUEST" });
  expect((await api.sites.diagnose({ from: days(89) })).items).toHaveLength(1);
});

test("a viewer sees no phone and no endpoint's path, and ids as they are, whatever digits they have", async () => {
  const { as, sql, accountId, event } = await openShop();
  const siteId = "01234567-8901-7234-8567-890123456789";
  await sql`insert into site (id, account_id, name, url, source_type) values (${siteId}, ${accountId}, 'Shop', 'https://shop.example', 'generic')`;
  const at = { accountId, siteId, eventId: newId() };
  await insertNotification(sql, at, { status: "failed", error_code: "131026" });
  await insertNotification(sql, at, {
    status: "failed",
    error_code: "slot_unresolved",
    error_reason: "body {{1}}: phones.+491701234567 is missing",
  });
  const { webhook } = await as("operator").webhooks.create({ siteId, url: "https://hooks.example/secret", types: ["message.sent"] });
  await sql`update webhook set disabled_because = 'gone', enabled = false where id = ${webhook.id}`;
  await event({ chat: "skipped_no_phone", unreached: "no_phone_at_path phones.+491701234567" });
  const told = async (role: "viewer" | "operator") => JSON.stringify(await as(role).sites.diagnose());
  expect(await told("operator")).toMatch(/491701234567.*hooks\.example\/secret/u);
  expect(await told("viewer")).not.toMatch(/491701234567|hooks\.example\/secret/u);
  const places = (await as("viewer").sites.diagnose()).items.map(({ place }) => place);
  expect(places).toContainEqual({ kind: "log", filter: { siteId, status: "failed", errorCode: "131026", test: false } });
});

test("what was counted by the day stands beside what is counted now", async () => {
  const { api, message, sql, siteId } = await openShop();
  await message({ status: "failed", error_code: "131026" });
  await sql`insert into notification_count (site_id, timezone, counted_to) values (${siteId}, 'UTC', (now() - interval '2 days')::date)`;
  await sql`insert into notification_day (site_id, day, template, status, error_code, count)
    values (${siteId}, (now() - interval '5 days')::date, 'order_shipped', 'failed', '131026', 41)`;
  const from = new Date(Date.now() - 7 * 24 * hour).toISOString();
  expect((await api.sites.diagnose({ from })).items).toMatchObject([
    { errorCode: "131026", count: 42, lastAt: expect.any(String) as string },
  ]);
});

test.each([false, true])("of what a gateway took and the platform refused (encrypted: %s)", async (encrypted) => {
  await using world = await openShopWorld({ encrypted });
  const { client } = world.admins[0] ?? {};
  if (client === undefined) throw new Error("no admin server");
  if (encrypted) await client.settings.update.mutate({ encryptPayloads: true });
  const field = (path: string) => ({ source: "field" as const, path });
  const variableMap = { body: { "1": field("customer.first_name"), "2": field("order.id") } };
  await client.bindings.update.mutate({ id: world.shop.bindingId, variableMap });
  const post = async (payload: object) => expect((await postEvent(world.gateway, world.shop, payload)).status).toBe(200);
  await post({ customer: { first_name: "Ada", phone_e164: "+15551230001" } });
  await post({ customer: { first_name: "Ada", phone_e164: "0170 1234567" }, order: { id: "1" } });
  world.platform.script((_, response) => refuse(response, 400, 131009, "Parameter value is not valid"));
  await post(anEvent);
  await post(anEvent);
  const { items } = await client.sites.diagnose.query();
  expect(items.map(({ sentence }) => sentence)).toEqual([
    expect.stringMatching(/^2 messages of the template order_created_\w+ failed \(67 %\): .+ \(131009\)\.$/u),
    "1 event had no recipient: the phone at customer.phone_e164 has no country code (+49…).",
    expect.stringMatching(
      /^1 message failed \(33 %\) because body \{\{2\}\} is empty \(order\.id is missing\) in the template order_created_\w+\.$/u,
    ),
  ]);
});

test("a shop whose every request is refused, with the page on which its secret is wrong", async () => {
  await using world = await openShopWorld({});
  const { client } = world.admins[0] ?? {};
  if (client === undefined) throw new Error("no admin server");
  const { siteId } = world.shop;
  const codes = async () => (await client.sites.diagnose.query({ siteId })).items.map(({ code }) => code);
  const post = (secret: string) => postEvent(world.gateway, { ...world.shop, secret }, anEvent);
  expect(await codes()).not.toContain("requests_refused");
  for (let each = 0; each < 9; each += 1) expect((await post("another")).status).toBe(401);
  await waitFor("the refusals to be noted", async () => (await client.sites.refused.query({ siteId })).items.length === 9);
  expect((await client.sites.get.query({ id: siteId })).site.connectedAt).toBeNull();
  const found = (await client.sites.diagnose.query()).items.filter(({ code }) => code === "requests_refused");
  expect(found).toMatchObject([
    {
      count: 9,
      more: false,
      because: "invalid_signature",
      site: { id: siteId },
      place: { kind: "site", id: siteId },
      lastAt: expect.any(String) as string,
      sentence: "The site refused 9 requests: The signature does not match this body and this site's secret.",
      action: expect.stringMatching(/^Sign the exact bytes/u) as string,
    },
  ]);
  expect((await post(world.shop.secret)).status).toBe(200);
  expect((await client.sites.get.query({ id: siteId })).site.connectedAt).toEqual(expect.any(String));
  await waitFor("the valid request to count", async () => !(await codes()).includes("requests_refused"));
});
