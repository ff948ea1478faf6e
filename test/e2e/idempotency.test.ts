import { afterAll, beforeAll, expect, it } from "vitest";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { openShop, type GatewayProcess, spawnGateway } from "../support/gateway.ts";
import { newMessageId, refuse, type ScriptedPlatform, startScriptedPlatform } from "../support/platform.ts";
import { anEvent, postEvent } from "../support/requests.ts";

let database: TestDatabase;
let platform: ScriptedPlatform;
let gateways: GatewayProcess[];

beforeAll(async () => {
  database = await testDatabase();
  platform = await startScriptedPlatform();
  const options = { databaseUrl: database.url, platformApiUrl: platform.url };
  gateways = await Promise.all([spawnGateway(options), spawnGateway(options)]);
});
afterAll(async () => {
  for (const gateway of gateways ?? []) await gateway[Symbol.asyncDispose]();
  await platform?.[Symbol.asyncDispose]();
  await database?.[Symbol.asyncDispose]();
});

it.each([1, 2, 3])("40 duplicates at once at two gateways are one message, round %d", async (round) => {
  const shop = await openShop(database.sql);
  platform.sends.splice(0);
  const headers = { "X-Service-Idempotency-Key": `race-${round}` };
  const posted = await Promise.all(
    Array.from({ length: 40 }, (_, i) => postEvent(gateways[i % 2] ?? { url: "" }, shop, { ...anEvent, nth: i }, { headers })),
  );
  expect(new Set(posted.map(({ body }) => body)).size).toBe(1);
  expect(posted.every(({ status }) => status === 200)).toBe(true);
  expect(posted.filter((one) => one.headers.get("x-service-idempotent-replay") === null)).toHaveLength(1);
  expect(platform.sends).toHaveLength(1);
});

it("duplicates wait for an original that is still being sent", async () => {
  const shop = await openShop(database.sql);
  platform.sends.splice(0);
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  platform.script(async () => {
    await released;
    return newMessageId();
  });
  const headers = { "X-Service-Idempotency-Key": "slow" };
  const posted = Array.from({ length: 6 }, (_, i) => postEvent(gateways[i % 2] ?? { url: "" }, shop, anEvent, { headers }));
  await expect.poll(() => platform.sends.length).toBe(1);
  release();
  const answers = await Promise.all(posted);
  platform.script(() => newMessageId());
  expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
  expect(platform.sends).toHaveLength(1);
});

it("one limit of requests a second holds over both gateways", async () => {
  const shop = await openShop(database.sql);
  await database.sql`update site set rate_limit_per_second = 5 where id = ${shop.siteId}`;
  const started = performance.now();
  const posted = await Promise.all(Array.from({ length: 30 }, (_, i) => postEvent(gateways[i % 2] ?? { url: "" }, shop)));
  const refused = posted.filter(({ status }) => status === 429);
  expect(posted.length - refused.length).toBeGreaterThanOrEqual(5);
  expect(refused[0]).toMatchObject({ json: { error: "Rate limit exceeded" } });
  expect(refused[0]?.headers.get("retry-after")).toBe("1");
  // No second holds more than five, so a span of time holds at most five for each second that it touches.
  expect(posted.length - refused.length).toBeLessThanOrEqual(5 * (1 + Math.floor((performance.now() - started) / 1000)));
});

it("a stopped account pauses at every gateway, and one good probe opens it again", async () => {
  const shop = await openShop(database.sql);
  const [here, there] = gateways;
  if (!here || !there) throw new Error("two gateways are needed");
  expect((await postEvent(there, shop)).json["chat"]).toBe("sent");
  platform.script((_, response) => refuse(response, 401, 190, "Token expired."));
  expect((await postEvent(here, shop)).json["chat"]).toBe("failed");
  platform.sends.splice(0);
  platform.script(() => newMessageId());
  for (const gateway of gateways) expect((await postEvent(gateway, shop)).json["chat"]).toBe("failed");
  expect(platform.sends).toHaveLength(0);
  const codes = await database.sql`select error_code from notification where site_id = ${shop.siteId} and status = 'failed' order by id`;
  expect(codes.map((row) => row["error_code"] as string)).toEqual(["190", "account_stopped", "account_stopped"]);
  await database.sql`update platform_account set probe_after = now() where account_id = ${shop.accountId}`;
  const probes = await Promise.all(Array.from({ length: 4 }, async (_, i) => postEvent(gateways[i % 2] ?? here, shop)));
  expect(probes.map(({ json }) => json["chat"])).toContain("sent");
  for (const gateway of gateways) expect((await postEvent(gateway, shop)).json["chat"]).toBe("sent");
  expect(await database.sql`select stopped_code from platform_account where account_id = ${shop.accountId}`).toMatchObject([
    { stopped_code: null },
  ]);
});
