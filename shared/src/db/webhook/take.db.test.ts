import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { testDatabase, type TestDatabase } from "../../../../test/support/database.ts";
import { openShop, type Shop } from "../../../../test/support/gateway.ts";
import { addWebhook } from "../../../../test/support/receiver.ts";
import { renewGatewayLease } from "../event/gateway-lease.ts";
import { newId } from "../ids.ts";
import { insertDelivery } from "./log.ts";
import { type Attempt, recordAttempts, takeDeliveries } from "./take.ts";

let database: TestDatabase;
let shop: Shop;
let webhookId: string;
const owner = newId();

beforeAll(async () => {
  database = await testDatabase();
  await renewGatewayLease(database.sql, { id: owner, seconds: 60, since: newId() });
});
beforeEach(async () => {
  shop = await openShop(database.sql);
  webhookId = await addWebhook(database.sql, shop, { url: "https://shop.example/hook" });
});
afterAll(async () => database?.[Symbol.asyncDispose]());

async function deliver(): Promise<string> {
  const row = { webhook_id: webhookId, site_id: shop.siteId, type: "message.sent" as const, payload: "{}", occurred_at: new Date() };
  const id = newId();
  await insertDelivery(database.sql, { id, ...row });
  return id;
}

/** Takes the endpoint's deliveries; answers the number of the attempt that follows. */
const take = async (): Promise<number> => ((await takeDeliveries(database.sql, owner, webhookId, 10))[0]?.attempts ?? -1) + 1;
const lapse = () => database.sql`update webhook_delivery set owner = null`;

const attempt = (id: string, number: number, changes: Partial<Attempt> = {}): Attempt => ({
  id,
  webhook_id: webhookId,
  number,
  at: new Date().toISOString(),
  ms: 1,
  status_code: 500,
  error: "refused",
  again: 0,
  answer: null,
  gone: false,
  asked: true,
  ...changes,
});
const arrived = { status_code: 204, error: null, again: null };
const record = (...attempts: Attempt[]) => recordAttempts(database.sql, owner, attempts);
const stored = async (id: string) =>
  (await database.sql`select status, attempts, owner is not null as taken from webhook_delivery where id = ${id}`)[0];

it("an endpoint is named as switched off by the attempt that did it, and by no other", async () => {
  const ids = [await deliver(), await deliver(), await deliver()] as const;
  await take();
  expect(await record(attempt(ids[0], 1))).toEqual([]);
  const gone = { gone: true, again: null };
  expect(await record(attempt(ids[1], 1, gone))).toEqual([{ id: webhookId, because: "gone" }]);
  expect(await record(attempt(ids[2], 1, gone))).toEqual([]);
  expect(await database.sql`select enabled, disabled_because from webhook where id = ${webhookId}`).toEqual([
    { enabled: false, disabled_because: "gone" },
  ]);
  await deliver();
  expect(await take(), "nothing is taken of an endpoint that is off").toBe(0);
});

it("an attempt is recorded once, also when the same gateway posts the delivery again before that is repeated", async () => {
  const id = await deliver();
  const first = attempt(id, await take());
  await record(first);
  expect(await take()).toBe(2);
  await record(first);
  expect(await stored(id)).toEqual({ status: "pending", attempts: 1, taken: true });
  await record(attempt(id, 2, arrived));
  expect(await stored(id)).toEqual({ status: "delivered", attempts: 2, taken: false });
});

it("what has arrived counts, whoever has the delivery by now; a failure counts only from who has it", async () => {
  const id = await deliver();
  const number = await take();
  await lapse();
  await record(attempt(id, number));
  expect(await stored(id)).toEqual({ status: "pending", attempts: 0, taken: false });
  await record(attempt(id, number, arrived));
  expect(await stored(id)).toEqual({ status: "delivered", attempts: 1, taken: false });
  await record(attempt(id, number));
  expect(await stored(id)).toEqual({ status: "delivered", attempts: 1, taken: false });
});

it("endpoints are locked in the order of their ids before anything else, whatever became of them", async () => {
  const other = await addWebhook(database.sql, shop, { url: "https://shop.example/other" });
  const [first, last] = [webhookId, other].toSorted() as [string, string];
  await using deletion = await database.sql
    .reserve()
    .then((sql) => Object.assign(sql, { [Symbol.asyncDispose]: async () => sql.release() }));
  for (const error of [null, "refused"]) {
    await deletion`begin`;
    await deletion`select from webhook where id = ${first} for update`;
    const changes = { error, again: error === null ? null : 1 };
    const recording = record(attempt(newId(), 1, { webhook_id: first, ...changes }), attempt(newId(), 1, { webhook_id: last }));
    await vi.waitUntil(async () => (await database.sql`select from pg_locks where not granted`).length > 0);
    expect(await deletion`select from webhook where id = ${last} for update nowait`).toHaveLength(1);
    await deletion`rollback`;
    await recording;
  }
});
