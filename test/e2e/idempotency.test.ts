import { expect, it } from "vitest";
import { testDatabase } from "../support/database.ts";
import { openGateway, openShop } from "../support/gateway.ts";
import { startScriptedPlatform } from "../support/platform.ts";
import { postEvent } from "../support/requests.ts";

it("one limit of requests a second holds over both gateways", async () => {
  await using database = await testDatabase();
  await using platform = await startScriptedPlatform();
  await using one = await openGateway(database.url, platform.url);
  await using other = await openGateway(database.url, platform.url);
  const shop = await openShop(database.sql);
  await database.sql`update site set rate_limit_per_second = 5 where id = ${shop.siteId}`;
  const started = performance.now();
  const posted = await Promise.all(Array.from({ length: 30 }, (_, i) => postEvent(i % 2 === 0 ? one : other, shop)));
  const refused = posted.filter(({ status }) => status === 429);
  expect(posted.length - refused.length).toBeGreaterThanOrEqual(5);
  expect(refused[0]).toMatchObject({ json: { error: "Rate limit exceeded" } });
  expect(refused[0]?.headers.get("retry-after")).toBe("1");
  // No second holds more than five, so a span of time holds at most five for each second that it touches.
  expect(posted.length - refused.length).toBeLessThanOrEqual(5 * (1 + Math.floor((performance.now() - started) / 1000)));
});
