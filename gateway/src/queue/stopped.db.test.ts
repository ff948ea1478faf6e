import { newId } from "shared/db/ids";
import { listNotifications } from "shared/db/notification/log";
import { findPlatformCredentials, heedNews, resumeAfterEnd, savePlatformAccount, stopAccountByCallback } from "shared/db/platform-account";
import { firstId } from "shared/db/statement";
import { listDueSites } from "shared/db/waiting/take";
import { describe, expect, it, vi } from "vitest";
import { gatewayWorld } from "../../../test/support/gateway-world.ts";
import { openShop, type Shop } from "../../../test/support/gateway.ts";
import { refuse } from "../../../test/support/platform.ts";
import { anEvent, postEvent } from "../../../test/support/requests.ts";

const world = gatewayWorld({ dueMs: 20, firstRetryMs: 100 });

const soon = { timeout: 20_000, interval: 50 };
const preferAsync = { headers: { Prefer: "respond-async" } };
const expired = { code: "190", reason: "The access token has expired." };

const orderOf = (n: number, phone = `+1555123000${n}`) => ({ customer: { first_name: "Ada", phone_e164: phone }, order: { id: `${n}` } });
const queue = (shop: Shop, ...orders: object[]) => Promise.all(orders.map((order) => postEvent(world.gateway, shop, order, preferAsync)));
const messagesOf = async ({ siteId }: Shop) => [
  ...(await world.sql`select status, error_code, attempt, tries from notification where site_id = ${siteId} order by id`),
];
const codesOf = async (shop: Shop) => (await messagesOf(shop)).map(({ status, error_code: code }) => String(code ?? status)).toSorted();
const stop = ({ accountId }: Shop) => stopAccountByCallback(world.sql, accountId, { ...expired, at: new Date(Date.now() + 60_000) });
const stopOf = async ({ accountId }: Shop) =>
  (await world.sql`select stopped_code from platform_account where account_id = ${accountId}`)[0]?.["stopped_code"] as unknown;
const probeNow = ({ accountId }: Shop) => world.sql`update platform_account set probe_after = now() where account_id = ${accountId}`;
/** The account's credentials are entered anew. */
async function renewCredentials({ accountId }: Shop): Promise<void> {
  const row = await findPlatformCredentials(world.sql, accountId);
  if (row !== undefined) await savePlatformAccount(world.sql, { ...row, account_id: accountId });
}
const passes = ({ siteId }: Shop, hours: number) =>
  world.sql`update waiting_message set queued_at = queued_at - make_interval(hours => ${hours}) where site_id = ${siteId}`;

describe("what waits while an account is stopped", () => {
  it("goes on waiting, the messages that met the error too, and leaves in order with new credentials, as the first attempt", async () => {
    const shop = await openShop(world.sql);
    world.platform.script((_, response) => refuse(response, 401, 190));
    const phone = "+15551230001";
    await queue(shop, orderOf(1, phone));
    await vi.waitFor(async () => expect(await messagesOf(shop)).toMatchObject([{ status: "queued", tries: [{ code: "190" }] }]), soon);
    await queue(shop, orderOf(2, phone), orderOf(3));
    const waits = { error_code: null, attempt: 1 };
    expect(await messagesOf(shop)).toMatchObject([
      { ...waits, status: "queued" },
      { ...waits, status: "queued" },
      { ...waits, status: "queued" },
    ]);
    const logged = await listNotifications(world.sql, shop.accountId, {}, { limit: 10, before: null, from: null, to: null } as never);
    for (const { next_attempt_at: at } of logged) expect(Number(at)).toBeGreaterThan(Date.now());
    expect(world.platform.sends).toHaveLength(1);
    expect((await postEvent(world.gateway, shop)).json).toMatchObject({ chat: "failed" });
    expect(await codesOf(shop)).toEqual(["account_stopped", "queued", "queued", "queued"]);

    world.platform.script((send) => `wamid.${JSON.stringify(send.body.template)}`);
    await renewCredentials(shop);
    await vi.waitFor(async () => expect(await codesOf(shop)).toEqual(["account_stopped", "sent", "sent", "sent"]), soon);
    expect((await messagesOf(shop)).map(({ attempt }) => Number(attempt))).toEqual([1, 1, 1, 1]);
    const orders = world.platform.sends
      .filter(({ body }) => body.to === phone)
      .map(({ body }) => /"text":"(\d)"/.exec(JSON.stringify(body.template))?.[1]);
    expect(orders).toEqual(["1", "1", "2"]);
    expect(await world.sql`select from waiting_message where site_id = ${shop.siteId}`).toHaveLength(0);
  });

  it("is tried with one message, which is told once; when the platform takes it all follow, without any callback", async () => {
    const shop = await openShop(world.sql);
    await stop(shop);
    await queue(shop, ...[1, 2, 3, 4].map((n) => orderOf(n)));
    world.platform.script((_, response) => refuse(response, 401, 190));
    for (const probes of [1, 2, 3]) {
      await probeNow(shop);
      await vi.waitFor(() => expect(world.platform.sends).toHaveLength(probes), soon);
      await vi.waitFor(async () => expect(await world.sql`select from waiting_message where owner is not null`).toHaveLength(0), soon);
    }
    await vi.waitFor(async () => expect(await codesOf(shop)).toEqual(["queued", "queued", "queued", "queued"]), soon);
    for (const { tries, attempt } of await messagesOf(shop)) {
      expect(attempt).toBe(1);
      expect((tries as object[] | null)?.length ?? 0).toBeLessThanOrEqual(1);
    }
    world.platform.script(() => `wamid.${newId()}`);
    await probeNow(shop);
    await vi.waitFor(async () => expect(await codesOf(shop)).toEqual(["sent", "sent", "sent", "sent"]), soon);
    expect(await stopOf(shop)).toBeNull();
    expect(world.platform.sends).toHaveLength(7);
  });

  it("waits for a good check of the connection where the platform told of the stop and of its end: no message tries it out", async () => {
    const shop = await openShop(world.sql);
    await heedNews(world.sql, shop.accountId, { at: new Date(1), stop: { code: "DISABLE", reason: "", until: null } });
    await queue(shop, orderOf(1), orderOf(2));
    await heedNews(world.sql, shop.accountId, { at: new Date(2), stop: null });
    expect((await postEvent(world.gateway, shop, orderOf(3))).json).toMatchObject({ chat: "failed" });
    const due = (await listDueSites(world.sql, firstId, 9)).filter(({ site_id }) => site_id === shop.siteId);
    expect([due.map(({ is_due }) => is_due), await codesOf(shop), world.platform.sends]).toEqual([
      [false],
      ["queued", "queued", "queued"],
      [],
    ]);
    await resumeAfterEnd(world.sql, shop.accountId);
    await vi.waitFor(async () => expect(await codesOf(shop)).toEqual(["sent", "sent", "sent"]), soon);
  });

  it("fails with account_stopped once its time is over, and the younger goes on waiting", async () => {
    const shop = await openShop(world.sql);
    await stop(shop);
    await queue(shop, ...[1, 2, 3].map((n) => orderOf(n)));
    await passes(shop, 24);
    await queue(shop, orderOf(4));
    world.platform.script((_, response) => refuse(response, 401, 190));
    await probeNow(shop);
    await vi.waitFor(async () => {
      expect((await codesOf(shop)).filter((code) => code !== "190")).toContain("account_stopped");
      expect(await codesOf(shop)).toHaveLength(4);
      expect((await codesOf(shop)).filter((code) => code === "queued")).toHaveLength(1);
      expect(await world.sql`select from waiting_message where site_id = ${shop.siteId}`).toHaveLength(1);
    }, soon);
  });
});

it("a scheduled message whose time comes meanwhile waits, too", async () => {
  const shop = await openShop(world.sql, { schedule: { delaySeconds: 60 } });
  await postEvent(world.gateway, shop, anEvent);
  await stop(shop);
  await world.sql`update waiting_message set due_at = now(), queued_at = now() where site_id = ${shop.siteId}`;
  await world.sql`update recipient_turn set due_at = now() where account_id = ${shop.accountId}`;
  world.platform.script((_, response) => refuse(response, 401, 190));
  await probeNow(shop);
  await vi.waitFor(
    async () => expect(await messagesOf(shop)).toMatchObject([{ status: "queued", tries: [{ code: "190" }], attempt: 1 }]),
    soon,
  );
  world.platform.script(() => `wamid.${newId()}`);
  await renewCredentials(shop);
  await vi.waitFor(async () => expect(await codesOf(shop)).toEqual(["sent"]), soon);
});
