import { sourceTypes } from "shared/core/site";
import { noteTopic } from "shared/db/site-topic";
import { secretPlace } from "shared/secrets/vault";
import { describe, expect, test } from "vitest";
import { openResources } from "../../../test/support/admin.ts";
import { shared } from "../../../test/support/shared.ts";

const resources = shared(async () => openResources());

const shop = { name: "Shop", url: "https://shop.example", sourceType: "shopify" } as const;
const open = async (more: object = {}) => {
  const account = await resources.account();
  const { site } = await account.api.sites.create({ ...shop, ...more });
  const update = async (change: object) => (await account.api.sites.update({ id: site.id, ...change })).site;
  return { ...account, site, update };
};

test.each(sourceTypes)("the database takes a site of the type %s", async (sourceType) => {
  expect((await open({ sourceType })).site.sourceType).toBe(sourceType);
});

describe("the secret of a shop", () => {
  const stored = async (siteId: string, accountId: string) => {
    const rows = await resources.sql<{ id: string; secret: string; expires_at: Date | null }[]>`
      select id, secret, expires_at from site_secret where site_id = ${siteId} and kind = 'source_secret' order by expires_at nulls first`;
    return rows.map(({ id, secret, expires_at }) => ({
      secret: resources.vault.open(secret, secretPlace(accountId, id)),
      seconds: expires_at && Math.round((expires_at.getTime() - Date.now()) / 60_000) * 60,
    }));
  };

  test("is stored encrypted, never answered, and ends at once when another takes its place", async () => {
    const { api, accountId, site, update } = await open({ sourceSecret: "shpss_first" });
    expect(site.sourceSecretHint).toBe("irst");
    expect(JSON.stringify(await api.sites.get({ id: site.id }))).not.toContain("shpss");
    expect((await update({ sourceSecret: " shpss_second " })).sourceSecretHint).toBe("cond");
    expect(await stored(site.id, accountId)).toEqual([{ secret: "shpss_second", seconds: null }]);
    expect((await update({ sourceSecret: null })).sourceSecretHint).toBeNull();
    expect(await stored(site.id, accountId)).toEqual([]);
  });

  test("overlaps when that is said, up to five at a time; null ends them all", async () => {
    const { api, accountId, site, update } = await open({ sourceSecret: "shpss_0" });
    await update({ sourceSecret: "shpss_1", overlapSeconds: 3600 });
    expect(await stored(site.id, accountId)).toEqual([
      { secret: "shpss_1", seconds: null },
      { secret: "shpss_0", seconds: 3600 },
    ]);
    const { secrets } = await api.sites.get({ id: site.id });
    expect(secrets.filter(({ kind }) => kind === "source_secret")).toHaveLength(2);
    for (const n of [2, 3, 4]) await update({ sourceSecret: `shpss_${n}`, overlapSeconds: 60 });
    await expect(update({ sourceSecret: "shpss_5", overlapSeconds: 60 })).rejects.toMatchObject({ code: "CONFLICT" });
    await update({ sourceSecret: null, overlapSeconds: 60 });
    expect(await stored(site.id, accountId)).toEqual([]);
  });

  test("that cannot be read stands among what is unreadable", async () => {
    const { api, site } = await open({ sourceSecret: "shpss_first" });
    await resources.sql`update site_secret set secret = 'v1.broken' where site_id = ${site.id} and kind = 'source_secret'`;
    const { items } = await api.problems.list({ kind: "secret_unreadable" });
    expect(items.map(({ siteId, title }) => [siteId, title])).toEqual([[site.id, "A secret of the site Shop cannot be read"]]);
  });

  test.each([
    { sourceSecret: "" },
    { sourceSecret: "two words" },
    { sourceSecret: "x".repeat(2001) },
    { sourceSecret: "a", overlapSeconds: -1 },
  ])("refuses %j", async (wrong) => {
    await expect((await open()).update(wrong)).rejects.toMatchObject({ code: "BAD_REQUEST" });
  });
});

describe("the inbound address", () => {
  test("differs from site to site, is hidden from viewers, and is replaced at once", async () => {
    const { api, as, site } = await open();
    const { site: other } = await api.sites.create(shop);
    expect(new Set([site.inboundUrl, other.inboundUrl]).size).toBe(2);
    expect((await as("viewer").sites.get({ id: site.id })).site.inboundUrl).toBeNull();
    const { inboundUrl } = await api.sites.rotateInboundToken({ id: site.id });
    expect(inboundUrl).toMatch(/\/api\/public\/in\/[\w-]{32,}$/);
    expect(inboundUrl).not.toBe(site.inboundUrl);
    expect((await api.sites.get({ id: site.id })).site.inboundUrl).toBe(inboundUrl);
    await expect((await open()).api.sites.rotateInboundToken({ id: site.id })).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});

describe("phones and country", () => {
  test.each([
    ["shopify", true],
    ["woocommerce", true],
    ["generic", false],
  ] as const)("a new site of %s makes phones E.164: %s", async (sourceType, normalizePhones) => {
    expect((await open({ sourceType })).site.normalizePhones).toBe(normalizePhones);
  });

  test("the site's own path only when somebody says so", async () => {
    const mode = async (id: string) =>
      (await resources.sql`select normalize_phones as mode from site where id = ${id}`)[0]?.["mode"] as string;
    const { site, update } = await open();
    expect(await mode(site.id)).toBe("shop");
    expect((await update({ normalizePhones: true })).normalizePhones).toBe(true);
    expect(await mode(site.id)).toBe("all");
    expect((await update({ normalizePhones: false })).normalizePhones).toBe(false);
    expect(await mode((await open({ sourceType: "generic", normalizePhones: true })).site.id)).toBe("all");
  });

  test("a country in any case; null clears; another word is refused", async () => {
    const { update } = await open({ country: "de" });
    expect((await update({})).country).toBe("DE");
    expect((await update({ country: null })).country).toBeNull();
    for (const country of ["Germany", "ZZ", "UK", "", "__proto__"])
      await expect(update({ country })).rejects.toMatchObject({ code: "BAD_REQUEST", cause: { issues: [{ path: ["country"] }] } });
  });

  test("the preview reads phones as the site does, and says what is wrong with them", async () => {
    const { api, site, update } = await open({ country: "DE" });
    const template = await api.templates.create({ name: "hello", language: "en_US", category: "UTILITY", body: "Hello" });
    const preview = async (customer: object) => {
      const input = { siteId: site.id, event: "order.created", templateId: template.template.id, variableMap: {} };
      return api.bindings.preview({ ...input, recipient: { strategy: "customer" }, payload: { customer } as never });
    };
    expect(await preview({ phone: "0171 2345678" })).toMatchObject({ recipients: ["+491712345678"], phoneProblems: [] });
    expect(await preview({ phone: "123" })).toMatchObject({ recipients: [], phoneProblems: [{ value: "123", reason: "too_short" }] });
    await update({ normalizePhones: false });
    expect(await preview({ phone_e164: "0171 2345678" })).toMatchObject({
      recipients: [],
      phoneProblems: [{ value: "0171 2345678", reason: "no_country" }],
    });
  });
});

describe("topics", () => {
  test("those seen, the last first, with the event that each means now", async () => {
    const { api, site, update } = await open();
    const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second));
    await noteTopic(resources.sql, site.id, "orders/create", at(1));
    await noteTopic(resources.sql, site.id, "orders/edited", at(2));
    await noteTopic(resources.sql, site.id, "orders/create", at(4));
    await noteTopic(resources.sql, site.id, "orders/create", at(3));
    const seen = async () => (await api.sites.get({ id: site.id })).topics;
    expect(await seen()).toEqual([
      { topic: "orders/create", lastSeenAt: at(4).toISOString(), event: "order.created" },
      { topic: "orders/edited", lastSeenAt: at(2).toISOString(), event: null },
    ]);
    const topicMap = { "orders/edited": "order.changed", "orders/create": null };
    expect((await update({ topics: { "Orders/Edited": "Order.Changed", "orders/create": null } })).topicMap).toEqual(topicMap);
    expect((await seen()).map(({ event }) => event)).toEqual([null, "order.changed"]);
    expect((await update({ topics: null })).topicMap).toEqual({});
  });

  test("a hundred of a site are noted, and go with it", async () => {
    const { api, site } = await open();
    for (let n = 0; n < 103; n += 1) await noteTopic(resources.sql, site.id, `a/${n}`, new Date());
    expect((await api.sites.get({ id: site.id })).topics).toHaveLength(100);
    await api.sites.delete({ id: site.id });
    expect(await resources.sql`select from site_topic where site_id = ${site.id}`).toEqual([]);
  });

  test.each<[string, object]>([
    ["an event that is none", { "orders/paid": "not a name" }],
    ["a topic with spaces", { "orders paid": "a.b" }],
    ["a long topic", { [`a/${"b".repeat(127)}`]: "a.b" }],
    ["another type", { "orders/paid": 7 }],
    ["more than a hundred", Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`a/${n}`, null]))],
  ])("refuses %s", async (_name, topics) => {
    await expect((await open()).update({ topics })).rejects.toMatchObject({ code: "BAD_REQUEST" });
  });
});

describe("the key of a shop's REST API", () => {
  const reconcile = { consumerKey: "ck_0123456789abcdef1234", consumerSecret: "cs_hidden" };
  const stored = async (siteId: string, accountId: string) => {
    const rows = await resources.sql<{ id: string; secret: string; url: string }[]>`
      select k.id, k.secret, r.url from reconcile r join site_secret k on k.id = r.key_id where r.site_id = ${siteId}`;
    return rows.map(({ id, secret, url }) => [resources.vault.open(secret, secretPlace(accountId, id)), url]);
  };

  test("is stored encrypted, replaced, removed, and never answered", async () => {
    const { api, as, accountId, site, update } = await open({ sourceType: "woocommerce" });
    expect(site.reconcile).toBeNull();
    const set = (await update({ reconcile })).reconcile;
    expect(set).toEqual({ keyHint: "1234", since: expect.any(String), lastRunAt: null, taken: 0, problem: null });
    expect(Math.abs(Date.now() - new Date(set?.since ?? 0).getTime())).toBeLessThan(60_000);
    expect(await stored(site.id, accountId)).toEqual([["ck_0123456789abcdef1234:cs_hidden", shop.url]]);
    const shown = await api.sites.get({ id: site.id });
    expect(JSON.stringify(shown)).not.toMatch(/ck_0123|cs_hidden/);
    expect(shown.secrets.map(({ kind }) => kind).toSorted()).toEqual(["api_key", "webhook_secret"]);
    await update({ reconcile: { consumerKey: "ck_0123456789abcdef_new", consumerSecret: "cs_new" } });
    expect(await stored(site.id, accountId)).toEqual([["ck_0123456789abcdef_new:cs_new", shop.url]]);
    expect((await update({ name: "Other" })).reconcile).toMatchObject({ keyHint: "_new" });
    expect((await update({ reconcile: null })).reconcile).toBeNull();
    expect(await resources.sql`select from site_secret where site_id = ${site.id} and kind = 'rest_key'`).toEqual([]);
    const entries = (await as("owner").audit.list({})).items;
    expect(entries[0]).toMatchObject({ action: "sites.update", changes: [{ member: "keyId", kept: "secret" }] });
    expect(JSON.stringify(entries)).not.toMatch(/cs_|ck_/);
  });

  test("shows the last run, and a problem as a sentence", async () => {
    const { api, site, update } = await open({ sourceType: "woocommerce" });
    await update({ reconcile });
    await resources.sql`
      update reconcile set last_at = '2026-03-14T10:00:00Z', taken = 3, problem = '{"code":"shop_refuses_key","status":401}', problem_since = '2026-03-13T10:00:00Z'
      where site_id = ${site.id}`;
    expect((await api.sites.get({ id: site.id })).site.reconcile).toMatchObject({
      lastRunAt: "2026-03-14T10:00:00.000Z",
      taken: 3,
      problem: {
        code: "shop_refuses_key",
        reason: expect.stringContaining("HTTP 401"),
        reasonCode: { code: "shop_refuses_key", status: 401 },
        since: "2026-03-13T10:00:00.000Z",
      },
    });
  });

  test("ends with the site, and when the site is of another kind", async () => {
    const { api, accountId, site, update } = await open({ sourceType: "woocommerce" });
    await update({ reconcile });
    expect((await update({ sourceType: "generic" })).reconcile).toBeNull();
    expect(await stored(site.id, accountId)).toEqual([]);
    await update({ sourceType: "woocommerce", reconcile });
    await api.sites.delete({ id: site.id });
    expect(await stored(site.id, accountId)).toEqual([]);
  });

  test.each([
    [{ sourceType: "shopify" }, reconcile],
    [{ sourceType: "woocommerce" }, { consumerKey: "ck:1", consumerSecret: "cs" }],
    [{ sourceType: "woocommerce" }, { consumerKey: "ck", consumerSecret: "two words" }],
    [{ sourceType: "woocommerce" }, { consumerKey: "ck" }],
    [{ sourceType: "woocommerce" }, { ...reconcile, url: "https://else.example" }],
  ])("of %j is not %j", async (site, key) => {
    await expect((await open(site)).update({ name: "Mine", reconcile: key })).rejects.toMatchObject({ code: "BAD_REQUEST" });
  });
});
