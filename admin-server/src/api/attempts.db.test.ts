import { uuidTime } from "shared/core/uuid";
import { countDays, findSitesToCount } from "shared/db/notification/statistics";
import { inTransaction } from "shared/db/statement";
import { cancelMessages } from "shared/db/waiting/cancel";
import { describe, expect, test } from "vitest";
import { idAt, insertEvent, insertMessages, insertNotification, openBoundShop } from "../../../test/support/admin-shops.ts";
import { connectPlatform, openResources } from "../../../test/support/admin.ts";
import { shared } from "../../../test/support/shared.ts";
import type { AdminContext } from "../context.ts";
import { notificationsCsv } from "../http/exports.ts";
import type { Caller } from "../session/caller.ts";
import { resendMessages } from "./resends.ts";

const resources = shared(async () => openResources());

const dayMs = 86_400_000;
const code = "131026";

/** A connected account with a bound site and an approved template. */
async function openShop() {
  const shop = await openBoundShop(resources);
  const { sql, vault } = resources;
  await connectPlatform(resources, shop.accountId);
  await sql`update template set status = 'approved' where id = ${shop.templateId}`;
  const { binding } = await shop.api.bindings.create(shop.base);
  const context = { sql, vault, clock: () => new Date() };
  const resend = async (ids: readonly string[]): Promise<string[]> => {
    const outcomes = await resendMessages(context, shop.accountId, ids, { force: true, looked: true });
    return outcomes.flatMap((outcome) => ("repeated" in outcome && outcome.isNew ? outcome.repeated : []));
  };
  /** The queue's word on messages that were sent again. */
  const settle = async (ids: readonly string[], status: "failed" | "delivered"): Promise<void> => {
    const failed = status === "failed";
    await sql`delete from waiting_message where id = any(${[...ids]}::uuid[])`;
    await sql`
      update notification set status = ${status}, sent_at = ${failed ? null : new Date()}, delivered_at = ${failed ? null : new Date()},
        failed_at = ${failed ? new Date() : null}, error_code = ${failed ? code : null}
      where id = any(${[...ids]}::uuid[])`;
  };
  const count = async (): Promise<void> => {
    for (const siteId of await findSitesToCount(sql, 1_000))
      while (await inTransaction(sql, async (transaction) => countDays(transaction, siteId)));
  };
  return { ...shop, sql, bindingId: binding.id, resend, settle, count, context };
}

type Shop = Awaited<ReturnType<typeof openShop>>;

/** Adds messages, spread over five days. */
const addMessages = (shop: Shop, siteId: string, count: number, status: "failed" | "delivered") =>
  insertMessages(shop, { siteId, count, code: status === "failed" ? code : null, ago: (n) => 60_000 + (n % 5) * dayMs + n });

async function listAll({ api }: Shop, filter: object): Promise<string[]> {
  const found: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page: Awaited<ReturnType<typeof api.notifications.list>> = await api.notifications.list({ ...filter, limit: 200, cursor });
    found.push(...page.items.map(({ id }) => id));
    cursor = page.nextCursor;
  }
  return found;
}

async function rowsOf<Row>(rows: AsyncIterable<Row>): Promise<Row[]> {
  const found: Row[] = [];
  for await (const row of rows) found.push(row);
  return found;
}

/** A message that failed, was sent again and failed again, and was sent again, all long ago but the last; and a message of the same event to somebody else. */
async function openChain() {
  const shop = await openShop();
  const eventId = await insertEvent(shop.sql, shop.siteId, { id: idAt(Date.now() - 10 * dayMs), name: "order.shipped", chat: "failed" });
  const add = (columns: Parameters<typeof insertNotification>[2]) =>
    insertNotification(
      shop.sql,
      { accountId: shop.accountId, siteId: shop.siteId, eventId },
      { template: "order_shipped", template_id: shop.templateId, binding_id: shop.bindingId, status: "failed", ...columns },
    );
  const first = await add({ id: idAt(Date.now() - 10 * dayMs + 1), wa_message_id: "wamid.first" });
  const other = await add({ id: idAt(Date.now() - 10 * dayMs + 2), to_phone: "+491709999999", status: "read" });
  await shop.count();
  const [second = ""] = await shop.resend([first]);
  await shop.settle([second], "failed");
  const [third = ""] = await shop.resend([second]);
  const ids = async (filter: object) => await listAll(shop, filter);
  return { ...shop, eventId, first, second, third, other, ids };
}

describe("the attempts of a message", () => {
  test("stand in its details, each reachable, the oldest first; they outlive the oldest, and are masked as everywhere", async () => {
    const { as, api, sql, first, second, third, other } = await openChain();
    const chainOf = async (id: string) => (await api.notifications.get({ id })).notification.attempts;
    for (const id of [first, second, third]) expect((await chainOf(id)).map((each) => each.id)).toEqual([first, second, third]);
    expect(await chainOf(third)).toMatchObject([
      { status: "failed", errorCode: code, resendOf: null, resentAs: second, toPhone: "+491701234567" },
      { status: "failed", errorCode: code, resendOf: first, resentAs: third },
      { status: "queued", errorCode: null, resendOf: second, resentAs: null },
    ]);
    expect((await chainOf(other)).map(({ id }) => id)).toEqual([other]);
    const seen = (await as("viewer").notifications.get({ id: third })).notification;
    expect(seen.attempts.map(({ toPhone, waMessageId }) => [toPhone, waMessageId])).toEqual([
      ["•••67", null],
      ["•••67", null],
      ["•••67", null],
    ]);
    await sql`delete from notification where id = ${first}`;
    expect((await chainOf(second)).map(({ id }) => id)).toEqual([second, third]);
  });

  test("are one row of every list, the newest, by which search and filters find it", async () => {
    const { api, accountId, context, eventId, first, second, third, other, ids } = await openChain();
    expect(await ids({})).toEqual([third, other]);
    expect(await ids({ eventId })).toEqual([third, other]);
    expect(await ids({ phone: "+491701234567" })).toEqual([third]);
    expect(await ids({ status: "failed" })).toEqual([]);
    for (const search of [first, second, third, "wamid.first", "+491701234567"])
      expect([search, await ids({ search })]).toEqual([search, [third]]);
    expect(await ids({ waMessageId: "wamid.first" })).toEqual([third]);
    expect(await ids({ search: eventId })).toEqual([third, other]);
    const caller = { accountId, role: "owner" } as Caller;
    const rows = await rowsOf(notificationsCsv.rows(context as unknown as AdminContext, caller, { search: first }));
    expect(rows.map(({ id }) => id)).toEqual([third]);
    const [binding] = (await api.events.get({ id: eventId })).event.trace.bindings;
    expect([binding?.recipients, binding?.messages.map(({ id }) => id)]).toEqual([2, [other, third]]);
  });

  test("are steps of their own in what happened to a customer", async () => {
    const { api, first, second, third } = await openChain();
    const { entries } = await api.customers.timeline({ phone: "+491701234567" });
    const made = entries.flatMap((entry) => (entry.what === "made" ? entry.message.id : []));
    expect(made).toEqual([first, second, third]);
  });

  test("give their place back when the last is cancelled before it left: what failed counts again, and may be sent again", async () => {
    const { api, sql, siteId, count, resend, first, second, third, other, ids } = await openChain();
    const failedOn = async () => {
      const { days } = await api.stats.overview({ days: 30 });
      return days.filter(({ failed }) => failed > 0).map(({ date, failed }) => [date, failed]);
    };
    await count();
    expect(await failedOn()).toEqual([]);
    const [old, young] = [first, second].map((id) => new Date(uuidTime(id)).toISOString().slice(0, 10));
    expect(await cancelMessages(sql, siteId, [third], "binding_deleted")).toHaveLength(1);
    await count();
    expect([await ids({}), await failedOn()]).toEqual([[second, other], [[young, 1]]]);
    await expect(api.notifications.resend({ id: third, force: true })).rejects.toMatchObject({
      message: "Only failed messages can be resent",
    });
    const { attempts } = (await api.notifications.get({ id: second })).notification;
    expect(attempts.map(({ id, status, resentAs }) => [id, status, resentAs])).toEqual([
      [first, "failed", second],
      [second, "failed", null],
      [third, "cancelled", second],
    ]);
    const [again = ""] = await resend([second]);
    expect([await ids({}), await ids({ search: third })]).toEqual([[again, other], [again]]);

    await sql`delete from notification where id = ${second}`;
    expect((await api.notifications.get({ id: again })).notification.attempts.map(({ id }) => id)).toEqual([third, again]);

    await sql`update notification set resent_as = null where id = ${first}`;
    await sql`delete from notification where id in (${third}, ${again})`;
    const [only = ""] = await resend([first]);
    await count();
    expect(await failedOn()).toEqual([]);
    expect(await cancelMessages(sql, siteId, [only], "site_deleted")).toHaveLength(1);
    await count();
    expect(await failedOn()).toEqual([[old, 1]]);
  });

  test("keep it where the last may have left, or where there is no other any more", async () => {
    const { sql, siteId, third, other, ids } = await openChain();
    await sql`update notification set status = 'sending', in_doubt_since = now() where id = ${third}`;
    expect(await cancelMessages(sql, siteId, [third], "binding_deleted")).toHaveLength(1);
    expect([await ids({}), await ids({ status: "cancelled" })]).toEqual([[third, other], [third]]);
    const lost = await openChain();
    await sql`delete from notification where id = ${lost.second}`;
    expect(await cancelMessages(sql, lost.siteId, [lost.third], "binding_deleted")).toHaveLength(1);
    expect(await lost.ids({})).toEqual([lost.third, lost.other]);
  });
});

test("how a template's messages arrive counts a message once", async () => {
  const shop = await openShop();
  const firsts = await addMessages(shop, shop.siteId, 12, "failed");
  await shop.sql`update notification set sent_at = now() where id = any(${firsts}::uuid[])`;
  const seconds = await shop.resend(firsts);
  await shop.settle(seconds, "delivered");
  const { items } = await shop.api.templates.usage({ ids: [shop.templateId] });
  expect(items).toMatchObject([{ accepted: 12, delivered: 12 }]);
});
