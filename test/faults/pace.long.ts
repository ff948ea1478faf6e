import { expect, it } from "vitest";
import { testDatabase } from "../support/database.ts";
import { openShop, spawnGateway } from "../support/gateway.ts";
import { newMessageId, refuse, startScriptedPlatform } from "../support/platform.ts";
import { postEvent } from "../support/requests.ts";
import { waitFor } from "../support/wait-for.ts";
import { report } from "./harness/scale.ts";

const perSecond = 80;
const most = perSecond * 1.1;
const messages = 1_200;

/** The platform's own limit refuses messages that come too fast, in any second. */
it.each([1, 2, 3, 5])("%i gateways keep one number's pace together, and use it", { timeout: 120_000 }, async (count) => {
  await using database = await testDatabase();
  await using platform = await startScriptedPlatform();
  const arrivals: number[] = [];
  let refused = 0;
  platform.script(async (_, response) => {
    const now = performance.now();
    arrivals.push(now);
    const lately = arrivals.filter((at) => now - at < 1000).length;
    if (lately > most) {
      refused += 1;
      return refuse(response, 400, 130429);
    }
    await new Promise((resolve) => setTimeout(resolve, 40));
    return newMessageId();
  });
  const shop = await openShop(database.sql, { messagesPerSecond: perSecond });
  await database.sql`update site set hold_messages = true where id = ${shop.siteId}`;
  const gateways = await Promise.all(
    Array.from({ length: count }, () => spawnGateway({ databaseUrl: database.url, platformApiUrl: platform.url })),
  );
  await using _stop = { [Symbol.asyncDispose]: async () => void (await Promise.all(gateways.map((one) => one[Symbol.asyncDispose]()))) };
  for (let n = 0; n < messages; n += 20) {
    await Promise.all(
      Array.from({ length: 20 }, (__, i) =>
        postEvent(
          gateways[i % count] ?? { url: "" },
          shop,
          { customer: { phone_e164: `+1555${1_000_000 + n + i}` } },
          { headers: { Prefer: "respond-async" } },
        ),
      ),
    );
  }
  await database.sql`update site set hold_messages = false where id = ${shop.siteId}`;
  await waitFor("all messages", async () => (await database.sql`select from waiting_message limit 1`).length === 0, 60_000);
  const [first = 0, last = 0] = [arrivals[0], arrivals.at(-1)];
  const average = (1000 * (arrivals.length - 1)) / (last - first);
  const inASecond = Math.max(...arrivals.map((from) => arrivals.filter((at) => at >= from && at - from < 1000).length));
  report("pace", { gateways: count, messages: arrivals.length, "in a second": inASecond, average: Math.round(average * 10) / 10, refused });
  expect(refused).toBe(0);
  expect(inASecond).toBeLessThanOrEqual(most);
  expect(average).toBeGreaterThan(0.95 * perSecond);
});
