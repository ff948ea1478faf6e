import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { testDatabase, type TestDatabase } from "../../../../test/support/database.ts";
import { insertNotifications, openShop, type Shop } from "../../../../test/support/gateway.ts";
import { renewGatewayLease } from "../event/gateway-lease.ts";
import type { NotificationResult } from "../event/settle.ts";
import { newId } from "../ids.ts";
import { giveBackWaiting, type Later, settleWaiting, type WaitingOutcome } from "./settle.ts";
import { takeDue, type TakenMessage } from "./take.ts";

let database: TestDatabase;
let shop: Shop;
let id: string;
const owner = newId();

beforeAll(async () => {
  database = await testDatabase();
  await renewGatewayLease(database.sql, { id: owner, seconds: 600, since: newId() });
});
beforeEach(async () => {
  const { sql } = database;
  shop = await openShop(sql);
  [{ id } = { id: "" }] = await insertNotifications(sql, shop, [{ status: "queued" }]);
  const recipient = { account_id: shop.accountId, phone_hash: "p", site_id: shop.siteId, due_at: new Date() };
  await sql`insert into waiting_message ${sql({ ...recipient, id, event_id: id, binding_id: shop.bindingId, queued_at: new Date() })}`;
  await sql`insert into recipient_turn ${sql(recipient)}`;
});
afterAll(async () => database?.[Symbol.asyncDispose]());

async function take(): Promise<TakenMessage> {
  const [message] = (await takeDue(database.sql, owner, shop.siteId, 1)).messages;
  if (message === undefined) throw new Error("nothing was due");
  return message;
}
const settle = (message: TakenMessage, outcome: WaitingOutcome) => settleWaiting(database.sql, owner, [{ ...message, outcome }]);
const again: Later = { kind: "later", seconds: 0, refused: null, again: false, pausesPhone: false };
const settled = ({ attempt }: TakenMessage, changes: Partial<NotificationResult>): WaitingOutcome => {
  const said = { wa_message_id: null, error_code: null, error_reason: null, error_detail: null };
  return {
    kind: "settled",
    result: { site_id: shop.siteId, event_id: id, id, attempt, status: "sent", local: false, ...said, ...changes },
  };
};
const stored = async () => {
  const [row] = await database.sql`
    select n.status, n.wa_message_id, n.attempt, w.owner is not null and r.owner is not null as taken from notification n
      left join waiting_message w on w.id = n.id left join recipient_turn r on r.account_id = w.account_id and r.phone_hash = w.phone_hash
    where n.id = ${id}`;
  return row;
};

it("a result whose record is repeated ends no later try of the same gateway", async () => {
  const first = await take();
  await settle(first, again);
  const second = await take();
  await settle(first, again);
  expect(await stored()).toMatchObject({ status: "sending", taken: true });
  await settle(second, settled(second, { wa_message_id: "w" }));
  expect(await stored()).toMatchObject({ status: "sent", wa_message_id: "w", taken: false });
});

it("a message that the platform refused for a while is not due sooner because its gateway died before that was recorded", async () => {
  await take();
  const until = new Date(Date.now() + 3_600_000);
  const tries = JSON.stringify([{ at: new Date(), code: "131064", until }]);
  await database.sql`update notification set status = 'queued', tries = ${tries}::text::jsonb where id = ${id}`;
  await giveBackWaiting(database.sql, [owner], { inDoubtSeconds: 0 });
  expect(await database.sql`select due_at, again, doubts, held_for from waiting_message where id = ${id}`).toEqual([
    { due_at: until, again: true, doubts: 0, held_for: "131064" },
  ]);
});

it("of a try that was in doubt meanwhile only the platform's word counts, also when the same gateway tries again", async () => {
  const first = await take();
  await giveBackWaiting(database.sql, [owner], { inDoubtSeconds: 0 });
  const second = await take();
  expect([first.attempt, second.attempt]).toEqual([1, 2]);
  await settle(first, settled(first, { status: "failed", local: true, error_code: "deadline" }));
  expect(await stored()).toMatchObject({ status: "sending", attempt: 2, taken: true });
  await settle(first, settled(first, { wa_message_id: "w" }));
  expect(await stored()).toMatchObject({ status: "sent", wa_message_id: "w", taken: true });
});
