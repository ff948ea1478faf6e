import { beforeEach, expect, it } from "vitest";
import { testDatabase } from "../../../test/support/database.ts";
import { insertNotifications, openShop, type Shop } from "../../../test/support/gateway.ts";
import { addWebhook } from "../../../test/support/receiver.ts";
import { shared } from "../../../test/support/shared.ts";
import { waitFor } from "../../../test/support/wait-for.ts";
import { noteBindingUses } from "./binding.ts";
import { enlistSites } from "./event-kind.ts";
import { findSitesToSearch } from "./event/search-rows.ts";
import { settle } from "./event/settle.ts";
import { newId } from "./ids.ts";
import { countDays } from "./notification/statistics.ts";
import { insertOutgoing } from "./outbox.ts";
import { noteCleared, noteOpened, takeDueNotices } from "./problem/notice.ts";
import { type Sql, inTransaction } from "./statement.ts";
import { takeThrottled } from "./waiting/pace.ts";
import { tellOfPeople } from "./webhook/tell.ts";

const database = shared(async () => testDatabase());
let shop: Shop;
let webhookId: string;
let channelId: string;
/** A message that is being sent. */
let message: { id: string; event_id: string };

beforeEach(async () => {
  const { sql } = database;
  shop = await openShop(sql);
  webhookId = await addWebhook(sql, shop, { url: "https://shop.example/hook" });
  const [row] = await insertNotifications(sql, shop, [{ status: "sending" }]);
  [message = { id: "", event_id: "" }] = await sql<(typeof message)[]>`select id, event_id from notification where id = ${row?.id ?? ""}`;
  channelId = newId();
  await sql`
    insert into alert_channel (id, account_id, kind, target, target_hash, hint) values (${channelId}, ${shop.accountId}, 'slack', 'x', ${channelId}, 'x')`;
});

/** Runs `work` while a transaction that deletes a row is open; it is committed once the work has ended, or waits for it. */
async function besideDeletion<T>(remove: (sql: Sql) => Promise<unknown>, work: () => Promise<T>): Promise<T> {
  const { running } = await database.sql.begin(async (transaction) => {
    await remove(transaction);
    let isOver = false;
    const running = work();
    running.then(
      () => (isOver = true),
      () => (isOver = true),
    );
    await waitFor("the work to end or to wait", async () => isOver || (await waiting()) > 0);
    return { running };
  });
  return await running;
}

async function waiting(): Promise<number> {
  const [row] = await database.sql<[{ waiting: number }]>`
    select count(*)::integer as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  return row.waiting;
}

const deleteWebhook = (sql: Sql) => sql`delete from webhook where id = ${webhookId}`;
const deleteBinding = (sql: Sql) => sql`delete from binding where id = ${shop.bindingId}`;
const deleteChannel = (sql: Sql) => sql`delete from alert_channel where id = ${channelId}`;
const deleteSite = (sql: Sql) => sql`delete from site where id = ${shop.siteId}`;

const said = { wa_message_id: null, error_code: null, error_reason: null, error_detail: null };
const sent = () => ({ site_id: shop.siteId, ...message, attempt: 1, status: "sent" as const, local: false, ...said, wa_message_id: "w" });
const progress = () => ({
  site_id: shop.siteId,
  id: message.event_id,
  owner: newId(),
  chat: null,
  recipients_sent: 0,
  recipients_failed: 0,
});

it("the other endpoints of a site are told while one is deleted, and one that changes is", async () => {
  const { sql } = database;
  const [kept, changed] = [
    await addWebhook(sql, shop, { url: "https://a.example" }),
    await addWebhook(sql, shop, { url: "https://b.example" }),
  ];
  const remove = async (transaction: Sql) => {
    await deleteWebhook(transaction);
    await transaction`update webhook set failing_since = now() where id = ${changed}`;
  };
  await besideDeletion(remove, () => settle(sql, [{ results: [sent()], next: [], event: progress(), hasWebhooks: true }]));
  const told = await sql`select webhook_id, type from webhook_delivery where site_id = ${shop.siteId} order by webhook_id`;
  expect(told).toEqual([kept, changed].toSorted().map((webhook_id) => ({ webhook_id, type: "message.sent" })));
});

it("people's words are told to the other endpoints", async () => {
  const { sql } = database;
  const other = await addWebhook(sql, shop, { url: "https://a.example" });
  const word = {
    site_id: shop.siteId,
    type: "message.received" as const,
    phone_hash: "p",
    payload: "{}",
    occurred_at: new Date().toISOString(),
  };
  const words = [webhookId, other].map((webhook_id) => ({ ...word, id: newId(), webhook_id }));
  await besideDeletion(deleteWebhook, () => tellOfPeople(sql, words));
  expect(await sql`select webhook_id from webhook_delivery where site_id = ${shop.siteId}`).toEqual([{ webhook_id: other }]);
});

it("the limit of a binding that is deleted holds no message back, and the limits of others count", async () => {
  const { sql } = database;
  const other = await openShop(sql, { accountId: shop.accountId });
  const limited = [shop, other].map(({ bindingId }) => ({
    id: newId(),
    binding_id: bindingId,
    phone_hash: "p",
    max: 1,
    seconds: 60,
    again: false,
  }));
  const free = await besideDeletion(deleteBinding, () => takeThrottled(sql, limited));
  expect(new Set(free.map(({ id }) => id))).toEqual(new Set(limited.map(({ id }) => id)));
  expect(await sql`select binding_id from throttle where binding_id in ${sql([shop.bindingId, other.bindingId])}`).toEqual([
    { binding_id: other.bindingId },
  ]);
});

it("the uses of other bindings are noted", async () => {
  const { sql } = database;
  const other = await openShop(sql, { accountId: shop.accountId });
  const uses = [shop, other].map(({ bindingId }) => ({ binding_id: bindingId, fired_at: new Date(), held_at: null }));
  await besideDeletion(deleteBinding, () => noteBindingUses(sql, uses));
  expect(await sql`select binding_id from binding_use where binding_id in ${sql([shop.bindingId, other.bindingId])}`).toEqual([
    { binding_id: other.bindingId },
  ]);
});

it("the other channels hear of an alert, of its end too", async () => {
  const { sql } = database;
  const [other, alert] = [newId(), newId()];
  await sql`insert into alert_channel (id, account_id, kind, target, target_hash, hint) values (${other}, ${shop.accountId}, 'slack', 'x', ${other}, 'x')`;
  await sql`insert into problem (id, account_id, kind, subject, detail, first_at, last_at, alerted) values (${alert}, ${shop.accountId}, 'backlog', '', '{}', now(), now(), true)`;
  const times = { quietUntil: null, urgent: [] };
  await besideDeletion(deleteChannel, () => noteOpened(sql, shop.accountId, [alert], times));
  const noticed = () => sql`select channel_id, cleared from problem_notice where problem_id = ${alert} order by cleared`;
  expect(await noticed()).toEqual([{ channel_id: other, cleared: false }]);

  channelId = newId();
  await sql`insert into alert_channel (id, account_id, kind, target, target_hash, hint) values (${channelId}, ${shop.accountId}, 'slack', 'x', ${channelId}, 'x')`;
  await noteOpened(sql, shop.accountId, [alert], times);
  await besideDeletion(deleteChannel, () => noteCleared(sql, [alert], times));
  expect(await noticed()).toEqual([
    { channel_id: other, cleared: false },
    { channel_id: other, cleared: true },
  ]);

  channelId = newId();
  await sql`insert into alert_channel (id, account_id, kind, target, target_hash, hint) values (${channelId}, ${shop.accountId}, 'slack', 'x', ${channelId}, 'x')`;
  await noteOpened(sql, shop.accountId, [alert], times);
  const tell = () =>
    inTransaction(sql, async (transaction) => {
      const due = await takeDueNotices(transaction, shop.accountId);
      const row = { account_id: shop.accountId, kind: "alert_slack" as const, to_hash: null, content: "x", expires_at: new Date() };
      for (const { channel_id } of due) await insertOutgoing(transaction, { ...row, id: newId(), channel_id });
    });
  await besideDeletion(deleteChannel, tell);
  const written = await sql<{ channel_id: string }[]>`select channel_id from outbox where account_id = ${shop.accountId}`;
  expect(new Set(written.map(({ channel_id }) => channel_id))).toEqual(new Set([other]));
});

it("the jobs that list sites leave out one whose row goes", async () => {
  const { sql } = database;
  await besideDeletion(deleteSite, () => enlistSites(sql, shop.siteId));
  shop = await openShop(sql);
  await enlistSites(sql, shop.siteId);
  await besideDeletion(deleteSite, () => findSitesToSearch(sql, 60, 10));
  shop = await openShop(sql);
  expect(await besideDeletion(deleteSite, () => inTransaction(sql, (transaction) => countDays(transaction, shop.siteId)))).toBe(false);
});
