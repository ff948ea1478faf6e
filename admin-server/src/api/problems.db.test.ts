import type { ProblemKind } from "shared/core/problem/problem";
import { codesOfKind, noFailures } from "shared/core/problem/rule";
import { newId } from "shared/db/ids";
import { accountCodes } from "shared/platform/errors/classify";
import { beforeEach, describe, expect, it } from "vitest";
import { idAt, insertEvent, insertNotification } from "../../../test/support/admin-shops.ts";
import { addMember, type AdminClient, connectPlatform, type OpenResources, refusal } from "../../../test/support/admin.ts";
import { openAlertWorld } from "../../../test/support/alert-world.ts";
import { data } from "../../../test/support/data.ts";
import { shared } from "../../../test/support/shared.ts";

const hourMs = 3_600_000;

const world = shared(async () => openAlertWorld());

let client: AdminClient;
let accountId: string;
let siteId: string;
let templateId: string;
let bindingId: string;
beforeEach(async () => {
  await world.forgetOthers();
  ({ client } = await world.admin.signUp());
  accountId = (await client.auth.me.query()).account.id;
  await connectPlatform({ sql: world.admin.sql, vault: world.context.vault } as OpenResources, accountId);
  siteId = (await client.sites.create.mutate({ name: "Tea", url: "https://tea.example", sourceType: "generic" })).site.id;
  templateId = newId();
  bindingId = newId();
});

const ago = (hours: number): string => idAt(Date.now() - hours * hourMs);
const fail = (error_code: string, columns: Parameters<typeof insertNotification>[2] = {}) =>
  insertNotification(
    world.admin.sql,
    { accountId, siteId, eventId: newId() },
    { status: "failed", error_code, template_id: templateId, binding_id: bindingId, ...columns },
  );
const addBinding = async () => {
  const { template } = await client.templates.create.mutate({ name: "shipped", language: "en", category: "UTILITY", body: "On its way." });
  templateId = template.id;
  await world.admin.sql`update template set status = 'approved' where id = ${templateId}`;
  const recipient = { strategy: "site_recipients" } as const;
  const { binding } = await client.bindings.create.mutate({ siteId, event: "order.shipped", templateId, recipient, variableMap: {} });
  bindingId = binding.id;
};
const list = async (input: Parameters<AdminClient["problems"]["list"]["query"]>[0] = {}) => {
  await world.look();
  return (await client.problems.list.query(input)).items;
};
const one = async (kind: ProblemKind) => {
  const [problem, ...others] = await list({ kind });
  expect(others).toEqual([]);
  return problem ?? expect.fail(`no ${kind}`);
};

describe("a problem", () => {
  it("is opened, counted on, acknowledged, snoozed, resolved by hand, and open again with a new count once it returns", async () => {
    await fail("131026", { id: ago(2) });
    await fail("131026", { id: ago(1) });
    const first = await one("messages_failed");
    expect(first).toMatchObject({ subject: "131026", siteId, count: 2, state: "open", acknowledgedBy: null, note: null });
    expect(first.title).toBe("Messages of Tea fail: Undeliverable · 131026");
    await fail("131026");
    expect(await one("messages_failed")).toMatchObject({ id: first.id, count: 3, firstAt: first.firstAt, state: "open" });

    const { problem } = await client.problems.acknowledge.mutate({ id: first.id });
    expect(problem).toMatchObject({ state: "acknowledged", acknowledgedBy: (await client.auth.me.query()).user.email });
    await fail("131026");
    expect(await one("messages_failed")).toMatchObject({ state: "acknowledged", count: 4 });

    await client.problems.snooze.mutate({ id: first.id, until: new Date(Date.now() + hourMs).toISOString() });
    expect([(await list({ state: "snoozed" })).length, (await list({ state: "open" })).length]).toEqual([1, 0]);
    await world.admin.sql`update problem set snoozed_until = now() where account_id = ${accountId}`;
    expect(await one("messages_failed")).toMatchObject({ state: "open", snoozedUntil: null, acknowledgedBy: null });

    await client.problems.note.mutate({ id: first.id, note: "Ann calls +49 170 1234567", ifNote: null });
    const changedBy = (await client.auth.me.query()).user.email;
    const late = client.problems.note.mutate({ id: first.id, note: "Bob calls", ifNote: "" });
    await expect(late).rejects.toMatchObject({ data: { code: "CONFLICT", changedBy, current: { note: "Ann calls •••67" } } });
    expect((await client.problems.resolve.mutate({ id: first.id })).problem).toMatchObject({ state: "resolved", note: "Ann calls •••67" });
    const resolved = await one("messages_failed");
    expect(resolved).toMatchObject({ state: "resolved", count: 4, actions: [{ kind: "resend" }] });
    expect(resolved.actions[0]).not.toHaveProperty("count");
    await fail("131026", { id: idAt(Date.now() + 1_000) });
    const { id, beganAt } = first;
    expect(await one("messages_failed")).toMatchObject({ id, state: "open", count: 1, acknowledgedBy: null, beganAt });
    // What ended by itself begins anew.
    await world.admin.sql`update notification set status = 'delivered', error_code = null where site_id = ${siteId}`;
    expect(await one("messages_failed")).toMatchObject({ state: "resolved", beganAt });
    const { firstAt } = await fail("131026", { id: idAt(Date.now() + 2_000) }).then(() => one("messages_failed"));
    expect(await one("messages_failed")).toMatchObject({ id, state: "open", beganAt: firstAt, reopenedAt: null });
  });

  it("counts what was made before it and fails later, and returns by it after somebody has resolved it", async () => {
    await fail("131026", { id: ago(1) });
    const { id } = await one("messages_failed");
    await fail("131026", { id: ago(5), failed_at: new Date() });
    const { firstAt } = await one("messages_failed");
    expect(await one("messages_failed")).toMatchObject({ id, count: 2, beganAt: firstAt });
    expect(Date.now() - Date.parse(firstAt)).toBeLessThan(2 * hourMs);
    const [action] = (await one("messages_failed")).actions;
    expect((await client.notifications.list.query(action?.filter as never)).items).toHaveLength(2);
    await client.problems.resolve.mutate({ id });
    // What failed before and was made after it is none of it.
    await fail("131026", { id: ago(6), failed_at: new Date(Date.now() + 1_000) });
    const late = await one("messages_failed");
    expect(late).toMatchObject({ id, state: "open", count: 1 });
    expect(late.path).toContain("&test=false&failedFrom=");
    const filter = late.actions[0]?.filter as object;
    expect((await client.notifications.list.query(filter)).items).toHaveLength(1);
    expect((await client.notifications.resendCount.query({ ...filter, to: new Date().toISOString() })).total).toBe(1);
  });

  it("of the account counts the messages of deleted sites, as its list does; one of a deleted site is none", async () => {
    await addBinding();
    await world.admin.sql`update template set status = 'paused' where id = ${templateId}`;
    await fail("132015");
    await fail("131026");
    siteId = (await client.sites.create.mutate({ name: "Other", url: "https://other.example", sourceType: "generic" })).site.id;
    await fail("132015");
    await client.sites.delete.mutate({ id: siteId });
    const refused = await one("template_refused");
    expect(refused.count).toBe(2);
    expect((await client.notifications.list.query(refused.actions.find(({ filter }) => filter)?.filter as never)).items).toHaveLength(2);
    expect(await one("messages_failed")).toMatchObject({ subject: "131026", count: 1 });
  });

  it("ends by itself a day after the last new one, and when nothing of it is failed any more", async () => {
    await fail("131026", { id: ago(30), failed_at: new Date(Date.now() - 30 * hourMs) });
    expect(await list()).toEqual([]);
    // Made long ago, and failed just now.
    const late = await fail("131000", { id: ago(50), failed_at: new Date() });
    expect(await one("messages_failed")).toMatchObject({ subject: "131000", count: 1 });
    await world.admin.sql`update notification set failed_at = now() - interval '25 hours' where site_id = ${siteId} and id = ${late}`;
    expect(await one("messages_failed")).toMatchObject({ subject: "131000", state: "resolved" });
    await fail("131000", { id: ago(0.1) });
    expect(await one("messages_failed")).toMatchObject({ state: "open", count: 1 });
    await world.admin
      .sql`update notification set status = 'delivered', error_code = null where site_id = ${siteId} and error_code = '131000'`;
    expect(await one("messages_failed")).toMatchObject({ state: "resolved" });
  });

  it("stays open for a day after the last failure, also where a resend has replaced that one and left others", async () => {
    const left = await fail("131026", { id: ago(20), failed_at: new Date(Date.now() - 20 * hourMs) });
    const resent = await fail("131026", { id: ago(1) });
    const { lastAt } = await one("messages_failed");
    await world.admin.sql`update notification set resent_as = ${newId()} where site_id = ${siteId} and id = ${resent}`;
    // Six hours later.
    await world.admin.sql`update notification set failed_at = failed_at - interval '6 hours' where site_id = ${siteId} and id = ${left}`;
    await world.admin
      .sql`update problem set first_at = first_at - interval '6 hours', opened_at = opened_at - interval '6 hours' where account_id = ${accountId}`;
    expect(await one("messages_failed")).toMatchObject({ state: "open", count: 1, lastAt });
    const operation = { id: newId(), account_id: accountId, kind: "resend", created_by: "olga@example.com", total: 2 };
    await world.admin.sql`insert into operation ${world.admin.sql(operation)}`;
    const repeat = await fail("131047", { id: newId(), resend_of: left, status: "queued", error_code: null });
    await world.admin.sql`insert into operation_item ${world.admin.sql({ operation_id: operation.id, id: repeat, site_id: siteId })}`;
    await world.admin.sql`update notification set resent_as = ${newId()} where site_id = ${siteId} and id <> ${repeat}`;
    expect(await one("messages_failed")).toMatchObject({ state: "open", lastAt });
    // The resend goes on, with messages that failed by another code.
    await world.admin.sql`update notification set error_code = '131047' where site_id = ${siteId} and id = ${left}`;
    expect(await one("messages_failed")).toMatchObject({ state: "resolved" });
  });

  it("is as fresh as a few seconds where somebody looks, and one look serves all who ask", async () => {
    await fail("131026");
    const asked = await Promise.all(Array.from({ length: 8 }, () => client.problems.list.query()));
    expect(Math.max(...asked.map(({ items }) => items.length))).toBe(1);
    await fail("131000");
    expect((await client.problems.list.query()).items).toHaveLength(1);
    await world.admin.sql`update alert_watch set looked_at = now() - interval '6 seconds' where account_id = ${accountId}`;
    expect((await client.problems.list.query()).items).toHaveLength(2);
    // A change by people is looked at without a wait.
    await client.sites.update.mutate({ id: siteId, holdMessages: true });
    expect((await client.problems.list.query()).items.map(({ kind }) => kind)).toContain("site_held");
  });
});

/** One incident is one problem: the one that a failed message counts in, the first that fits. */
function problemOf({ code, site, template, binding }: Record<"code" | "site" | "template" | "binding", string>): string {
  const isOf = (codes: readonly string[]): boolean => codes.includes(code);
  if (accountCodes.has(code) || isOf(codesOfKind.platform_stopped)) return "platform_stopped null ";
  if (isOf(codesOfKind.template_refused)) return `template_refused null ${template}`;
  return isOf(codesOfKind.binding_cannot_send) ? `binding_cannot_send ${site} ${binding}` : `messages_failed ${site} ${code}`;
}

it("each failed message counts in exactly one problem, whose actions lead to exactly its messages", async () => {
  const { sql } = world.admin;
  await addBinding();
  await sql`update template set status = 'paused' where id = ${templateId}`;
  await sql`update binding set updated_at = now() - interval '3 days' where id = ${bindingId}`;
  await sql`update platform_account set stopped_code = '190', stopped_reason = '', stopped_at = now() - interval '5 hours' where account_id = ${accountId}`;
  const codes = data<string[]>("admin-server-api-problems", "codes");
  for (const [index, code] of [...codes, ...codes, "131026", "190", "too_long"].entries())
    await fail(code, { id: ago(1 + index / 10), failed_at: new Date() });
  for (const code of ["recipient_opted_out", "throttled"]) await fail(code);
  await fail("131026", { test: true });

  const failed = await sql<{ code: string; site: string; template: string; binding: string }[]>`
    select error_code as code, site_id as site, template_id as template, binding_id as binding from notification
    where site_id = ${siteId} and status = 'failed' and not test and resent_as is null`;
  const plain = new Map<string, number>();
  for (const { code, site, template, binding } of failed) {
    if (noFailures.has(code)) continue;
    const key = problemOf({ code, site, template, binding });
    plain.set(key, (plain.get(key) ?? 0) + 1);
  }
  const found = (await list({ state: "open" })).filter(({ count, kind }) => count > 0 && kind !== "failure_rate");
  expect(new Map(found.map(({ kind, siteId: of, subject, count }) => [`${kind} ${of} ${subject}`, count]))).toEqual(plain);
  expect([...plain.values()].reduce((sum, count) => sum + count, 0)).toBe(failed.length - 2);
  expect((await list({ state: "open" })).map(({ kind }) => kind)).not.toContain("failure_rate");
  for (const { actions } of found) {
    expect(actions).not.toEqual([]);
    for (const { filter, count } of actions.filter((action) => action.filter !== undefined)) {
      const { items } = await client.notifications.list.query({ ...(filter as object), limit: 200 });
      expect([filter, items.length]).toEqual([filter, count]);
    }
  }
  const [resend] = found.find(({ subject }) => subject === "131047")?.actions ?? [];
  expect(resend?.path).toMatch(/^\/log\?siteId=.*&status=failed&errorCode=131047&/u);
});

it("events that reach nobody are a problem by site and reason, each with the list of its events", async () => {
  const { sql } = world.admin;
  const event = (hours: number, unreached: string) => insertEvent(sql, siteId, { id: ago(hours), chat: "skipped_no_phone", unreached });
  for (const hours of [1, 2, 30]) await event(hours, "no_country customer.phone");
  await event(3, "no_active_recipient");
  const found = await list({ kind: "nobody_reached" });
  expect(found.map(({ subject, count }) => [subject, count])).toEqual(
    expect.arrayContaining([
      ["no_country customer.phone", 2],
      ["no_active_recipient", 1],
    ]),
  );
  for (const { actions, count } of found) {
    const { filter } = actions[0] ?? {};
    expect((await client.events.list.query({ ...(filter as object), limit: 200 })).items).toHaveLength(count);
  }
});

describe("a binding that never fires", () => {
  const neverFires = async (events: number) => {
    const { sql } = world.admin;
    await addBinding();
    await sql`update binding set conditions = '{"match": "all", "rules": []}', updated_at = now() - interval '1 day' where id = ${bindingId}`;
    await sql`insert into binding_use (binding_id, held_at) values (${bindingId}, now())`;
    for (let n = 0; n < events; n += 1) await insertEvent(sql, siteId, { id: ago(n + 1), name: "order.shipped" });
    await insertEvent(sql, siteId, { id: ago(1), name: "order.shipped", dry_run: true });
    await insertEvent(sql, siteId, { id: ago(1), name: "order.shipped", test: true });
  };

  it("is told of from five live events on, to channels that chose it, and stays acknowledged until it changes", async () => {
    await client.alerts.addChannel.mutate({ kind: "webhook", url: world.receiver.url, name: "All" });
    await client.alerts.addChannel.mutate({ kind: "slack", url: world.receiver.url, name: "Some", kinds: ["binding_never_fired"] });
    const before = world.receiver.received.length;
    await neverFires(4);
    expect(await list({ kind: "binding_never_fired" })).toEqual([]);
    await insertEvent(world.admin.sql, siteId, { name: "order.shipped" });
    const found = await one("binding_never_fired");
    const actions = [
      { kind: "open", path: `/bindings/${bindingId}` },
      { count: 5, filter: { siteId, event: "order.shipped", test: false } },
    ];
    expect(found).toMatchObject({ subject: bindingId, siteId, count: 5, actions });
    await world.settled();
    const told = world.receiver.received.slice(before).map(({ json }) => json["condition"] ?? json["text"]);
    expect(told.filter((one) => one === "binding_never_fired" || String(one).includes("never sends"))).toEqual([
      expect.stringContaining("order.shipped arrives from Tea and never sends shipped (5 events)"),
    ]);
    await client.problems.acknowledge.mutate({ id: found.id });
    // It ends, since its events are not kept any longer, and comes back as it was.
    await world.admin.sql`update event set name = 'other' where site_id = ${siteId} and name = 'order.shipped' and not test`;
    expect(await one("binding_never_fired")).toMatchObject({ state: "resolved" });
    await world.admin.sql`update event set name = 'order.shipped' where site_id = ${siteId} and name = 'other'`;
    expect(await one("binding_never_fired")).toMatchObject({ state: "acknowledged" });
    await world.admin.sql`update binding set updated_at = now() - interval '2 hours 30 minutes' where id = ${bindingId}`;
    expect(await one("binding_never_fired")).toMatchObject({ state: "resolved" });
    for (let n = 0; n < 2; n += 1) await insertEvent(world.admin.sql, siteId, { name: "order.shipped" });
    expect(await one("binding_never_fired")).toMatchObject({ state: "open" });
    await client.problems.acknowledge.mutate({ id: found.id });
    await client.problems.resolve.mutate({ id: found.id });
    expect(await one("binding_never_fired")).toMatchObject({ state: "resolved" });
    await insertEvent(world.admin.sql, siteId, { id: idAt(Date.now() + 1_000), name: "order.shipped" });
    expect(await one("binding_never_fired")).toMatchObject({ state: "open", count: 1, acknowledgedBy: null });
  });
});

it("sleeps until a time that comes, and not for good; a viewer sees no phones", async () => {
  await world.admin.sql`update site set name = 'Tea +491701234567' where id = ${siteId}`;
  await client.sites.update.mutate({ id: siteId, holdMessages: true });
  const { id } = await one("site_held");
  const refused = async (until: string) => (await refusal(client.problems.snooze.mutate({ id, until }))).code;
  expect([await refused("2020-01-01"), await refused("2999-01-01")]).toEqual(["BAD_REQUEST", "BAD_REQUEST"]);
  const viewer = await addMember(world.admin, client, "viewer", `v${newId()}@example.com`);
  const { items } = await viewer.client.problems.list.query();
  expect([items.length, JSON.stringify(items).includes("1234567")]).toEqual([1, false]);
});
