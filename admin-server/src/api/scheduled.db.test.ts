import { optOutKey } from "shared/core/person-key";
import { describe, expect, test } from "vitest";
import { insertEvent, insertNotification } from "../../../test/support/admin-shops.ts";
import { openResources } from "../../../test/support/admin.ts";
import { shared } from "../../../test/support/shared.ts";

const resources = shared(async () => openResources());

const ada = "+491701234567";
const bob = "+491701234568";

/** An account with a site, and a function that puts a message of it on the waiting list. */
async function openQueue() {
  const account = await resources.account();
  const { accountId, api } = account;
  const { site } = await api.sites.create({ name: "Shop", url: "https://shop.example", sourceType: "generic" });
  const eventId = await insertEvent(resources.sql, site.id);
  const wait = async (hours: number, { phone = ada, template = "cart_left", status = "scheduled", isHeld = false } = {}) => {
    const due = new Date(Date.now() + hours * 3_600_000);
    const columns = { to_phone: phone, template, status };
    const id = await insertNotification(resources.sql, { accountId, siteId: site.id, eventId }, columns);
    await resources.sql`update notification set due_at = ${isHeld ? "infinity" : due.toISOString()}::text::timestamptz where id = ${id}`;
    await resources.sql`
      insert into waiting_message (site_id, id, account_id, event_id, binding_id, phone_hash, due_at, queued_at)
      values (${site.id}, ${id}, ${accountId}, ${eventId}, ${id}, ${resources.vault.fingerprint(optOutKey(accountId, phone))}, ${due}, ${due})`;
    return id;
  };
  const ids = async (input: Parameters<typeof api.notifications.scheduled>[0] = {}) =>
    (await api.notifications.scheduled(input)).items.map(({ id }) => id);
  return { ...account, siteId: site.id, eventId, wait, ids };
}

describe("notifications.scheduled", () => {
  test("lists what waits, the next due first, page by page", async () => {
    const { api, wait, ids } = await openQueue();
    const [third, first, second] = [await wait(3), await wait(1), await wait(2)];
    await wait(-1, { status: "queued" });
    expect(await ids()).toEqual([first, second, third]);
    const page = await api.notifications.scheduled({ limit: 2 });
    expect(page.items.map(({ dueAt }) => Math.round((Date.parse(dueAt ?? "") - Date.now()) / 3_600_000))).toEqual([1, 2]);
    expect(await ids({ limit: 2, cursor: page.nextCursor })).toEqual([third]);
    const fourth = await wait(4, { phone: bob });
    expect([await ids({ search: bob }), await ids({ search: fourth }), await ids({ search: "nobody" })]).toEqual([[fourth], [fourth], []]);
    expect(await api.notifications.scheduledCount({ search: bob })).toMatchObject({ total: 1, more: false });
    await expect(api.notifications.scheduled({ cursor: "bm9uZSBvZiBvdXJz" })).rejects.toThrow(/cursor/);
  });

  test("has what a held site keeps first, without a time", async () => {
    const { api, siteId, wait } = await openQueue();
    await wait(1);
    const held = await wait(-1, { isHeld: true });
    expect((await api.notifications.scheduled()).items).toHaveLength(1);
    await api.sites.update({ id: siteId, holdMessages: true });
    const { items } = await api.notifications.scheduled();
    expect(items[0]).toMatchObject({ id: held, dueAt: null, status: "scheduled" });
    expect(items).toHaveLength(2);
    expect((await api.stats.backlog()).scheduled).toBe(2);
  });

  test("cancels or hurries those that are chosen, and no message of a held site or another account", async () => {
    const [queue, stranger] = [await openQueue(), await openQueue()];
    const { api, siteId, wait, ids } = queue;
    const [first, second, third, fourth] = [await wait(1), await wait(2), await wait(3, { phone: bob }), await wait(4)];
    const theirs = await stranger.wait(1);
    expect(await api.notifications.cancelMany({ ids: [second, theirs] })).toMatchObject({ cancelled: 1 });
    expect(await api.notifications.sendNowMany({ ids: [first, second, theirs] })).toMatchObject({ hurried: 1 });
    expect(await ids()).toEqual([third, fourth]);
    expect(await stranger.ids()).toEqual([theirs]);
    await api.sites.update({ id: siteId, holdMessages: true });
    expect(await api.notifications.sendNowMany({ siteId })).toMatchObject({ hurried: 0 });
    const { operation } = await api.sites.update({ id: siteId, holdMessages: false });
    expect(await api.operations.get({ id: operation?.id ?? "" })).toMatchObject({ operation: { total: 1, siteId, canStop: false } });
    expect(await api.notifications.sendNowMany({ phone: bob })).toMatchObject({ hurried: 1 });
    expect(await resources.sql`select from recipient_turn where account_id = ${queue.accountId} and due_at <= now()`).toHaveLength(2);
    await expect(api.notifications.sendNowMany({})).rejects.toThrow("Needs at least one filter");
    await expect(api.notifications.sendNowMany({ ids: Array.from({ length: 501 }, () => first) })).rejects.toThrow("ids");
  });
});

test("an event tells what of it waits, and what was cancelled by what", async () => {
  const { api, eventId, wait } = await openQueue();
  await resources.sql`update event set chat = 'scheduled', recipients_scheduled = 3 where id = ${eventId}`;
  const cancelled = await wait(1);
  await wait(2, { phone: bob });
  await wait(3, { phone: bob });
  await api.notifications.cancel({ id: cancelled });
  const { event } = await api.events.get({ id: eventId });
  expect(event.recipientsScheduled).toBe(2);
  expect(event.trace.summary).toBe(
    "2 messages are scheduled. 1 message was cancelled: Someone in your team cancelled the message while it waited.",
  );
  const because = [{ text: "Someone in your team cancelled the message while it waited.", code: null }];
  expect(event.trace.summaryData).toMatchObject({
    scheduled: 2,
    dropped: [{ status: "cancelled", count: 1, because }],
    cancelled: 1,
    cancelledBecause: because,
  });
  const messages = event.trace.bindings.flatMap((binding) => binding.messages);
  expect(messages.map(({ status }) => status).toSorted()).toEqual(["cancelled", "scheduled", "scheduled"]);
  expect(messages.every(({ dueAt }) => dueAt !== null)).toBe(true);
  await expect(api.notifications.cancel({ id: cancelled })).rejects.toMatchObject({ code: "CONFLICT" });
});
