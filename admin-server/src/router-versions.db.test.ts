import { TRPCClientError } from "@trpc/client";
import { hurryWatch } from "shared/db/alert/watch";
import { noteBindingUses } from "shared/db/binding";
import { resumeAccount, stopAccount, takeProbe } from "shared/db/platform-account";
import { noteConnected } from "shared/db/site";
import { applyPlatformWords, setMedia } from "shared/db/template";
import { beforeAll, describe, expect, test } from "vitest";
import { fullAccount, type FullAccount } from "../../test/support/admin-shops.ts";
import { addMember, type AdminClient, openAdminOn, openAdmin } from "../../test/support/admin.ts";
import { shared } from "../../test/support/shared.ts";

let mine: FullAccount;
let accountId: string;
const admin = shared(async () => openAdmin());
const other = shared(async () => openAdminOn(admin.databaseUrl));
beforeAll(async () => {
  mine = await fullAccount(admin, "v");
  accountId = (await mine.client.auth.me.query()).account.id;
});

interface Versioned {
  updatedAt: string;
}

interface Case {
  /** What the procedure that shows it answers. */
  get: (client: AdminClient) => Promise<Versioned & Record<string, unknown>>;
  /** Sets a member to one of two values, and answers the object. */
  set: (client: AdminClient, to: boolean, ifUpdatedAt?: string) => Promise<Versioned>;
  /** The member of `get` that `set` sets, and its two values. */
  shows: [member: string, off: unknown, on: unknown];
}

const the = <T>(found: T | undefined): T => found ?? expect.unreachable();

const cases: Record<string, Case> = {
  "bindings.update": {
    get: async ({ bindings }) => (await bindings.get.query({ id: mine.bindingId })).binding,
    set: async ({ bindings }, enabled, ifUpdatedAt) => (await bindings.update.mutate({ id: mine.bindingId, enabled, ifUpdatedAt })).binding,
    shows: ["enabled", false, true],
  },
  "templates.update": {
    get: async ({ templates }) => (await templates.get.query({ id: mine.templateId })).template,
    set: async ({ templates }, to, ifUpdatedAt) =>
      (await templates.update.mutate({ id: mine.templateId, footer: to ? "Thank you" : "Until soon", ifUpdatedAt })).template,
    shows: ["footer", "Until soon", "Thank you"],
  },
  "sites.update": {
    get: async ({ sites }) => (await sites.get.query({ id: mine.siteId })).site,
    set: async ({ sites }, to, ifUpdatedAt) =>
      (await sites.update.mutate({ id: mine.siteId, name: to ? "Shop" : "Store", ifUpdatedAt })).site,
    shows: ["name", "Store", "Shop"],
  },
  "settings.update": {
    get: ({ settings }) => settings.get.query(),
    set: ({ settings }, to, ifUpdatedAt) => settings.update.mutate({ name: to ? "Bean" : "Leaf", ifUpdatedAt }),
    shows: ["name", "Leaf", "Bean"],
  },
  "alerts.update": {
    get: ({ alerts }) => alerts.settings.query(),
    set: ({ alerts }, urgentAlways, ifUpdatedAt) => alerts.update.mutate({ urgentAlways, ifUpdatedAt }),
    shows: ["urgentAlways", false, true],
  },
  "alerts.updateChannel": {
    get: async ({ alerts }) => the((await alerts.settings.query()).channels.find(({ id }) => id === mine.channelId)),
    set: async ({ alerts }, enabled, ifUpdatedAt) =>
      (await alerts.updateChannel.mutate({ id: mine.channelId, enabled, ifUpdatedAt })).channel,
    shows: ["enabled", false, true],
  },
  "webhooks.update": {
    get: async ({ webhooks }) => {
      const { successRate: _, triedCount: __, p95Ms: ___, ...webhook } = the((await webhooks.list.query({ siteId: mine.siteId })).items[0]);
      return webhook;
    },
    set: async ({ webhooks }, enabled, ifUpdatedAt) => (await webhooks.update.mutate({ id: mine.webhookId, enabled, ifUpdatedAt })).webhook,
    shows: ["enabled", false, true],
  },
  "recipients.update": {
    get: async ({ recipients }) => the((await recipients.list.query({ siteId: mine.siteId })).items[0]),
    set: async ({ recipients }, active, ifUpdatedAt) =>
      (await recipients.update.mutate({ id: mine.recipientId, active, ifUpdatedAt })).recipient,
    shows: ["active", false, true],
  },
  "views.update": {
    get: async ({ views }) => the((await views.list.query({ list: "log" })).items[0]),
    set: async ({ views }, to, ifUpdatedAt) =>
      (await views.update.mutate({ id: mine.viewId, name: to ? "Failed" : "Late", ifUpdatedAt })).view,
    shows: ["name", "Late", "Failed"],
  },
  "settings.saveAssistant": {
    get: async ({ assistant }) => ({ updatedAt: "", ...(await assistant.get.query()) }),
    set: async ({ settings }, to, ifUpdatedAt) => {
      const provider = { provider: "openai" as const, baseUrl: "https://models.example/v1", apiKey: null };
      return { updatedAt: "", ...(await settings.saveAssistant.mutate({ ...provider, model: to ? "large" : "small", ifUpdatedAt })) };
    },
    shows: ["model", "small", "large"],
  },
};

/** The refusal's code, what stands in its `data.current` and who changed it; fails if the call is not refused. */
async function refusalOf(call: Promise<unknown>): Promise<{ code: string; current: unknown; changedBy: unknown }> {
  const error = await call.catch((cause: unknown) => cause);
  if (!(error instanceof TRPCClientError)) throw new Error("the call was not refused");
  const { code, current, changedBy } = error.data as { code: string; current: unknown; changedBy: unknown };
  return { code, current, changedBy };
}

describe.each(Object.entries(cases))("%s with ifUpdatedAt", (_, { get, set, shows: [member, off, on] }) => {
  test("takes what was read, and refuses what somebody else has changed meanwhile, with what stands now", async () => {
    const { client } = mine;
    const { updatedAt } = await set(client, false);
    expect((await get(client)).updatedAt).toBe(updatedAt);
    const both = await Promise.allSettled([0, 1].map(() => set(client, true, updatedAt)));
    expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    const taken = await get(client);
    expect(Date.parse(taken.updatedAt)).toBeGreaterThan(Date.parse(updatedAt));
    const current = await get(client);
    expect(current).toMatchObject({ [member]: on, updatedAt: taken.updatedAt });
    expect(await refusalOf(set(client, false, updatedAt))).toEqual({ code: "CONFLICT", current, changedBy: mine.owner.email });
    expect(await get(client)).toEqual(current);
    // Without a version, and with the same moment in another spelling, it is taken.
    const later = await set(client, false);
    expect((await set(client, true, later.updatedAt.replace("Z", "+00:00"))).updatedAt).not.toBe(later.updatedAt);
    expect(await get(client)).toMatchObject({ [member]: on });
  });

  test("takes one of several at the same moment, at two servers", async () => {
    const { updatedAt } = await set(mine.client, false);
    const clients = [mine.client, other.client(mine.owner.token)];
    const tries = await Promise.allSettled(Array.from({ length: 6 }, (_each, at) => set(clients[at % 2] ?? mine.client, true, updatedAt)));
    expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const refused = tries.flatMap((each) => (each.status === "rejected" ? [each.reason as TRPCClientError<never>] : []));
    expect(refused.map(({ data }) => (data as { code: string } | null)?.code)).toEqual(Array(5).fill("CONFLICT"));
  });

  test("tells apart changes that follow each other at once", async () => {
    const { client } = mine;
    const versions: string[] = [];
    for (const to of [true, false, true, false, true]) versions.push((await set(client, to)).updatedAt);
    expect(new Set(versions).size).toBe(versions.length);
    expect(versions).toEqual(versions.toSorted());
    expect(off).not.toEqual(on);
  });
});

describe("the version of", () => {
  /** Whether each of the acts changes the version. */
  async function changedBy(get: Case["get"], acts: Record<string, () => unknown>): Promise<Record<string, boolean>> {
    const changed: Record<string, boolean> = {};
    for (const [name, act] of Object.entries(acts)) {
      const { updatedAt } = await get(mine.client);
      await act();
      changed[name] = (await get(mine.client)).updatedAt !== updatedAt;
    }
    return changed;
  }
  const caseOf = (path: string): Case["get"] => cases[path]?.get ?? (() => Promise.reject(new Error(`no case ${path}`)));

  test("a site changes with what people set, whatever sets it, and with nothing that programs note", async () => {
    const { client, siteId } = mine;
    const { sql } = admin;
    const { sites } = client;
    const key = { consumerKey: "ck_1", consumerSecret: "cs_1" };
    const changed = {
      "another program's statement": () => sql`update site set test_phone = '+491700000009' where id = ${siteId}`,
      "a pause": () => sites.update.mutate({ id: siteId, holdMessages: true }),
      "a shop's source": () => sites.update.mutate({ id: siteId, sourceType: "woocommerce" }),
      "its secret": () => sites.update.mutate({ id: siteId, sourceSecret: "abc" }),
      "another secret": () => sites.update.mutate({ id: siteId, sourceSecret: "def", overlapSeconds: 60 }),
      "no secret": () => sites.update.mutate({ id: siteId, sourceSecret: null }),
      "the shop's key": () => sites.update.mutate({ id: siteId, reconcile: key }),
      "no key": () => sites.update.mutate({ id: siteId, reconcile: null }),
      "the same once more": () => sites.update.mutate({ id: siteId, holdMessages: true }),
      "another API key": () => sites.rotateApiKey.mutate({ id: siteId }),
      "a recipient": () => client.recipients.add.mutate({ siteId, phone: "+491700000123" }),
      "a first post": () => noteConnected(sql, siteId, new Date()),
      "a used secret under another master key": () =>
        sql`update site_secret set secret = secret || 'x', last_used_at = now() where site_id = ${siteId}`,
    };
    expect(await changedBy(caseOf("sites.update"), changed)).toEqual(
      Object.fromEntries(Object.keys(changed).map((name, at) => [name, at < 8])),
    );
  });

  test("the settings changes with the platform's credentials too, but not with what becomes of them", async () => {
    const { client } = mine;
    const { sql } = admin;
    const platform = { wabaId: "waba-2", phoneNumberId: "number-2", accessToken: "EAA-2" };
    const stop = { accountId, phoneNumberId: "number-2", accessTokenRecord: "" };
    const changed = {
      credentials: () => client.settings.update.mutate({ platform }),
      "the same credentials, entered again": () => client.settings.update.mutate({ platform }),
      words: () => client.settings.update.mutate({ optOut: { stopWords: ["HALT"] } }),
      "no connection": () => client.settings.update.mutate({ platform: null }),
      "a new connection": () => client.settings.update.mutate({ platform }),
      "the account's name": () => client.settings.renameAccount.mutate({ name: "Other" }),
      "a stopped account": async () => {
        const [row] = await sql<{ access_token: string }[]>`select access_token from platform_account where account_id = ${accountId}`;
        await stopAccount(sql, { ...stop, accessTokenRecord: row?.access_token ?? "" }, { code: "190", reason: "expired" });
        await sql`update platform_account set probe_after = now() where account_id = ${accountId}`;
        expect(await takeProbe(sql, accountId)).toBe(true);
        await resumeAccount(sql, accountId);
      },
      "another master key": () => sql`update platform_account set access_token = access_token || 'x' where account_id = ${accountId}`,
      "a first opt-out": () => sql`update account set has_opt_outs = not has_opt_outs where id = ${accountId}`,
    };
    expect(await changedBy(caseOf("settings.update"), changed)).toEqual(
      Object.fromEntries(Object.keys(changed).map((name, at) => [name, at < 6])),
    );
  });

  test("a template changes with its message and status, but not with its quality or the place of its file", async () => {
    const { templateId } = mine;
    const { sql } = admin;
    const word = { platformId: "77", name: null, language: null, status: null, reason: null, category: null, quality: null, toldAt: null };
    const file = { id: "019aa000-0000-7000-8000-000000000001", name: "a.png", mediaId: null };
    await sql`
      update template set status = 'rejected', platform_id = '77', definition = jsonb_set(definition::jsonb, '{header}', ${JSON.stringify({ format: "IMAGE", url: null, file })}::text::jsonb)
      where id = ${templateId}`;
    const changed = {
      rejected: () => applyPlatformWords(sql, accountId, [{ ...word, status: "paused", reason: "low", toldAt: new Date(1_000) }]),
      category: () => applyPlatformWords(sql, accountId, [{ ...word, category: "MARKETING" }]),
      "another file": () => setMedia(sql, accountId, templateId, { format: "IMAGE", url: null, file: { ...file, mediaId: "1" } }),
      quality: () => applyPlatformWords(sql, accountId, [{ ...word, quality: "RED", toldAt: new Date(2_000) }]),
      "the file's new place": () =>
        setMedia(sql, accountId, templateId, { format: "IMAGE", url: null, file: { ...file, mediaId: "2" } }, file.id),
    };
    expect(await changedBy(caseOf("templates.update"), changed)).toEqual(
      Object.fromEntries(Object.keys(changed).map((name, at) => [name, at < 3])),
    );
  });

  test("bindings and alerts does not change with what the service does", async () => {
    const { bindingId, client } = mine;
    const now = new Date();
    expect(
      await changedBy(caseOf("bindings.update"), {
        use: () => noteBindingUses(admin.sql, [{ binding_id: bindingId, fired_at: now, held_at: now }]),
        "another binding": () => client.bindings.changeMany.mutate({ action: "copy", ids: [bindingId], siteId: mine.siteId }),
        many: () => client.bindings.changeMany.mutate({ action: "enable", ids: [bindingId] }),
      }),
    ).toEqual({ use: false, "another binding": false, many: false });
    expect(await changedBy(caseOf("alerts.update"), { look: () => hurryWatch(admin.sql, accountId) })).toEqual({ look: false });
  });
});

describe("versions", () => {
  test("of a binding tell who changed what, and bring it back, within the rules of any change", async () => {
    const { client, owner, binding } = await fullAccount(admin, "w");
    const { id } = (await client.bindings.create.mutate({ ...binding, event: "order.paid" })).binding;
    const member = await addMember(admin, client, "operator", "member-of-w@example.com");
    const conditions = { match: "all" as const, rules: [{ path: "order.total", op: "gt" as const, value: 5 }] };
    await member.client.bindings.update.mutate({
      id,
      conditions,
      delaySeconds: 60,
      recipient: { strategy: "static_phone", phone: "+491701234567" },
    });
    await member.client.bindings.update.mutate({ id, event: "order.paid" });
    const said = async () =>
      (await client.bindings.versions.query({ id })).items.map(({ version, by, conditions, delaySeconds }) => [
        version,
        by,
        conditions,
        delaySeconds,
      ]);
    expect(await said()).toEqual([
      [2, "member-of-w@example.com", conditions, 60],
      [1, owner.email, null, null],
    ]);
    const viewer = await addMember(admin, client, "viewer", "viewer-of-w@example.com");
    expect((await viewer.client.bindings.versions.query({ id })).items[0]?.recipient).toEqual({ strategy: "static_phone", phone: "•••67" });
    expect((await client.bindings.restore.mutate({ id, version: 1 })).binding).toMatchObject({
      conditions: null,
      delaySeconds: null,
      recipient: binding.recipient,
    });
    expect((await said())[0]).toEqual([3, owner.email, null, null]);
    expect(await refusalOf(client.bindings.restore.mutate({ id, version: 9 }))).toMatchObject({ code: "NOT_FOUND" });
    // What stands in a version now would be a phone that is new to the account: it takes the proof of the person.
    await admin.sql`update user_session set proven_at = now() - interval '1 hour' where user_id = ${owner.user.id}`;
    expect(await refusalOf(client.bindings.restore.mutate({ id, version: 2 }))).toMatchObject({ code: "FORBIDDEN" });
    expect(await said()).toHaveLength(3);
    for (let n = 0; n < 52; n += 1) await client.bindings.update.mutate({ id, delaySeconds: n + 1 });
    const { items } = await client.bindings.versions.query({ id });
    expect([items.length, items[0]?.version, items.at(-1)?.version]).toEqual([50, 55, 6]);
    await client.bindings.delete.mutate({ id });
    expect(await admin.sql`select from object_version where object_id = ${id}`).toHaveLength(0);
  });

  test("of a template come back into a draft or a rejected one alone", async () => {
    const { client, templateId: id } = await fullAccount(admin, "x");
    await client.templates.update.mutate({ id, footer: "Thank you", category: "MARKETING" });
    await client.templates.update.mutate({ id, ttlSeconds: 43_200 });
    const versions = async () =>
      (await client.templates.versions.query({ id })).items.map(({ version, footer, category, ttlSeconds }) => [
        version,
        footer,
        category,
        ttlSeconds,
      ]);
    expect(await versions()).toEqual([
      [3, "Thank you", "MARKETING", 43_200],
      [2, "Thank you", "MARKETING", null],
      [1, null, "UTILITY", null],
    ]);
    expect((await client.templates.restore.mutate({ id, version: 1 })).template).toMatchObject({
      footer: null,
      category: "UTILITY",
      status: "draft",
      ttlSeconds: null,
    });
    expect(await versions()).toHaveLength(4);
    await admin.sql`update template set status = 'approved' where id = ${id}`;
    expect(await refusalOf(client.templates.restore.mutate({ id, version: 1 }))).toMatchObject({ code: "CONFLICT" });
  });
});

test("what stands now hides what the caller may not see", async () => {
  const { client, owner } = mine;
  await client.settings.update.mutate({ allowedAddresses: { dashboard: ["127.0.0.0/8", "::1"], tokens: [] } });
  const operator = await addMember(admin, client, "operator", `operator-of-${owner.email}`);
  const refused = await refusalOf(operator.client.settings.update.mutate({ timezone: "UTC", ifUpdatedAt: new Date(0).toISOString() }));
  expect(refused).toMatchObject({ code: "CONFLICT", current: await operator.client.settings.get.query() });
  expect(refused.current).toMatchObject({ allowedAddresses: null });
});
