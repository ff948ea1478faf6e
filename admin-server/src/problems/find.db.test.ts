import { pino } from "pino";
import { newId } from "shared/db/ids";
import { expect, test } from "vitest";
import { idAt, insertEvent, insertNotification, openBoundShop } from "../../../test/support/admin-shops.ts";
import { connectPlatform, openResources } from "../../../test/support/admin.ts";
import { data } from "../../../test/support/data.ts";
import { shared } from "../../../test/support/shared.ts";
import { defaultLearningLimits } from "../learning/kinds.ts";
import { createLearner } from "../learning/learner.ts";
import { isAlike } from "./bindings.ts";

const resources = shared(async () => openResources());

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
    waits: (id: string) => sql`
      insert into waiting_message (site_id, id, account_id, event_id, binding_id, phone_hash, due_at, queued_at)
      values (${shop.siteId}, ${id}, ${shop.accountId}, ${id}, ${id}, 'digest', now(), now())`,
    /** What is open after a new look, each with lists of exactly what it counts. */
    open: async (input: object = {}) => {
      await sql`update alert_watch set due_at = now() where account_id = ${shop.accountId}`;
      const { items } = await shop.api.problems.list({ state: "open", limit: 200, ...input });
      const { events, notifications } = shop.api;
      for (const { path, filter = {}, count } of items.flatMap(({ actions }) => actions.filter((action) => action.filter !== undefined))) {
        const list: (page: object) => Promise<{ items: object[] }> = path.startsWith("/events")
          ? events.list
          : path.startsWith("/scheduled")
            ? notifications.scheduled
            : notifications.list;
        expect([path, (await list({ ...filter, limit: 200 })).items.length]).toEqual([path, count]);
      }
      return items;
    },
  };
}

const kindsOf = (items: readonly { kind: string }[]): string[] => items.map(({ kind }) => kind).toSorted();

test("a healthy account has no problems", async () => {
  const { open, message } = await openShop();
  await message({ status: "delivered" });
  expect(await open()).toEqual([]);
});

test("an empty variable is named, with where its value should have been, until a day after the last or until the binding changes", async () => {
  const { open, message, bindingId, sql } = await openShop();
  await sql`update binding set updated_at = now() - interval '2 days' where id = ${bindingId}`;
  const reason = "body {{1}}: customer.full_name is missing; button_url {{1}}: order.tracking_number is blank";
  for (const hours of [2, 1]) await message({ id: ago(hours), status: "failed", error_code: "slot_unresolved", error_reason: reason });
  const [problem, ...others] = await open();
  expect(others).toEqual([]);
  expect(problem).toMatchObject({
    kind: "binding_cannot_send",
    subject: bindingId,
    count: 2,
    advice: expect.stringContaining("Body {{1}} is empty: customer.full_name is missing. The button's link {{1}} is empty") as string,
  });
  await sql`update binding set updated_at = now() where id = ${bindingId}`;
  expect(await open()).toEqual([]);
});

test.each(["rejected", "paused", "disabled"] as const)(
  "a %s template, with the messages that it has cost, until it is approved",
  async (status) => {
    const { open, message, sql, templateId } = await openShop();
    await sql`update template set status = ${status} where id = ${templateId}`;
    expect(await open()).toMatchObject([{ kind: "template_refused", subject: templateId, count: 0, path: `/templates/${templateId}` }]);
    await message({ status: "failed", error_code: "template_not_approved" });
    expect(await open()).toMatchObject([{ kind: "template_refused", count: 1 }]);
    await sql`update template set status = 'approved' where id = ${templateId}`;
    expect(await open()).toEqual([]);
  },
);

test("a pending template is a problem once a message has failed by it, and one that WhatsApp refuses although it is approved here", async () => {
  const { open, message, sql, templateId } = await openShop();
  await sql`update template set status = 'pending' where id = ${templateId}`;
  expect(await open()).toEqual([]);
  const id = await message({ status: "failed", error_code: "template_not_approved" });
  expect(await open()).toMatchObject([{ kind: "template_refused", count: 1 }]);
  await sql`update template set status = 'approved', updated_at = now() - interval '1 hour' where id = ${templateId}`;
  await sql`update notification set error_code = '132015', failed_at = now() where id = ${id}`;
  expect(await open()).toMatchObject([{ kind: "template_refused", count: 1 }]);
});

test("too few sensible answers of WhatsApp: what failed by it, what waits, and its end with good minutes", async () => {
  const { open, message, waits, sql, accountId, siteId } = await openShop();
  await sql`insert into send_count (account_id, gateway_id, second, count, unanswered) values (${accountId}, ${siteId}, now() - interval '90 seconds', 20, 4)`;
  for (const error_code of ["in_doubt", "131000", "131000", "131026"]) await message({ status: "failed", error_code });
  await waits(await message({ status: "queued" }));
  const failing = async () => (await open()).find(({ kind }) => kind === "platform_failing");
  expect((await failing())?.actions.map(({ kind, count }) => `${kind} ${count}`)).toEqual(["resend 3", "open 1"]);
  await sql`update send_count set second = now() - interval '6 minutes' where account_id = ${accountId}`;
  expect(await failing()).toBe(undefined);
});

test("a stop has the messages that failed by it, not those of one that was cured", async () => {
  const { open, message, sql, accountId } = await openShop();
  for (const error_code of ["account_stopped", "190"]) {
    await message({ id: ago(3), status: "failed", error_code, failed_at: new Date(Date.now() - hour) });
    await message({ status: "failed", error_code, failed_at: new Date() });
  }
  expect(await open()).toEqual([]);
  await sql`
    update platform_account set stopped_code = '190', stopped_reason = 'expired', stopped_at = now() - interval '1 minute' where account_id = ${accountId}`;
  expect(await open()).toMatchObject(data<object>("admin-server-problems-find", "a stop has the messages that failed by it, not those"));
  await sql`delete from platform_account where account_id = ${accountId}`;
  expect(kindsOf(await open())).toEqual(["platform_missing"]);
});

test("sites that refuse events, or hold their messages, with what waits by it", async () => {
  const { api, open, message, waits, siteId } = await openShop();
  await api.sites.update({ id: siteId, enabled: false, holdMessages: true });
  await waits(await message({ status: "scheduled" }));
  const found = await open({ siteId });
  expect(kindsOf(found)).toEqual(["site_disabled", "site_held"]);
  expect(found.find(({ kind }) => kind === "site_held")).toMatchObject({ count: 1, counted: "1 message waits" });
});

test("phones that are left out while others of the event get the message, by what is wrong with them, and none of them is kept", async () => {
  const { open, event, bindingId, sql } = await openShop();
  const traceOf = (recipients: number) => {
    const phoneProblems = [
      { value: "0170 1234567", reason: "no_country" },
      { value: "12", reason: "too_short" },
    ];
    const binding = { bindingId, template: "order_shipped", language: "en", recipients, dropped: [], phoneProblems, reasons: [] };
    return JSON.stringify({ bindings: [binding], more: 0 });
  };
  for (const hours of [0, 1]) await event({ id: ago(hours), trace: traceOf(1) });
  await event({ id: ago(3), trace: traceOf(0) });
  await event({ id: ago(3), trace: traceOf(1), dry_run: true });
  expect((await open()).map(({ kind, subject, count }) => `${kind} ${subject} ${count}`).toSorted()).toEqual([
    `phones_dropped ${bindingId} no_country 2`,
    `phones_dropped ${bindingId} too_short 2`,
  ]);
  expect(JSON.stringify(await sql`select detail from problem`)).not.toContain("1234567");
});

test("an event that never comes while nearly the same one does, counted anew once somebody has resolved it", async () => {
  const { api, open, event, bindingId } = await openShop();
  await event({ name: "orders_shipped", chat: "no_bindings" });
  await event({ name: "user.signup", chat: "no_bindings" });
  const [found, ...others] = await open();
  expect(others).toEqual([]);
  const id = found?.id ?? "";
  await api.problems.resolve({ id });
  expect(await open()).toEqual([]);
  await event({ id: ago(-1), name: "orders_shipped", chat: "no_bindings" });
  expect(await open()).toMatchObject([{ id, kind: "event_misspelt", subject: bindingId, count: 1 }]);
  await event();
  expect(await open()).toEqual([]);
});

test("fields that bindings read and that the newest 20 events lack or have as another type, until one has them again", async () => {
  const { api, open, siteId, bindingId, event, sql } = await openShop();
  const rule = { path: "order.total", op: "exists" as const };
  await api.bindings.update({ id: bindingId, conditions: { match: "all", rules: [rule] }, delaySeconds: 60, restartBy: "order.id" });
  const learner = createLearner({
    sql,
    vault: resources.vault,
    log: pino({ level: "silent" }),
    stopping: new AbortController().signal,
    limits: { ...defaultLearningLimits, freshSeconds: 0, settledSeconds: 0 },
  });
  let at = 0;
  const post = async (order: object, times = 1) => {
    // Of two fields that are read for one another, either is enough.
    const payload = JSON.stringify({ customer: { ["other" in order ? "phone" : "phone_e164"]: "+491701234567" }, order });
    for (let n = 0; n < times; n += 1) await event({ id: idAt(Date.now() - hour + (at += 1)), payload });
    await learner.catchUp(siteId);
    return (await open({ siteId, kind: "field_changed" })).map(({ subject, title, path }) => [subject, title, path]);
  };
  expect(await post({ id: "1", total: "9.90", other: 1 })).toEqual([]);
  expect(await post({ total: 9.9 }, 19)).toEqual([]);
  const page = `/bindings/${bindingId}`;
  const gone = ["order.shipped order.id", "Shop no longer sends order.id in order.shipped, and a binding reads it", page];
  const retyped = "Shop sends order.total in order.shipped as number instead of string, and a binding reads it";
  expect(new Set(await post({ total: 9.9 }))).toEqual(new Set([gone, ["order.shipped order.total", retyped, page]]));
  expect(await post({ id: "2", total: 9.9 })).toHaveLength(1);
  expect(await post({ id: null, total: "9.90" })).toEqual([]);
  expect(await post({ id: "", total: "9.90" }, 20)).toEqual([gone]);
});

test("a site without bindings, one whose tests have no phone, and bindings that are the same twice", async () => {
  const { api, open, event, bindingId, siteId, sql } = await openShop();
  await event({ test: true, chat: "skipped_no_phone" });
  expect(await open()).toEqual([]);
  await api.sites.update({ id: siteId, testPhone: null });
  expect(await open()).toMatchObject([{ kind: "test_without_phone", path: `/sites/${siteId}?tab=settings` }]);
  await sql`
    insert into binding (id, site_id, event, template_id, recipient, variable_map, enabled, template_shape)
    select ${newId()}, site_id, event, template_id, recipient, variable_map, enabled, template_shape from binding where id = ${bindingId}`;
  expect(kindsOf(await open())).toEqual(["binding_doubled", "test_without_phone"]);
  // The earlier one is off: nothing is sent twice.
  await sql`update binding set enabled = false where id = ${bindingId}`;
  expect(kindsOf(await open())).toEqual(["test_without_phone"]);
  await event();
  await sql`update binding set enabled = false where site_id = ${siteId}`;
  expect(kindsOf(await open())).toEqual(["site_without_bindings", "test_without_phone"]);
});

test("callbacks that no longer come: messages left long ago since the last one, and the list has them alone", async () => {
  const { open, message, sql, accountId } = await openShop();
  await message({ id: ago(5), status: "delivered" });
  for (const hours of [0.5, 2, 3, 4]) await message({ id: ago(hours), status: "sent" });
  expect(await open()).toEqual([]);
  await sql`insert into platform_callback (account_id, last_at) values (${accountId}, now() - interval '4.5 hours')`;
  const [problem, ...others] = await open();
  expect([problem, others]).toMatchObject([
    { kind: "callbacks_missing", count: 3, more: false, actions: [{ kind: "connect" }, { count: 3 }] },
    [],
  ]);
  await sql`update platform_callback set last_at = now()`;
  expect(await open()).toEqual([]);
});

test("what the last check of the connection warned of or failed by, once: a stop tells the rest, missing callbacks theirs", async () => {
  const { open, sql, accountId } = await openShop();
  const said = { text: "It is low", values: {} };
  const checks = [
    { check: "access token", state: "failed", reason: "The token has expired" },
    { check: "quality", state: "warning", reason: "It is low", said },
    { check: "callbacks", state: "warning" },
    { check: "payment", state: "passed" },
  ];
  await sql`update platform_health set result = ${sql.json({ health: {}, checks })} where account_id = ${accountId}`;
  const [low, expired, ...others] = (await open()).toSorted((a, b) => (a.subject < b.subject ? 1 : -1));
  expect(others).toEqual([]);
  expect(low).toMatchObject({ kind: "connection_check", subject: "quality", detail: { failed: false, said } });
  expect(expired).toMatchObject({
    title: "The check of the WhatsApp connection failed: access token",
    advice: "The token has expired. Once it is mended, test the connection under Settings › WhatsApp.",
    path: "/settings/platform",
  });
  await sql`update platform_account set stopped_code = '190', stopped_reason = '', stopped_at = now() where account_id = ${accountId}`;
  expect(kindsOf(await open()).toSorted()).toEqual(["connection_check", "platform_stopped"]);
});

test("an endpoint that fails for a while, whose address only its host is kept of", async () => {
  const { open, sql, siteId, accountId } = await openShop();
  const id = newId();
  await sql`
    insert into webhook (id, site_id, account_id, url, types, failing_since)
    values (${id}, ${siteId}, ${accountId}, 'https://hooks.example/a-secret', '{message.sent}', now() - interval '5 minutes')`;
  expect(await open()).toEqual([]);
  await sql`update webhook set failing_since = now() - interval '11 minutes' where id = ${id}`;
  expect(await open()).toMatchObject([{ kind: "endpoint_failing", subject: id, title: "The endpoint hooks.example of Shop fails" }]);
  await sql`
    insert into webhook (id, site_id, account_id, url, types, failing_since)
    select ${newId()}, site_id, account_id, 'https://HOOKS.example?another-secret', types, failing_since from webhook`;
  expect((await open()).map(({ title }) => title)).toEqual([2, 1].map((n) => `The endpoint hooks.example (${n}) of Shop fails`));
  expect(JSON.stringify(await sql`select detail from problem`)).not.toContain("secret");
});

test.each([
  ["order.created", "order_created", true],
  ["order.create", "orders_created", true],
  ["order.paid", "order.placed", false],
  ["a.b", "a.c", false],
])("%s and %s are alike: %j", (a, b, alike) => expect(isAlike(a, b)).toBe(alike));
