import { defaultStartWords, defaultStopWords } from "shared/core/opt-out-words";
import { createVault, placeIn } from "shared/secrets/vault";
import { describe, expect, it } from "vitest";
import { addMember, openAdmin, type OpenAdmin, refusal } from "../../../test/support/admin.ts";
import { data } from "../../../test/support/data.ts";
import { answeringServer, type AnsweringServer } from "../../../test/support/platform.ts";
import { shared } from "../../../test/support/shared.ts";

const masterKey = Buffer.alloc(32, 9);
const credentials = { wabaId: "102", phoneNumberId: "106", accessToken: "EAAsecrettoken", appSecret: "app-secret", appId: "777" };

/** A platform where all is well for the token that the test calls good. */
const goodPlatform = async (): Promise<AnsweringServer> =>
  answeringServer(({ path, authorization }) => {
    if (!authorization?.endsWith("EAAgood")) return { status: 401, json: { error: { code: 190, message: "Invalid OAuth access token" } } };
    if (path.endsWith("/phone_numbers")) return { json: { data: [{ id: "106" }] } };
    if (path.endsWith("/message_templates")) return { json: { data: [] } };
    if (path.endsWith("/106"))
      return { json: { id: "106", display_phone_number: "+49 30 123456", verified_name: "Shop", status: "CONNECTED" } };
    return { json: { id: "102", account_review_status: "APPROVED" } };
  });

describe("settings", () => {
  const platform = shared(async () => goodPlatform());
  const admin = shared(async () => openAdmin({ masterKey, platformUrl: platform.url }));
  const accountOf = async (owner: { client: Awaited<ReturnType<OpenAdmin["signUp"]>>["client"] }) =>
    (await owner.client.auth.me.query()).account.id;
  const stop = async (accountId: string) =>
    admin.sql`update platform_account set stopped_code = '131031', stopped_reason = 'Locked', stopped_at = '2026-01-02T03:04:05Z', probe_after = now()
      where account_id = ${accountId}`;

  it("of a new account name where the platform is to report to, before anything is configured", async () => {
    const owner = await admin.signUp();
    const accountId = await accountOf(owner);
    expect(await owner.client.settings.get.query()).toEqual({
      name: expect.any(String),
      timezone: "UTC",
      updatedAt: expect.any(String),
      gatewayUrl: "https://gateway.example",
      retention: { payloadDays: 90, logDays: 90 },
      optOut: { stopWords: defaultStopWords, startWords: defaultStartWords, scope: "all" },
      requireSecondFactor: false,
      requireSso: false,
      sso: null,
      allowedAddresses: { dashboard: [], tokens: [] },
      yourAddress: "127.0.0.1",
      encryptPayloads: false,
      messagesPerSecond: 80,
      retryHours: 24,
      encryptionProgress: null,
      platform: {
        configured: false,
        sandbox: false,
        wabaId: null,
        phoneNumberId: null,
        appId: null,
        apiVersion: "v25.0",
        accessTokenHint: null,
        hasAppSecret: false,
        marketingRoute: "messages",
        problem: null,
        health: { quality: null, limit: null, throughput: null, nameStatus: null, override: null, notes: [] },
        checks: [],
        checkedAt: null,
        people: null,
        lastCallbackAt: null,
        webhookUrl: `https://gateway.example/api/public/platform/webhook/${accountId}`,
        verifyToken: expect.stringMatching(/^.{20,}$/),
      },
    });
  });

  it("keep the platform's secrets encrypted and never show them", async () => {
    const owner = await admin.signUp();
    const saved = await owner.client.settings.update.mutate({ platform: credentials });
    expect(saved.platform).toMatchObject({ configured: true, wabaId: "102", phoneNumberId: "106", appId: "777", apiVersion: "v25.0" });
    expect(saved.platform).toMatchObject({ accessTokenHint: "oken", hasAppSecret: true });
    expect(JSON.stringify(saved)).not.toMatch(/EAAsecret|app-secret/);
    expect(await owner.client.settings.get.query()).toEqual(saved);
    const accountId = await accountOf(owner);
    const [row] = await admin.sql`select access_token, app_secret from platform_account where account_id = ${accountId}`;
    expect(JSON.stringify(row)).not.toMatch(/EAAsecret|app-secret/);
    const vault = createVault(masterKey);
    const at = (name: "access_token" | "app_secret") => placeIn(`platform_account.${name}`, accountId);
    expect([vault.open(row?.["access_token"], at("access_token")), vault.open(row?.["app_secret"], at("app_secret"))]).toEqual([
      credentials.accessToken,
      credentials.appSecret,
    ]);
    const audit = await admin.sql`select audit_entry::text as text from audit_entry`;
    expect(JSON.stringify(audit)).not.toMatch(/EAAsecret|app-secret/);
  });

  it("keep a secret that is left out, replace one that is given, and clear with null", async () => {
    const owner = await admin.signUp();
    const accountId = await accountOf(owner);
    const vault = createVault(masterKey);
    const stored = async () => {
      const [row] = await admin.sql`select access_token, app_secret from platform_account where account_id = ${accountId}`;
      const read = (name: "access_token" | "app_secret") =>
        row?.[name] === null ? null : vault.open(row?.[name], placeIn(`platform_account.${name}`, accountId));
      return [read("access_token"), read("app_secret")];
    };
    const { update } = owner.client.settings;
    await update.mutate({ platform: { ...credentials, apiVersion: "v24.0" } });
    const kept = await update.mutate({ platform: { wabaId: "103", phoneNumberId: "107" } });
    expect(kept.platform).toMatchObject(
      data<object>("admin-server-api-settings", "keep a secret that is left out, replace one that is given, a"),
    );
    expect(await stored()).toEqual(["EAAsecrettoken", "app-secret"]);
    const replaced = await update.mutate({ platform: { ...credentials, accessToken: "EAAnew", appSecret: "other" } });
    expect(replaced.platform.accessTokenHint).toBe("");
    expect(await stored()).toEqual(["EAAnew", "other"]);
    const cleared = await update.mutate({ platform: { wabaId: "103", phoneNumberId: "107", appSecret: null, appId: null } });
    expect(cleared.platform).toMatchObject({ appId: null, hasAppSecret: false });
    expect(await stored()).toEqual(["EAAnew", null]);
    expect((await update.mutate({ timezone: "Europe/Berlin" })).platform.configured).toBe(true);
    expect((await update.mutate({ platform: null })).platform).toMatchObject({ configured: false, wabaId: null, accessTokenHint: null });
    const refused = await refusal(update.mutate({ platform: { wabaId: "103", phoneNumberId: "107" } }));
    expect(refused).toMatchObject({ code: "BAD_REQUEST", issues: [{ path: ["platform", "accessToken"] }] });
  });

  it("are changed whole or not at all", async () => {
    const owner = await admin.signUp();
    const input = { timezone: "Asia/Tokyo", platform: { wabaId: "1", phoneNumberId: "2" } };
    expect((await refusal(owner.client.settings.update.mutate(input))).code).toBe("BAD_REQUEST");
    expect((await owner.client.settings.get.query()).timezone).toBe("UTC");
  });

  it("let an operator change the time zone only, and hide the verify token from viewers", async () => {
    const owner = await admin.signUp();
    const operator = await addMember(admin, owner.client, "operator", "op@example.com");
    const viewer = await addMember(admin, owner.client, "viewer", "view@example.com");
    expect((await operator.client.settings.update.mutate({ timezone: "America/New_York" })).timezone).toBe("America/New_York");
    for (const platform of [credentials, null])
      expect((await refusal(operator.client.settings.update.mutate({ timezone: "UTC", platform }))).code).toBe("FORBIDDEN");
    expect((await operator.client.settings.get.query()).timezone).toBe("America/New_York");
    expect((await operator.client.settings.get.query()).platform.verifyToken).toEqual(expect.any(String));
    expect((await viewer.client.settings.get.query()).platform.verifyToken).toBeNull();
  });

  it("take the right and the fresh proof that each member needs, and are refused in one order", async () => {
    const owner = await admin.signUp();
    const operator = await addMember(admin, owner.client, "operator", "rights@example.com");
    const { token } = await owner.client.tokens.create.mutate({ name: "x", role: "owner" });
    const said = async (client: typeof owner.client, inputs: object[]) =>
      client.settings.update.mutate(Object.assign({}, ...inputs.toReversed()) as object).then(
        () => "ok",
        (error: Error) =>
          error.message.replace(/ needs the role owner; yours is operator$|^Confirm that it is you\b.*/, (end) => end.slice(0, 7)),
      );
    const [role, proof, program] = [" needs ", "Confirm", "Access tokens cannot do this: sign in"];
    const members: [input: object, operator: string, unproven: string, token: string][] = [
      [{ retention: { payloadDays: 30 } }, `Changing how long data is kept${role}`, "ok", "ok"],
      [{ messagesPerSecond: null }, `Changing pace and retries${role}`, "ok", "ok"],
      [{ retryHours: 0 }, `Changing pace and retries${role}`, "ok", "ok"],
      [{ optOut: {} }, `Changing the stop and start words${role}`, "ok", "ok"],
      [{ platform: null }, `Changing WhatsApp's credentials${role}`, proof, program],
      [{ requireSecondFactor: false }, `Requiring a second factor${role}`, proof, program],
      [{ requireSso: false }, `Requiring the company sign-in${role}`, proof, program],
      [{ allowedAddresses: {} }, `Choosing the allowed addresses${role}`, proof, program],
      [{ encryptPayloads: false }, `Encrypting payloads and phones${role}`, proof, program],
      [{ timezone: "UTC" }, "ok", "ok", "ok"],
    ];
    expect(
      await said(
        owner.client,
        members.map(([input]) => input),
      ),
    ).toBe("ok");
    await admin.sql`update user_session set proven_at = now() - interval '11 minutes'`;
    for (const [at, [input, ...expected]] of members.entries()) {
      const clients = [operator.client, owner.client, admin.client(token)];
      expect([input, ...(await Promise.all(clients.map((client) => said(client, [input]))))]).toEqual([input, ...expected]);
      // With all that are refused after it.
      const rest = members.slice(at).map(([each]) => each);
      expect(await said(operator.client, rest)).toBe(expected[0]);
    }
  });

  it("are told by the audit, each with what it was and is", async () => {
    const { client } = await admin.signUp();
    await client.settings.update.mutate(data("admin-server-api-settings", "are told by the audit, each with what it was and is"));
    await client.settings.update.mutate({ retention: {}, optOut: {}, allowedAddresses: {} });
    const [nothing, all] = (await client.audit.list.query({ action: "settings.update" })).items;
    expect(nothing?.changes).toEqual([]);
    expect(all?.changes?.map(({ member, before, after }) => [member, before, after])).toEqual(
      data("admin-server-api-settings", "are told by the audit"),
    );
  });

  it("choose the words by which people opt out: each alone, null for the defaults, and none that means both", async () => {
    const { client } = await admin.signUp();
    const change = async (optOut: object) => (await client.settings.update.mutate({ optOut })).optOut;
    const { optOut: defaults } = await client.settings.get.query();
    expect(defaults).toMatchObject({ stopWords: expect.arrayContaining(["stop", "стоп"]), scope: "all" });
    const own = { ...defaults, stopWords: ["Halt", "çık"], scope: "marketing" };
    expect(await change({ stopWords: ["Halt", " çık "], scope: "marketing" })).toEqual(own);
    expect(await change({ startWords: [] })).toEqual({ ...own, startWords: [] });
    const both = await refusal(client.settings.update.mutate({ optOut: { startWords: ["weiter", "HALT"] } }));
    expect([both.code, both.message]).toEqual(["BAD_REQUEST", expect.stringContaining("HALT is both")]);
    expect(await change({ startWords: null })).toEqual(own);
    expect(await change({ stopWords: null, scope: "all" })).toEqual(defaults);
    // A form that was opened with the defaults sends them back; that makes no list of its own.
    expect(await change({ ...defaults, scope: "marketing" })).toEqual({ ...defaults, scope: "marketing" });
    const [stored] = await admin.sql`select stop_words, start_words from account where opt_out_scope = 'marketing' and stop_words is null`;
    expect(stored).toEqual({ stop_words: null, start_words: null });
    for (const wrong of [
      { stopWords: [""] },
      { stopWords: ["x".repeat(101)] },
      { startWords: Array(101).fill("a") },
      { scope: "some" },
      { words: [] },
    ]) {
      expect((await refusal(client.settings.update.mutate({ optOut: wrong as object }))).code).toBe("BAD_REQUEST");
    }
  });

  it("rename the account for an owner, and for nobody else", async () => {
    const owner = await admin.signUp();
    const operator = await addMember(admin, owner.client, "operator", "op2@example.com");
    const before = (await owner.client.auth.me.query()).account;
    for (const procedure of ["renameAccount", "update"] as const)
      expect((await refusal(operator.client.settings[procedure].mutate({ name: "Mine" }))).code).toBe("FORBIDDEN");
    for (const name of ["", "   ", "two\nlines", "x".repeat(201)]) {
      const refused = await refusal(owner.client.settings.renameAccount.mutate({ name }));
      expect(refused).toMatchObject({ code: "BAD_REQUEST", issues: [{ path: ["name"] }] });
    }
    expect((await owner.client.auth.me.query()).account).toEqual(before);
    const renamed = { id: before.id, name: "Ada & Töchter" };
    expect(await owner.client.settings.renameAccount.mutate({ name: "  Ada & Töchter " })).toEqual({ account: renamed });
    expect((await operator.client.auth.me.query()).account).toEqual(renamed);
  });

  it("show why the platform takes nothing, until credentials are saved again", async () => {
    const owner = await admin.signUp();
    const accountId = await accountOf(owner);
    await owner.client.settings.update.mutate({ platform: credentials });
    await stop(accountId);
    const problem = { code: "131031", reason: "Locked", since: "2026-01-02T03:04:05.000Z" };
    expect((await owner.client.settings.get.query()).platform.problem).toEqual(problem);
    expect((await owner.client.settings.update.mutate({ timezone: "UTC" })).platform.problem).toEqual(problem);
    expect((await owner.client.settings.update.mutate({ platform: { wabaId: "102", phoneNumberId: "106" } })).platform.problem).toBeNull();
    const [row] = await admin.sql`select stopped_code, stopped_at, probe_after from platform_account where account_id = ${accountId}`;
    expect(row).toEqual({ stopped_code: null, stopped_at: null, probe_after: null });
  });

  it("bump the configuration that gateways plan with", async () => {
    const owner = await admin.signUp();
    const version = async () =>
      (await admin.sql`select config_version from account where id = ${await accountOf(owner)}`)[0]?.["config_version"];
    const versions = [await version()];
    for (const change of [{ timezone: "Asia/Tokyo" }, { platform: credentials }, { platform: null }]) {
      await owner.client.settings.update.mutate(change);
      versions.push(await version());
    }
    expect(new Set(versions).size).toBe(4);
  });

  it("test the connection: a good one ends a stop, a bad one does not", async () => {
    const owner = await admin.signUp();
    const accountId = await accountOf(owner);
    expect(await owner.client.settings.testConnection.mutate()).toMatchObject({ ok: false, error: expect.stringContaining("credentials") });
    await owner.client.settings.update.mutate({ platform: { wabaId: "102", phoneNumberId: "106", accessToken: "EAAbad" } });
    await stop(accountId);
    const bad = await owner.client.settings.testConnection.mutate();
    const reason: unknown = expect.stringContaining("Invalid OAuth access token");
    expect(bad).toMatchObject({ ok: false, error: reason, failed: { check: "phone number", reason, said: expect.anything() } });
    expect((await owner.client.settings.get.query()).platform.problem?.code).toBe("131031");
    await owner.client.settings.update.mutate({ platform: { wabaId: "102", phoneNumberId: "106", accessToken: "EAAgood" } });
    await stop(accountId);
    expect(await owner.client.settings.testConnection.mutate()).toMatchObject({
      ok: true,
      phoneNumber: "+49 30 123456",
      verifiedName: "Shop",
    });
    expect((await owner.client.settings.get.query()).platform.problem).toBeNull();
  });

  it("say what to do when the secrets were stored under another key", async () => {
    const owner = await admin.signUp();
    await owner.client.settings.update.mutate({ platform: credentials });
    const accountId = await accountOf(owner);
    const other = createVault(Buffer.alloc(32, 1)).seal("EAA", placeIn("platform_account.access_token", accountId));
    await admin.sql`update platform_account set access_token = ${other} where account_id = ${accountId}`;
    const answer = await refusal(owner.client.settings.testConnection.mutate());
    expect(answer).toMatchObject({ code: "CONFLICT", message: expect.stringContaining("enter the secret again") });
  });

  it("have no sandbox to connect to at the real platform", async () => {
    const owner = await admin.signUp();
    expect(await refusal(owner.client.settings.connectSandbox.mutate())).toMatchObject({
      code: "CONFLICT",
      message: expect.stringContaining("PLATFORM_API_URL"),
    });
  });
});
