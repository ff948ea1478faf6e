import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { testDatabase, type TestDatabase } from "../../../test/support/database/test-database.ts";
import { openGateway } from "../../../test/support/gateway/open-gateway.ts";
import { postEvent } from "../../../test/support/gateway/post-event.ts";
import { newMessageId, refuse, type ScriptedPlatform, startScriptedPlatform } from "../../../test/support/gateway/scripted-platform.ts";
import { openShop, type Shop } from "../../../test/support/gateway/shop.ts";

let database: TestDatabase;
let platform: ScriptedPlatform;
let shop: Shop;

beforeAll(async () => {
  database = await testDatabase();
  platform = await startScriptedPlatform();
});
afterAll(async () => {
  await platform?.[Symbol.asyncDispose]();
  await database?.[Symbol.asyncDispose]();
});
beforeEach(async () => {
  const phones = ["+15551230001", "+15551230002", "+15551230003"];
  shop = await openShop(database.sql, { recipient: { strategy: "site_recipients" }, phones });
  platform.script((_, response) => refuse(response, 401, 190));
  platform.sends.splice(0);
});

const codes = async (eventId: unknown) => {
  const rows = await database.sql<{ code: string | null }[]>`
    select error_code as code from notification where event_id = ${String(eventId)} order by position`;
  return rows.map(({ code }) => code);
};
const stopOf = async () => database.sql`select stopped_code, probe_after from platform_account where account_id = ${shop.accountId}`;
const probeNow = async () => {
  await database.sql`update platform_account set probe_after = now() where account_id = ${shop.accountId}`;
};

it("an account that the platform refuses is not asked for again, and says so in its log", async () => {
  await using gateway = await openGateway(database.url, platform.url);
  const refused = await postEvent(gateway, shop);
  expect(refused.json).toMatchObject({ chat: "failed", recipients_failed: 3 });
  expect(await codes(refused.json["event_id"])).toEqual(["190", "190", "190"]);
  expect(await stopOf()).toMatchObject([{ stopped_code: "190", probe_after: expect.any(Date) }]);
  const paused = await postEvent(gateway, shop);
  expect(paused.json).toMatchObject({ chat: "failed", recipients_failed: 3 });
  expect(await codes(paused.json["event_id"])).toEqual(Array<string>(3).fill("account_stopped"));
  const [row] =
    await database.sql`select error_reason, local_failure from notification where event_id = ${String(paused.json["event_id"])}`;
  expect(row).toEqual({
    error_reason: "The platform refuses this account at the moment; see Settings for the reason, then resend.",
    local_failure: true,
  });
  expect(platform.sends).toHaveLength(3);
});

it("one message tries again for all: when the platform refuses it the others wait, when it is taken they follow", async () => {
  await using first = await openGateway(database.url, platform.url);
  await postEvent(first, shop);
  platform.sends.splice(0);
  await probeNow();
  await using second = await openGateway(database.url, platform.url);
  const tried = await postEvent(second, shop);
  expect(await codes(tried.json["event_id"])).toEqual(["190", "account_stopped", "account_stopped"]);
  expect(platform.sends).toHaveLength(1);

  platform.script(() => newMessageId());
  await probeNow();
  await using third = await openGateway(database.url, platform.url);
  expect((await postEvent(third, shop)).json).toMatchObject({ chat: "sent", recipients_sent: 3 });
  expect(await stopOf()).toEqual([{ stopped_code: null, probe_after: null }]);
  expect(platform.sends).toHaveLength(4);
});
