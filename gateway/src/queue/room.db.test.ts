import { expect, it, vi } from "vitest";
import { gatewayWorld } from "../../../test/support/gateway-world.ts";
import { openShop, type Shop } from "../../../test/support/gateway.ts";
import { anEvent, postEvent } from "../../../test/support/requests.ts";

const world = gatewayWorld({ dueMs: 20, attemptMs: 800 });

const soon = { timeout: 20_000, interval: 50 };
const queue = (shop: Shop, n: number) =>
  postEvent(world.gateway, shop, { customer: { phone_e164: `+1555${1_000_000 + n}` } }, { headers: { Prefer: "respond-async" } });

/** A shop of an account that the platform does not answer, and another with a list of two waves. */
async function hangingShops() {
  const shop = await openShop(world.sql);
  const phones = Array.from({ length: 25 }, (_, n) => `+1555200${1000 + n}`);
  const listed = await openShop(world.sql, { accountId: shop.accountId, recipient: { strategy: "site_recipients" }, phones });
  world.platform.script(() => undefined);
  await postEvent(world.gateway, shop);
  world.platform.sends.splice(0);
  const postLists = async (count: number) =>
    (await Promise.all(Array.from({ length: count }, () => postEvent(world.gateway, listed, anEvent)))).map(({ status }) => status);
  return { shop, postLists };
}

it("while the platform hangs, few waiting messages take few places", async () => {
  const { shop, postLists } = await hangingShops();
  for (let n = 0; n < 16; n += 1) await queue(shop, n);
  await vi.waitUntil(() => world.platform.sends.length >= 16, soon);
  expect(await postLists(20)).toEqual(Array.from({ length: 20 }, () => 200));
});

it("while the platform hangs, many waiting messages leave half of the places to events that somebody waits for", async () => {
  const { shop, postLists } = await hangingShops();
  await world.sql`update site set hold_messages = true where id = ${shop.siteId}`;
  for (let n = 0; n < 400; n += 20) await Promise.all(Array.from({ length: 20 }, (_, i) => queue(shop, n + i)));
  await world.sql`update site set hold_messages = false where id = ${shop.siteId}`;
  await vi.waitUntil(() => world.platform.sends.length >= 240, soon);
  expect(await postLists(12)).toEqual(Array.from({ length: 12 }, () => 200));
});
