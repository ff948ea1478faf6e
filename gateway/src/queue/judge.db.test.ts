import { recordOptOuts } from "shared/db/opt-out";
import { deleteSite } from "shared/db/site";
import { inTransaction } from "shared/db/transaction";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { testDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { openGateway, openShop, type Shop, vault } from "../../../test/support/gateway.ts";
import { type ScriptedPlatform, startScriptedPlatform } from "../../../test/support/platform.ts";
import { postEvent } from "../../../test/support/requests.ts";
import type { Gateway } from "../start.ts";

let database: TestDatabase;
let platform: ScriptedPlatform;
let gateway: Gateway;

beforeAll(async () => {
  database = await testDatabase();
  platform = await startScriptedPlatform();
  gateway = await openGateway(database.url, platform.url, {}, { dueMs: 20 });
});
afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]();
  await platform?.[Symbol.asyncDispose]();
  await database?.[Symbol.asyncDispose]();
});

const phone = "+15551230001";
const fall = async ({ siteId, accountId }: Shop) => {
  await database.sql`update waiting_message set due_at = now(), queued_at = now() where site_id = ${siteId}`;
  await database.sql`update recipient_turn set due_at = now() where account_id = ${accountId}`;
};

it.each<[string, (shop: Shop) => Promise<unknown>, object]>([
  [
    "its recipient has opted out",
    async ({ accountId }) =>
      recordOptOuts(database.sql, vault, accountId, [
        { phone, scope: "all", source: "callback", code: "130403", active: true, at: new Date() },
      ]),
    { status: "failed", error_code: "recipient_opted_out" },
  ],
  [
    "its site is deleted",
    async ({ accountId, siteId }) => inTransaction(database.sql, (sql) => deleteSite(sql, accountId, siteId)),
    { status: "cancelled", error_code: "site_deleted" },
  ],
  [
    "the site's secret and key are others",
    async ({ siteId, secretId }) => {
      await database.sql`update site_secret set expires_at = now() where id = ${secretId}`;
      await database.sql`delete from site_secret where site_id = ${siteId} and kind = 'api_key'`;
    },
    { status: "sent", error_code: null },
  ],
  [
    "the account's time zone is another: its time is settled",
    async ({ accountId }) => database.sql`update account set timezone = 'Pacific/Auckland' where id = ${accountId}`,
    { status: "sent", error_code: null },
  ],
])("a message that is due when %s", async (_, change, expected) => {
  const shop = await openShop(database.sql, {
    schedule: { delaySeconds: 3600, window: { days: [1, 2, 3, 4, 5, 6, 7], from: "00:00", to: "24:00" } },
  });
  await postEvent(gateway, shop, { customer: { first_name: "Ada", phone_e164: phone } });
  const logged = async () => [...(await database.sql`select status, error_code, due_at from notification where site_id = ${shop.siteId}`)];
  const [before] = await logged();
  expect(before).toMatchObject({ status: "scheduled" });
  await change(shop);
  await fall(shop);
  await vi.waitFor(async () => expect(await database.sql`select from waiting_message where site_id = ${shop.siteId}`).toEqual([]), {
    timeout: 20_000,
  });
  expect(await logged()).toEqual([expect.objectContaining({ ...expected, due_at: before?.["due_at"] })]);
});
