import { hashSiteKey, siteIdOfKey } from "shared/secrets/site-key";
import { secretPlace } from "shared/secrets/vault";
import { describe, expect, test } from "vitest";
import { connectPlatform, openAdmin, openResources } from "../../../test/support/admin.ts";
import { shared } from "../../../test/support/shared.ts";

const resources = shared(async () => openResources());

const shop = { name: "Shop", url: "https://shop.example", sourceType: "generic" } as const;

const storedSite = async (id: string) => {
  const [row] = await resources.sql<
    [
      {
        account_id: string;
        key_hash: Buffer | null;
        secret_id: string;
        webhook_secret: string | null;
        config_version: string;
        deleted_at: Date | null;
      },
    ]
  >`
    select account_id, config_version, deleted_at,
      (select id from site_secret k where k.site_id = site.id and kind = 'webhook_secret' and expires_at is null) as secret_id,
      (select key_hash from site_secret k where k.site_id = site.id and kind = 'api_key' and expires_at is null) as key_hash,
      (select secret from site_secret k where k.site_id = site.id and kind = 'webhook_secret' and expires_at is null) as webhook_secret
    from site where id = ${id}`;
  return row;
};

describe("sites.create", () => {
  test("makes 500 sites of an account; a deleted one makes room", async () => {
    const account = await resources.account();
    const { site } = await account.api.sites.create(shop);
    await resources.sql`
      insert into site (id, account_id, name, url, source_type)
      select gen_random_uuid(), account_id, name, url, source_type from site, generate_series(2, 500) where id = ${site.id}`;
    const refusal = { code: "CONFLICT", message: expect.stringContaining("at most 500 sites") as unknown };
    await expect(account.api.sites.create(shop)).rejects.toMatchObject(refusal);
    await account.api.sites.delete({ id: site.id });
    const made = await Promise.allSettled([1, 2, 3, 4].map(async () => account.api.sites.create(shop)));
    expect(made.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected", "rejected", "rejected"]);
  });

  test("answers the site and both secrets, and stores neither of them as it is", async () => {
    const account = await resources.account();
    const { site, apiKey, webhookSecret } = await account.api.sites.create({ ...shop, testPhone: "+491701234567" });
    expect(site).toEqual({
      id: site.id,
      name: "Shop",
      url: "https://shop.example",
      sourceType: "generic",
      mode: "live",
      enabled: true,
      testPhone: "+491701234567",
      requireTimestamp: false,
      requireSignedTimestamp: false,
      idempotencyHours: null,
      rateLimitPerSecond: null,
      holdMessages: false,
      retryAfterAnswer: true,
      sourceSecretHint: null,
      reconcile: null,
      inboundUrl: expect.stringMatching(/^http:\/\/[^/]+\/api\/public\/in\/[0-9a-f]{64}$/),
      connectedAt: null,
      pingedAt: null,
      country: null,
      topicMap: {},
      normalizePhones: false,
      apiKeyHint: `sk_live_…${apiKey.slice(-4)}`,
      createdAt: new Date(site.createdAt).toISOString(),
      updatedAt: site.updatedAt,
      lastEventAt: null,
    });
    expect(siteIdOfKey(apiKey)).toBe(site.id);
    expect(webhookSecret).toMatch(/^whs_[0-9A-Za-z]{40}$/);
    const stored = await storedSite(site.id);
    expect(stored.key_hash).toEqual(hashSiteKey(apiKey));
    expect(stored.webhook_secret).not.toContain(webhookSecret.slice(4));
    expect(resources.vault.open(stored.webhook_secret ?? "", secretPlace(stored.account_id, stored.secret_id))).toBe(webhookSecret);
  });
});

test("in a cell, keys, inbound tokens and the callback's address begin with its name", async () => {
  await using admin = await openAdmin({ cell: "eu1" });
  const { client } = await admin.signUp();
  const { site, apiKey } = await client.sites.create.mutate(shop);
  const rotated = [await client.sites.rotateApiKey.mutate({ id: site.id }), await client.sites.rotateInboundToken.mutate({ id: site.id })];
  expect([site.inboundUrl, apiKey, ...rotated.map((one) => Object.values(one)[0])]).toEqual([
    expect.stringMatching(/\/in\/eu1_[0-9a-f]{64}$/),
    expect.stringMatching(/^sk_live_eu1_\w{54}$/),
    expect.stringMatching(/^sk_live_eu1_\w{54}$/),
    expect.stringMatching(/\/in\/eu1_[0-9a-f]{64}$/),
  ]);
  const { site: now } = await client.sites.get.query({ id: site.id });
  expect(now.apiKeyHint).toMatch(/^sk_live_eu1_…/);
  const { platform } = await client.settings.get.query();
  expect(platform.webhookUrl).toMatch(/\/webhook\/eu1\.[0-9a-f-]{36}$/);
});

describe("sites.list", () => {
  test("finds by a part of the name or of the URL, as it is written", async () => {
    const account = await resources.account();
    for (const name of ["Bean_Leaf", "BeanXLeaf"]) await account.api.sites.create({ ...shop, name });
    await account.api.sites.create({ ...shop, name: "Clinic", url: "https://leaf.example" });
    const found = async (search: string) => (await account.api.sites.list({ search })).items.map(({ name }) => name);
    expect(await found("LEAF")).toEqual(["Clinic", "BeanXLeaf", "Bean_Leaf"]);
    expect(await found("bean_l")).toEqual(["Bean_Leaf"]);
    expect(await found(" ")).toHaveLength(3);
    expect(await found("%")).toEqual([]);
  });
});

describe("sites.update", () => {
  test("changes what is named, and null clears", async () => {
    const account = await resources.account();
    const { site } = await account.api.sites.create({ ...shop, testPhone: "+491701234567" });
    const changed = await account.api.sites.update({
      id: site.id,
      name: "Store",
      enabled: false,
      requireTimestamp: true,
      requireSignedTimestamp: true,
      rateLimitPerSecond: 5,
    });
    const settings = { enabled: false, requireTimestamp: true, requireSignedTimestamp: true, rateLimitPerSecond: 5 };
    expect(changed.site).toEqual({ ...site, name: "Store", ...settings, updatedAt: changed.site.updatedAt });
    const cleared = await account.api.sites.update({ id: site.id, testPhone: null, rateLimitPerSecond: null });
    expect(cleared.site).toEqual({ ...changed.site, testPhone: null, rateLimitPerSecond: null, updatedAt: cleared.site.updatedAt });
    expect((await account.api.sites.get({ id: site.id })).site).toEqual(cleared.site);
  });

  test("without a member changes nothing, and is no new configuration for the gateways", async () => {
    const account = await resources.account();
    const { site } = await account.api.sites.create(shop);
    const { config_version: before } = await storedSite(site.id);
    expect((await account.api.sites.update({ id: site.id })).site).toEqual(site);
    expect((await storedSite(site.id)).config_version).toBe(before);
    await account.api.sites.update({ id: site.id, enabled: false });
    expect(Number((await storedSite(site.id)).config_version)).toBe(Number(before) + 1);
  });
});

describe("sites.rotateWebhookSecret", () => {
  test("replaces the stored secret at once", async () => {
    const account = await resources.account();
    const { site, webhookSecret } = await account.api.sites.create(shop);
    const { config_version: before } = await storedSite(site.id);
    const rotated = await account.api.sites.rotateWebhookSecret({ id: site.id });
    expect(rotated).toEqual({
      webhookSecret: expect.stringMatching(/^whs_[0-9A-Za-z]{40}$/),
      webhookSecretStandard: `whsec_${Buffer.from(rotated.webhookSecret).toString("base64")}`,
    });
    expect(rotated.webhookSecret).not.toBe(webhookSecret);
    const stored = await storedSite(site.id);
    expect(resources.vault.open(stored.webhook_secret ?? "", secretPlace(stored.account_id, stored.secret_id))).toBe(rotated.webhookSecret);
    expect(Number(stored.config_version)).toBeGreaterThan(Number(before));
  });
});

describe("sites.delete", () => {
  test("ends key, secret, recipients and bindings; only the row stays", async () => {
    const account = await resources.account();
    const { site } = await account.api.sites.create(shop);
    const template = await account.api.templates.create({
      name: "hello",
      language: "en",
      category: "UTILITY",
      body: "Hello there, all is well.",
    });
    await account.api.recipients.add({ siteId: site.id, phone: "+491701234567" });
    await account.api.bindings.create({
      siteId: site.id,
      event: "order.created",
      templateId: template.template.id,
      recipient: { strategy: "customer" },
      variableMap: {},
    });
    const { config_version: before } = await storedSite(site.id);

    expect(await account.api.sites.delete({ id: site.id })).toEqual({ id: site.id });

    const stored = await storedSite(site.id);
    expect(stored).toMatchObject({ key_hash: null, webhook_secret: null, deleted_at: expect.any(Date) });
    expect(Number(stored.config_version)).toBeGreaterThan(Number(before));
    expect(await resources.sql`select id from binding where site_id = ${site.id}`).toHaveLength(0);
    expect(await resources.sql`select id from site_recipient where site_id = ${site.id}`).toHaveLength(0);
    expect((await account.api.sites.list()).items).toEqual([]);
    expect((await account.api.sites.list({ ids: [site.id] })).items.map(({ name }) => name)).toEqual([site.name]);
    for (const call of [
      () => account.api.sites.get({ id: site.id }),
      () => account.api.sites.update({ id: site.id, enabled: true }),
      () => account.api.sites.rotateWebhookSecret({ id: site.id }),
      () => account.api.sites.delete({ id: site.id }),
      () => account.api.recipients.list({ siteId: site.id }),
      () => account.api.recipients.add({ siteId: site.id, phone: "+491701234567" }),
    ]) {
      await expect(call()).rejects.toMatchObject({ code: "NOT_FOUND" });
    }
  });
});

test("problems name the sites whose secret cannot be read, the platform and the key of what is encrypted, until they are mended", async () => {
  const account = await resources.account("owner");
  const { site } = await account.api.sites.create(shop);
  await account.api.sites.create(shop);
  await connectPlatform(resources, account.accountId);
  const unreadable = async () => {
    await resources.sql`update alert_watch set due_at = now()`;
    return (await account.api.problems.list({ kind: "secret_unreadable", state: "open" })).items.map(({ subject }) => subject);
  };
  expect(await unreadable()).toEqual([]);
  await resources.sql`update site_secret set secret = 'v1.broken' where site_id = ${site.id} and secret is not null`;
  await resources.sql`update platform_account set access_token = 'v1.broken' where account_id = ${account.accountId}`;
  await resources.sql`update account set data_key = 'v1.broken' where id = ${account.accountId}`;
  expect(new Set(await unreadable())).toEqual(new Set(["dataKey", "platform", site.id]));
  await resources.sql`update account set data_key = null where id = ${account.accountId}`;
  await account.api.sites.rotateWebhookSecret({ id: site.id });
  await connectPlatform(resources, account.accountId);
  expect(await unreadable()).toEqual([]);
});
