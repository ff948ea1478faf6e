import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addMember, callProcedure, openAdmin, password, type OpenAdmin, signedIn } from "../../../test/support/admin.ts";

describe("a proof of the person", () => {
  let admin: OpenAdmin;
  let owner: Awaited<ReturnType<OpenAdmin["signUp"]>>;
  let siteId: string;
  beforeAll(async () => {
    admin = await openAdmin();
    owner = await admin.signUp();
    siteId = (await owner.client.sites.create.mutate({ name: "Shop", url: "https://shop.example", sourceType: "generic" })).site.id;
  });
  afterAll(async () => admin[Symbol.asyncDispose]());

  const age = (minutes: number) => admin.sql`update user_session set proven_at = now() - make_interval(mins => ${minutes})`;
  const credentials = { wabaId: "w", phoneNumberId: "p", accessToken: "EAA" };
  const outcome = async (path: string, input: object, token: string): Promise<string> => {
    const { text, code } = await callProcedure(admin, path, input, token);
    const { error } = JSON.parse(text) as { error?: { data: { reason: string | null } } };
    return error?.data.reason === "confirm" ? `${code} confirm` : code;
  };
  const nobody = "019aa000-0000-7000-8000-000000000001";

  it.each<[string, () => object]>([
    ["users.invite", () => ({ email: "new@example.com", role: "owner" })],
    ["users.setRole", () => ({ id: nobody, role: "owner" })],
    ["users.resetPassword", () => ({ id: nobody })],
    ["users.remove", () => ({ id: nobody })],
    ["auth.changeEmail", () => ({ email: owner.email })],
    ["users.invites.revoke", () => ({ id: nobody })],
    ["tokens.create", () => ({ name: "x", role: "owner", expiresAt: null })],
    ["settings.update", () => ({ platform: credentials })],
    ["settings.update", () => ({ platform: null })],
    ["settings.update", () => ({ requireSecondFactor: false })],
    ["settings.update", () => ({ encryptPayloads: false })],
    ["users.resetSecondFactor", () => ({ id: nobody })],
    ["sites.rotateApiKey", () => ({ id: siteId })],
    ["sites.rotateWebhookSecret", () => ({ id: siteId })],
    ["sites.rotateInboundToken", () => ({ id: siteId })],
    ["sites.update", () => ({ id: siteId, sourceSecret: "shpss_0123456789" })],
    ["sites.update", () => ({ id: siteId, sourceSecret: null })],
    ["alerts.rotateSecret", () => ({ id: nobody })],
    ["people.erase", () => ({ phone: "+491700000009" })],
  ])("is needed for %s, and lasts ten minutes", async (path, input) => {
    const { token } = await signedIn(admin.client().auth.login.mutate({ email: owner.email, password }));
    await age(11);
    expect(await outcome(path, input(), token)).toBe("FORBIDDEN confirm");
    await age(9);
    expect(await outcome(path, input(), token)).not.toMatch(/FORBIDDEN/);
  });

  it.each<[string, () => object]>([
    ["sites.create", () => ({ name: "Second", url: "https://shop.example", sourceType: "generic" })],
    ["sites.update", () => ({ id: siteId, country: "DE", topics: { "orders/paid": null } })],
    ["settings.update", () => ({ timezone: "UTC" })],
    ["tokens.list", () => ({})],
    ["users.list", () => ({})],
  ])("is not needed for %s", async (path, input) => {
    await age(11);
    expect(await outcome(path, input(), owner.token)).toBe("ok");
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
    await age(0);
    expect(await get("/export/audit.csv")).toBe(200);
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
    const rotating = await make({ scopes: ["rotate_secrets"] });
    expect(await outcome("sites.rotateApiKey", { id: siteId }, rotating.token)).toBe("ok");
    expect(await outcome("webhooks.rotateSecret", { siteId }, rotating.token)).toBe("ok");
    expect(await outcome("webhooks.delete", { id: nobody }, rotating.token)).toBe("FORBIDDEN");
    expect(await outcome("sites.list", {}, rotating.token)).toBe("FORBIDDEN");
    expect(await outcome("notifications.resend", { id: nobody }, (await make({ scopes: ["resend"] })).token)).toBe("NOT_FOUND");
    expect(await outcome("bindings.delete", { id: nobody }, (await make({ scopes: ["bindings"] })).token)).toBe("NOT_FOUND");
    expect(await outcome("templates.delete", { id: nobody }, (await make({ scopes: ["templates"] })).token)).toBe("NOT_FOUND");
    // The account is not connected to the sandbox.
    const testing = await make({ scopes: ["send_test"] });
    expect(await outcome("sandbox.markRead", { id: "x" }, testing.token)).toBe("CONFLICT");
    expect(await outcome("notifications.resend", { id: nobody }, testing.token)).toBe("FORBIDDEN");
    expect(await outcome("sandbox.markRead", { id: "x" }, (await make({ scopes: ["resend"] })).token)).toBe("FORBIDDEN");
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
