import { type TokenScope, tokenScopes } from "shared/core/credentials";
import { defaultStopWords } from "shared/core/opt-out-words";
import { beforeAll, describe, expect, it } from "vitest";
import {
  addMember,
  callProcedure,
  mutationPaths,
  openAdmin,
  type OpenAdmin,
  openResources,
  type OpenResources,
  outcomeOf,
  password,
  signedIn,
} from "../../../test/support/admin.ts";
import { heldUp } from "../../../test/support/held-up.ts";
import { shared } from "../../../test/support/shared.ts";
import { proofs } from "../trpc/proofs.ts";

describe("of every mutation", () => {
  const resources = shared(async () => openResources({}, { allowSignUp: true }));
  let account: Awaited<ReturnType<OpenResources["account"]>>;
  let id: string;
  beforeAll(async () => {
    account = await resources.account("owner");
    ({ id } = await account.api.tokens.create({ name: "x", role: "owner" }));
  });
  /** For one call: one of `auth` may end its session. */
  const accountFor = async (path: string) => (path.startsWith("auth.") ? await resources.account() : account);

  it("the proof is settled, with a reason", () => {
    expect(Object.keys(proofs).toSorted()).toEqual(mutationPaths.toSorted());
    for (const [, , why] of Object.values(proofs)) expect(why).not.toBe("");
  });

  const settled = Object.entries(proofs).map(([path, [takes]]) => [path, takes] as const);

  it.each(settled.filter(([, takes]) => takes === "person" || takes === "always"))(
    "%s takes one, whatever its input: %s",
    async (path, takes) => {
      const { as } = await accountFor(path);
      expect(await outcomeOf(as("owner", { isProven: false }), path)).toEqual({ code: "FORBIDDEN", lacks: "confirm" });
      expect((await outcomeOf(account.as("owner", { id }), path)).code === "FORBIDDEN").toBe(takes === "person");
      expect((await outcomeOf(as("owner"), path, { none: 1 })).code).not.toBe("FORBIDDEN");
    },
  );

  it.each(settled.filter(([, takes]) => takes === "never" || takes === "itself"))("%s takes none: %s", async (path) => {
    const { as } = await accountFor(path);
    expect((await outcomeOf(as("owner", { isProven: false }), path)).lacks).not.toBe("confirm");
  });

  it.each(mutationPaths)("%s takes the scope of a token that the table names, and no other", async (path) => {
    const [takes, scope] = proofs[path] ?? [];
    const isLetIn = async (scopes: TokenScope[]) =>
      (await outcomeOf(account.as("owner", { id, scopes }), path, { none: 1 })).code !== "FORBIDDEN";
    const named = path === "setup.update" ? tokenScopes[0] : scope;
    const alone = tokenScopes.filter((one) => named == null || one === named);
    const others = tokenScopes.filter((one) => one !== named);
    // What a set-up changes takes the scopes of its own procedures.
    expect([await isLetIn(alone), await isLetIn(others)]).toEqual([scope != null || path === "setup.update", path === "setup.update"]);
    expect(takes === "person" ? scope : null).toBeNull();
  });
});

describe("a proof of the person", () => {
  let owner: Awaited<ReturnType<OpenAdmin["signUp"]>>;
  let siteId: string;
  let recipientId: string;
  let webhookId: string;
  const admin = shared(async () => openAdmin());
  beforeAll(async () => {
    owner = await admin.signUp();
    siteId = (await owner.client.sites.create.mutate({ name: "Shop", url: "https://shop.example", sourceType: "generic" })).site.id;
    recipientId = (await owner.client.recipients.add.mutate({ siteId, phone: known })).recipient.id;
    webhookId = (await owner.client.webhooks.create.mutate({ siteId, url: "https://shop.example/hook", types: ["message.sent"] })).webhook
      .id;
  });

  const age = (minutes: number) => admin.sql`update user_session set proven_at = now() - make_interval(mins => ${minutes})`;
  const credentials = { wabaId: "w", phoneNumberId: "p", accessToken: "EAA" };
  const outcome = async (path: string, input: object, token: string): Promise<string> => {
    const { text, code } = await callProcedure(admin, path, input, token);
    const { error } = JSON.parse(text) as { error?: { data: { reason: string | null } } };
    return error?.data.reason === "confirm" ? `${code} confirm` : code;
  };
  const nobody = "019aa000-0000-7000-8000-000000000001";

  const known = "+491700000001";
  const stranger = "+491700000002";
  const binding = (phone: string) => ({
    siteId,
    event: "order.created",
    templateId: nobody,
    variableMap: {},
    recipient: { strategy: "static_phone", phone },
  });
  /** Without its recipient and its endpoint. */
  const emptied = { prune: true, setup: { version: 1, sites: [{ name: "Shop", recipients: [], webhooks: [] }] } };
  it.each<[string, string, () => object, boolean, string?]>([
    ["settings.update", "credentials", () => ({ platform: credentials }), true],
    ["settings.update", "no credentials", () => ({ platform: null }), true],
    ["settings.update", "no second factor", () => ({ requireSecondFactor: false }), true],
    ["settings.update", "no encryption", () => ({ encryptPayloads: false }), true],
    ["settings.update", "a shorter retention", () => ({ retention: { logDays: 5 } }), true],
    ["settings.update", "a longer one", () => ({ retention: { logDays: 95 } }), false],
    ["settings.update", "fewer stop words", () => ({ optOut: { stopWords: ["stop"] } }), true],
    ["settings.update", "more of them", () => ({ optOut: { stopWords: [...defaultStopWords, "genug"] } }), false],
    ["settings.update", "more start words", () => ({ optOut: { startWords: ["start", "ok"] } }), true],
    ["settings.update", "words that stop less", () => ({ optOut: { scope: "marketing" } }), true],
    ["settings.update", "the time zone", () => ({ timezone: "UTC" }), false],
    ["sites.update", "a secret", () => ({ id: siteId, sourceSecret: "shpss_0123456789" }), true],
    ["sites.update", "no secret", () => ({ id: siteId, sourceSecret: null }), true],
    ["sites.update", "no signed timestamp", () => ({ id: siteId, requireSignedTimestamp: false }), true],
    ["sites.update", "a signed timestamp", () => ({ id: siteId, requireSignedTimestamp: true }), false],
    ["sites.update", "no timestamp", () => ({ id: siteId, requireTimestamp: false }), true],
    ["sites.update", "no rate limit", () => ({ id: siteId, rateLimitPerSecond: null }), true],
    ["sites.update", "a higher one", () => ({ id: siteId, rateLimitPerSecond: 11 }), true],
    ["sites.update", "a lower one", () => ({ id: siteId, rateLimitPerSecond: 9 }), false],
    ["sites.update", "shorter idempotency", () => ({ id: siteId, idempotencyHours: 1 }), true],
    ["sites.update", "longer idempotency", () => ({ id: siteId, idempotencyHours: 3 }), false],
    ["sites.update", "an address", () => ({ id: siteId, url: "https://evil.example" }), true],
    ["sites.update", "the same address", () => ({ id: siteId, url: "https://shop.example" }), false],
    ["sites.update", "a key of the shop", () => ({ id: siteId, reconcile: null }), true],
    ["sites.update", "a new test phone", () => ({ id: siteId, testPhone: stranger }), true],
    ["sites.update", "a known one", () => ({ id: siteId, testPhone: known }), false],
    ["sites.update", "names and maps", () => ({ id: siteId, country: "DE", topics: { "orders/paid": null } }), false],
    ["sites.sendExample", "a new phone", () => ({ id: siteId, event: "order.created", phone: stranger }), true],
    ["sites.sendExample", "nobody's phone", () => ({ id: siteId, event: "order.created" }), false],
    ["events.sendTest", "a new phone", () => ({ siteId, templateId: nobody, requestId: nobody, phone: stranger }), true],
    ["events.sendTest", "a known one", () => ({ siteId, templateId: nobody, requestId: nobody, phone: known }), false],
    ["recipients.add", "a new phone", () => ({ siteId, phone: stranger }), true],
    ["recipients.add", "a known one", () => ({ siteId, phone: known }), false],
    ["recipients.update", "a new phone", () => ({ id: recipientId, phone: stranger }), true],
    ["recipients.update", "a label", () => ({ id: recipientId, label: "Ann" }), false],
    ["bindings.create", "a new phone", () => binding(stranger), true],
    ["bindings.create", "a known one", () => binding(known), false],
    ["bindings.update", "a new phone", () => ({ id: nobody, recipient: binding(stranger).recipient }), true],
    ["bindings.update", "a known one", () => ({ id: nobody, recipient: binding(known).recipient }), false],
    ["bindings.changeMany", "one deleted", () => ({ action: "delete", ids: [nobody] }), false],
    ["bindings.changeMany", "several deleted", () => ({ action: "delete", ids: [nobody, siteId] }), true],
    ["bindings.changeMany", "several disabled", () => ({ action: "disable", ids: [nobody, siteId] }), false],
    ["notifications.cancelMany", "one message", () => ({ ids: [nobody, nobody] }), false],
    ["notifications.cancelMany", "several", () => ({ ids: [nobody, siteId] }), true],
    ["notifications.cancelMany", "those of a filter", () => ({ siteId, ids: undefined }), true],
    [
      "setup.plan",
      "one removal",
      () => ({ ...emptied, setup: { ...emptied.setup, sites: [{ ...emptied.setup.sites[0], webhooks: undefined }] } }),
      false,
    ],
    ["setup.plan", "several removals", () => emptied, true],
    ["webhooks.update", "an address", () => ({ id: webhookId, url: "https://evil.example/hook" }), true],
    ["webhooks.update", "types", () => ({ id: webhookId, types: ["message.sent"] }), false],
  ])("%s with %s: %#", async (path, _what, input, takes) => {
    await admin.sql`
      update site set rate_limit_per_second = 10, idempotency_hours = 2, url = 'https://shop.example', test_phone = null where id = ${siteId}`;
    await admin.sql`delete from site_recipient where id <> ${recipientId}`;
    await admin.sql`update site_recipient set phone = ${known}`;
    const { token } = owner;
    await age(11);
    const refused = await outcome(path, input(), token);
    expect([refused === "FORBIDDEN confirm", refused.startsWith("FORBIDDEN")]).toEqual([takes, takes]);
    await age(9);
    expect(await outcome(path, input(), token)).not.toMatch(/FORBIDDEN/);
  });

  it("is given by the password, for the session that gives it alone", async () => {
    const { token } = await signedIn(admin.client().auth.login.mutate({ email: owner.email, password }));
    await age(11);
    expect(await outcome("auth.confirm", { password: "a wrong password" }, owner.token)).toBe("BAD_REQUEST");
    expect(await outcome("sites.rotateApiKey", { id: siteId }, owner.token)).toBe("FORBIDDEN confirm");
    expect(await outcome("auth.confirm", { password }, owner.token)).toBe("ok");
    expect(await outcome("sites.rotateApiKey", { id: siteId }, owner.token)).toBe("ok");
    expect(await outcome("sites.rotateApiKey", { id: siteId }, token)).toBe("FORBIDDEN confirm");
  });

  it("is needed for a whole file, and not for a filtered one", async () => {
    const get = async (path: string, token = owner.token) =>
      (await admin.fetch(path, { headers: { authorization: `Bearer ${token}` } })).status;
    const { token } = await signedIn(admin.client().auth.login.mutate({ email: owner.email, password }));
    const program = (await admin.client(token).tokens.create.mutate({ name: "x", role: "owner" })).token;
    await age(11);
    for (const name of ["audit", "notifications"]) {
      expect(await get(`/export/${name}.csv`)).toBe(403);
      expect(await get(`/export/${name}.csv?from=`)).toBe(403);
      expect(await get(`/export/${name}.csv`, program)).toBe(403);
      expect(await get(`/export/${name}.csv?from=2030-01-01`)).toBe(200);
      expect(await get(`/export/${name}.csv?from=2030-01-01`, program)).toBe(200);
      expect(await get(`/export/${name}.csv?fron=2030-01-01`)).toBe(400);
    }
    // A filter may leave out nothing that matters.
    const since = "?from=2020-01-01";
    expect(await get(`/export/audit.csv${since}`)).toBe(200);
    const { account } = await owner.client.auth.me.query();
    await admin.sql`
      insert into audit_entry (id, account_id, actor, action) select gen_random_uuid(), ${account.id}, 'x', 'x.y' from generate_series(1, 1000)`;
    expect(await get(`/export/audit.csv${since}`)).toBe(403);
    expect(await get(`/export/audit.csv${since}`, program)).toBe(200);
    await age(0);
    expect(await get("/export/audit.csv")).toBe(200);
    expect(await get(`/export/audit.csv${since}`)).toBe(200);
  });

  it("is asked of a call that has waited, by the role that the person has by then, and of a token that is there by then", async () => {
    await age(0);
    const operator = await addMember(admin, owner.client, "operator", "demoted@example.com");
    const program = (await operator.client.tokens.create.mutate({ name: "x", role: "operator" })).token;
    const { account } = await owner.client.auth.me.query();
    const wait = { id: siteId, name: "Renamed" };
    // The account's calls wait one behind the other.
    const answers = await heldUp(
      admin.sql,
      async (sql) => sql`select from account where id = ${account.id} for no key update`,
      1,
      () => [outcome("sites.update", wait, operator.token), outcome("sites.update", wait, program)],
      async (sql) => void (await sql`update membership set role = 'viewer' where user_id = ${operator.user.id}`),
    );
    expect(await Promise.all(answers)).toEqual(["FORBIDDEN", "FORBIDDEN"]);
    expect((await owner.client.sites.get.query({ id: siteId })).site.name).not.toBe("Renamed");
  });

  it("is no access token's, and sessions and people are not its business", async () => {
    await age(0);
    const viewer = await addMember(admin, owner.client, "viewer", "viewer@example.com");
    const { token } = await owner.client.tokens.create.mutate({ name: "x", role: "owner" });
    await admin.sql`update access_token set created_by = ${viewer.user.id}, role = 'viewer'`;
    expect(await outcome("auth.me", {}, token)).toBe("ok");
    expect(await outcome("auth.state", {}, token)).toBe("ok");
    const [session] = (await viewer.client.auth.sessions.query()).items;
    for (const [path, input] of [
      ["auth.sessions", {}],
      ["auth.revokeSession", { id: session?.id }],
      ["auth.signOutEverywhere", {}],
      ["auth.logout", {}],
      ["auth.changePassword", { currentPassword: password, newPassword: "another long password" }],
      ["auth.confirm", { password }],
    ] as const) {
      expect([path, await outcome(path, input, token)]).toEqual([path, "FORBIDDEN"]);
    }
    expect(await viewer.client.auth.me.query()).toMatchObject({ user: { role: "viewer" } });
    const own = (await owner.client.tokens.create.mutate({ name: "x", role: "owner" })).token;
    expect(await outcome("users.list", {}, own)).toBe("FORBIDDEN");
    expect(await outcome("tokens.create", { name: "y", role: "viewer" }, own)).toBe("FORBIDDEN");
    expect(await outcome("people.erase", { phone: "+491700000009" }, own)).toBe("FORBIDDEN");
    expect(await outcome("sites.rotateApiKey", { id: siteId }, own)).toBe("ok");
  });

  it("a token does what its scopes say, and lasts 90 days unless said", async () => {
    await age(0);
    const make = (input: object) => owner.client.tokens.create.mutate({ name: "x", role: "owner", ...input });
    const limited = await make({ scopes: ["read"] });
    expect(limited.scopes).toEqual(["read"]);
    expect(Math.round((Date.parse(limited.expiresAt ?? "") - Date.now()) / 86_400_000)).toBe(90);
    expect((await make({ expiresAt: null })).expiresAt).toBeNull();
    expect(await outcome("sites.list", {}, limited.token)).toBe("ok");
    expect(await outcome("sites.rotateApiKey", { id: siteId }, limited.token)).toBe("FORBIDDEN");
    expect(await outcome("sites.update", { id: siteId, enabled: true }, limited.token)).toBe("FORBIDDEN");
    const ofSites = await make({ scopes: ["sites"] });
    const made = { name: "By token", url: "https://shop.example", sourceType: "generic" };
    expect(await outcome("sites.create", made, ofSites.token)).toBe("ok");
    // The secret of the shop's system proves requests: a program that sets it has to be one that rotates secrets.
    const secret = { id: siteId, sourceSecret: "shpss_0123456789" };
    expect(await outcome("sites.update", secret, ofSites.token)).toBe("FORBIDDEN");
    expect(await outcome("sites.update", { ...secret, sourceSecret: null }, ofSites.token)).toBe("FORBIDDEN");
    expect(await outcome("sites.update", secret, (await make({ scopes: ["sites", "rotate_secrets"] })).token)).toBe("ok");
    const ofSettings = await make({ scopes: ["settings"] });
    expect(await outcome("settings.update", { retention: { logDays: 20 } }, ofSettings.token)).toBe("ok");
    expect(await outcome("settings.update", { platform: null }, ofSettings.token)).toBe("FORBIDDEN");
    expect(await outcome("alerts.addChannel", { kind: "webhook", url: "https://ops.example/hook" }, ofSettings.token)).toBe("ok");
  });

  it("a reset of a password ends sessions, tokens and open invites, and the other owners see it", async () => {
    await age(0);
    const other = await addMember(admin, owner.client, "owner", "other@example.com");
    const { token: theirs } = await other.client.tokens.create.mutate({ name: "x", role: "owner" });
    const { token: invite } = await other.client.users.invite.mutate({ email: "friend@example.com", role: "owner" });
    const { token: link } = await owner.client.users.resetPassword.mutate({ id: other.user.id });
    const renewed = await signedIn(admin.client().auth.resetPassword.mutate({ token: link, password: "another long password" }));
    expect(await outcome("auth.me", {}, other.token)).toBe("UNAUTHORIZED");
    expect(await outcome("auth.me", {}, theirs)).toBe("UNAUTHORIZED");
    const accepted = await callProcedure(admin, "users.acceptInvite", { token: invite, name: "F", password: "another long password" });
    expect(accepted.code).toBe("NOT_FOUND");
    const notice = { kind: "password_reset", userId: other.user.id, email: other.email, at: expect.any(String) };
    expect((await owner.client.audit.concerns.query()).items).toContainEqual(notice);
    expect((await admin.client(renewed.token).audit.concerns.query()).items).not.toContainEqual(notice);
  });
});
