import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { testDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { insertNotifications, openShop, type Shop } from "../../../test/support/gateway.ts";
import { addWebhook } from "../../../test/support/receiver.ts";
import { renewGatewayLease } from "./event/gateway-lease.ts";
import { newId } from "./ids.ts";
import { dueWork, workOffDue } from "./owned.ts";
import { giveBackWaiting } from "./waiting/settle.ts";
import { listTaken, takeDue } from "./waiting/take.ts";
import { giveBackDeliveries, listTakenDeliveries, takeDeliveries } from "./webhook/take.ts";

let database: TestDatabase;
let shop: Shop;
const owner = newId();
const soon = { timeout: 30_000 };
beforeAll(async () => {
  database = await testDatabase();
  shop = await openShop(database.sql);
  await renewGatewayLease(database.sql, { id: owner, seconds: 600, since: owner });
});
afterAll(async () => database?.[Symbol.asyncDispose]());

describe("a row that the same gateway has taken anew", () => {
  it("stays taken when a message goes back that was taken before", async () => {
    const { sql } = database;
    const [message] = await insertNotifications(sql, shop, [{ status: "queued" }]);
    await sql`
      insert into waiting_message (site_id, id, account_id, event_id, binding_id, phone_hash, due_at, queued_at)
      select site_id, id, account_id, event_id, binding_id, 'phone', now(), now() from notification where id = ${message?.id ?? ""}`;
    await sql`insert into recipient_turn (account_id, phone_hash, site_id, due_at) values (${shop.accountId}, 'phone', ${shop.siteId}, now())`;
    const take = async () => (await takeDue(sql, owner, shop.siteId, 1)).messages;
    const first = await take();
    expect(await giveBackWaiting(sql, [owner], { inDoubtSeconds: null, messages: first })).toHaveLength(1);
    expect(await sql`select status, attempt from notification`).toEqual([{ status: "queued", attempt: 1 }]);
    const second = await take();
    expect(second.map(({ id, attempt }) => [id, attempt])).toEqual(first.map(({ id }) => [id, 1]));
    expect(await giveBackWaiting(sql, [owner], { inDoubtSeconds: 60, messages: first })).toEqual([]);
    expect(await sql`select owner from recipient_turn`).toEqual([{ owner }]);
    expect(await giveBackWaiting(sql, [owner], { inDoubtSeconds: 60, messages: await listTaken(sql, owner) })).toHaveLength(1);
    expect(await sql`select w.owner, doubts, again, r.owner as turn from waiting_message w, recipient_turn r`).toEqual([
      { owner: null, doubts: 1, again: true, turn: null },
    ]);
  });

  it("stays taken when a delivery goes back that was taken before", async () => {
    const { sql } = database;
    const webhookId = await addWebhook(sql, shop, { url: "https://shop.example/hook" });
    await sql`insert into webhook_delivery (id, webhook_id, type, site_id, occurred_at) values (${newId()}, ${webhookId}, 'webhook.test', ${shop.siteId}, now())`;
    const take = async () => [...(await takeDeliveries(sql, owner, webhookId, 1))];
    const first = await take();
    expect(await giveBackDeliveries(sql, owner, first)).toHaveLength(1);
    expect(await take()).toHaveLength(1);
    expect(await giveBackDeliveries(sql, owner, first)).toEqual([]);
    expect(await giveBackDeliveries(sql, owner, await listTakenDeliveries(sql, owner))).toHaveLength(1);
  });
});

describe("rows that are due", () => {
  const turns = dueWork<{ name: string }>({ table: "job_turn", key: "name", columns: { read: (sql) => sql`name` } });
  const insert = async (...names: string[]) => {
    await database.sql`delete from job_turn`;
    for (const name of names) await database.sql`insert into job_turn (name) values (${name})`;
  };
  const later = () => database.sql`due_at = now() + interval '1 hour'`;
  const working = (atOnce: number) => ({ ...turns, seconds: 600, atOnce, limitMs: 500, stopping: new AbortController().signal });
  const left = async () =>
    (await database.sql`select name from job_turn where owner is not null order by name`).map(({ name }) => name as string);

  it("are worked on until none is left, so many at once", async () => {
    const names = ["a", "b", "c", "d", "e"];
    await insert(...names);
    const done: string[] = [];
    let [open, most] = [0, 0];
    await workOffDue(database.sql, working(2), async ({ name }, lease) => {
      most = Math.max(most, (open += 1));
      await vi.waitUntil(() => open === 2 || done.length === names.length - 1, soon);
      done.push(name);
      await turns.release(database.sql, name, lease, later());
      open -= 1;
    });
    expect([done.toSorted(), most]).toEqual([names, 2]);
    expect(await left()).toEqual([]);
  });

  it("go back at once when the work fails, and keep no other from being worked on", async () => {
    await insert("bad", "good");
    const done: string[] = [];
    const work = workOffDue(database.sql, working(2), async ({ name }, lease) => {
      if (name === "bad") throw new Error("bad");
      done.push(name);
      await turns.release(database.sql, name, lease, later());
    });
    await expect(work).rejects.toThrow("bad");
    expect(done).toEqual(["good"]);
    await vi.waitFor(async () => expect(await left()).toEqual([]), soon);
  });
});
