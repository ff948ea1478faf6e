import { newId } from "shared/db/ids";
import { describe, expect, test } from "vitest";
import { addSite } from "../../../test/support/admin-shops.ts";
import { openResources } from "../../../test/support/admin.ts";
import { shared } from "../../../test/support/shared.ts";

const resources = shared(async () => openResources());

async function openSite() {
  const { api, as, accountId } = await resources.account();
  return { api, as, accountId, siteId: await addSite(api) };
}
const url = "https://shop.example/hooks?key=1";
const versionOf = async (siteId: string): Promise<string> =>
  (await resources.sql<[{ version: string }]>`select config_version::text as version from site where id = ${siteId}`)[0].version;
const refused = (code: string, message: RegExp | string) =>
  expect.objectContaining({ code, message: expect.stringMatching(message) as string }) as Error;

describe("an endpoint", () => {
  test("is made with the site's secret, shown once; further ones share it; gateways hear of it", async () => {
    const { api, siteId } = await openSite();
    const before = await versionOf(siteId);
    const { webhook, secret } = await api.webhooks.create({ siteId, url, types: ["message.read", "message.sent", "message.sent"] });
    expect(webhook).toEqual({
      id: webhook.id,
      siteId,
      url,
      types: ["message.sent", "message.read"],
      enabled: true,
      disabledBecause: null,
      failingSince: null,
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: expect.stringMatching(/Z$/),
      numberAtHost: null,
    });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(await versionOf(siteId)).not.toBe(before);
    const second = await api.webhooks.create({ siteId, url, types: ["message.failed"], enabled: false });
    expect(second).toEqual({ webhook: expect.objectContaining({ enabled: false }) });
    expect((await api.webhooks.list({ siteId })).items).toEqual(
      [second.webhook, { ...webhook, numberAtHost: 1 }].map((each) => ({ ...each, successRate: null, triedCount: 0, p95Ms: null })),
    );
    const stored = await resources.sql`select secret from site_secret where site_id = ${siteId} and kind = 'outbound_secret'`;
    expect(stored).toHaveLength(1);
    expect(JSON.stringify(stored)).not.toContain(secret);
  });

  test("shows a viewer no address that may hold a key", async () => {
    const { api, as, siteId } = await openSite();
    await api.webhooks.create({ siteId, url, types: ["message.sent"] });
    expect((await as("viewer").webhooks.list({ siteId })).items).toMatchObject([{ url: "https://shop.example/…" }]);
  });

  test.each([
    ["ftp://shop.example/", /Must be an address like/],
    ["shop.example", /Must be an address like/],
    ["https://", /Must be an address like/],
    ["https://user:secret@shop.example/", /user name or password/],
    ["https://shop.example/#part", /part of a page/],
    [`https://shop.example/${"x".repeat(2048)}`, /at most 2048/],
    ["https://10.0.0.1/", /not an address of the internet/],
    ["https://[fd00::1]/", /not an address of the internet/],
    ["https://0x0a000001/", /not an address of the internet/],
    ["https://169.254.169.254/latest", /not an address of the internet/],
  ])("cannot be %s", async (wrong, message) => {
    const { api, siteId } = await openSite();
    await expect(api.webhooks.create({ siteId, url: wrong, types: ["message.sent"] })).rejects.toThrow(refused("BAD_REQUEST", message));
  });

  test("has types, of those that there are", async () => {
    const { api, siteId } = await openSite();
    await expect(api.webhooks.create({ siteId, url, types: [] })).rejects.toThrow(/at least one type/);
    await expect(api.webhooks.create({ siteId, url, types: ["message.queued" as never] })).rejects.toMatchObject({ code: "BAD_REQUEST" });
  });

  test("is one of ten of its site", async () => {
    const { api, siteId } = await openSite();
    const made = await Promise.allSettled(Array.from({ length: 12 }, () => api.webhooks.create({ siteId, url, types: ["message.sent"] })));
    expect(made.filter(({ status }) => status === "fulfilled")).toHaveLength(10);
    expect((await api.webhooks.list({ siteId })).items).toHaveLength(10);
    expect(made.flatMap((one) => (one.status === "fulfilled" && one.value.secret !== undefined ? one : []))).toHaveLength(1);
  });

  test("is changed, and what the service said of it ends when somebody switches it on", async () => {
    const { api, siteId } = await openSite();
    const { webhook } = await api.webhooks.create({ siteId, url, types: ["message.sent"] });
    await resources.sql`update webhook set enabled = false, disabled_because = 'gone', failing_since = now() where id = ${webhook.id}`;
    expect((await api.webhooks.update({ id: webhook.id, types: ["message.read"] })).webhook).toMatchObject({
      types: ["message.read"],
      disabledBecause: "gone",
    });
    await expect(api.webhooks.test({ id: webhook.id })).rejects.toThrow(refused("CONFLICT", "switch it on"));
    expect((await api.webhooks.update({ id: webhook.id, enabled: true })).webhook).toMatchObject({
      enabled: true,
      disabledBecause: null,
      failingSince: null,
    });
    await expect(api.webhooks.update({ id: webhook.id, url: "https://127.1.1.1.1/" })).rejects.toMatchObject({ code: "BAD_REQUEST" });
    expect(await api.webhooks.delete({ id: webhook.id })).toEqual({ id: webhook.id });
    await expect(api.webhooks.delete({ id: webhook.id })).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("goes with its site, and its deliveries with it", async () => {
    const { api, siteId } = await openSite();
    const { webhook } = await api.webhooks.create({ siteId, url, types: ["message.sent"] });
    await api.webhooks.test({ id: webhook.id });
    await api.sites.delete({ id: siteId });
    expect((await api.webhooks.list({})).items).toEqual([]);
    expect((await api.webhookDeliveries.list({})).items).toEqual([]);
  });
});

describe("the secret", () => {
  test("is replaced at once, or after the overlap, five at most", async () => {
    const { api, siteId } = await openSite();
    const { secret } = await api.webhooks.create({ siteId, url, types: ["message.sent"] });
    const valid = async () => (await resources.sql`select from site_secret where site_id = ${siteId} and kind = 'outbound_secret'`).length;
    for (let n = 2; n <= 5; n += 1) {
      expect((await api.webhooks.rotateSecret({ siteId, overlapSeconds: 60 })).secret).not.toBe(secret);
      expect(await valid()).toBe(n);
    }
    await expect(api.webhooks.rotateSecret({ siteId, overlapSeconds: 60 })).rejects.toThrow(refused("CONFLICT", "5 secrets"));
    await api.webhooks.rotateSecret({ siteId });
    expect(await valid()).toBe(1);
    await expect(api.webhooks.rotateSecret({ siteId, overlapSeconds: 86_401 })).rejects.toMatchObject({ code: "BAD_REQUEST" });
    // The secrets that sign the site's own events are others.
    expect((await api.sites.get({ id: siteId })).secrets.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(["api_key", "webhook_secret"]),
    );
  });
});

describe("deliveries", () => {
  const fill = async (webhookId: string, siteId: string, count: number, status: string): Promise<string[]> => {
    const ids = Array.from({ length: count }, newId);
    await resources.sql`
      insert into webhook_delivery (id, webhook_id, type, site_id, event_id, payload, occurred_at, status, attempts, failures, last_status_code, last_error)
      select id, ${webhookId}, 'message.sent', ${siteId}, id, '{}', now(), ${status}, 8, 8, 500, 'refused' from unnest(${ids}::uuid[]) id`;
    return ids;
  };

  test("are replayed, one or all that failed since a time", async () => {
    const { api, siteId } = await openSite();
    const { webhook } = await api.webhooks.create({ siteId, url, types: ["message.sent"] });
    const [first = "", second = "", gone = ""] = await fill(webhook.id, siteId, 3, "failed");
    await resources.sql`update webhook_delivery set payload = null where id = ${gone}`;
    await expect(api.webhookDeliveries.replay({ id: gone })).rejects.toThrow(refused("CONFLICT", "no longer kept"));
    const { delivery } = await api.webhookDeliveries.replay({ id: first });
    expect(delivery).toMatchObject({ id: first, status: "pending", attempts: 8, nextAttemptAt: expect.stringMatching(/Z$/) as string });
    const since = new Date(Date.now() - 60_000).toISOString();
    for (const none of [{ type: "message.read" as const }, { since, until: since }, { failed: false }])
      expect(await api.webhookDeliveries.replayFailed({ webhookId: webhook.id, ...none })).toMatchObject({ count: 0 });
    for (const kept of [true, false]) expect(await api.webhookDeliveries.count({ status: "failed", kept })).toMatchObject({ total: 1 });
    const { operation, ...told } = await api.webhookDeliveries.replayFailed({ webhookIds: [webhook.id], since });
    expect(told).toEqual({ count: 1, gone: 1 });
    expect(await api.operations.get(operation)).toMatchObject({ operation: { total: 2, done: 1, outcomes: { skipped: 1 } } });
    expect((await api.webhookDeliveries.list({ status: "pending" })).items).toHaveLength(2);
    await resources.sql`update webhook_delivery set owner = ${newId()} where id = ${second}`;
    await expect(api.webhookDeliveries.replay({ id: second })).rejects.toThrow(refused("CONFLICT", "being sent now"));
    await api.webhooks.update({ id: webhook.id, enabled: false });
    await expect(api.webhookDeliveries.replay({ id: first })).rejects.toThrow(refused("CONFLICT", "switch it on"));
  });

  test("of a test have the specification's members, of the type that was asked for", async () => {
    const { api, accountId, siteId } = await openSite();
    const { webhook } = await api.webhooks.create({ siteId, url, types: ["message.delivered", "customer.opted_out"] });
    for (const type of [undefined, "customer.opted_out", "message.received", "message.failed"] as const) {
      const { delivery } = await api.webhooks.test({ id: webhook.id, ...(type !== undefined && { type }) });
      const [row] = await resources.sql`select payload, type from webhook_delivery where id = ${delivery.id}`;
      expect(JSON.parse(String(row?.["payload"]))).toMatchObject({ type: type ?? "message.delivered" });
    }
    expect(accountId).not.toBe(siteId);
  });

  test("of tests are twenty at most that have not arrived", async () => {
    const { api, siteId } = await openSite();
    const { webhook } = await api.webhooks.create({ siteId, url, types: ["message.sent"] });
    for (let n = 0; n < 20; n += 1) await api.webhooks.test({ id: webhook.id });
    await expect(api.webhooks.test({ id: webhook.id })).rejects.toThrow(refused("CONFLICT", "wait until they have arrived"));
    await resources.sql`update webhook_delivery set status = 'delivered' where webhook_id = ${webhook.id}`;
    await api.webhooks.test({ id: webhook.id });
  });

  test("show an operator what the endpoint said, and a viewer only that it failed", async () => {
    const { api, as, siteId } = await openSite();
    const { webhook } = await api.webhooks.create({ siteId, url, types: ["message.sent"] });
    const [id = ""] = await fill(webhook.id, siteId, 1, "failed");
    const answer = { head: "content-type: text/plain", body: "no +491701234567", isCut: false };
    await resources.sql`update webhook_delivery set answer = ${JSON.stringify(answer)} where id = ${id}`;
    expect((await api.webhookDeliveries.get({ id })).delivery).toMatchObject({ id, tries: [], answer });
    expect((await as("viewer").webhookDeliveries.get({ id })).delivery).toMatchObject({ id, lastStatusCode: 500, answer: null });
  });
});
