import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  addMember,
  callProcedure,
  openAdmin,
  openAdminOn,
  password,
  refusal,
  signedIn,
  type OpenAdmin,
} from "../../../test/support/admin.ts";
import { bytes, createAuthenticator, list, map, text } from "../../../test/support/authenticator.ts";
import { data } from "../../../test/support/data.ts";
import { heldUp, userLock } from "../../../test/support/held-up.ts";
import { shared } from "../../../test/support/shared.ts";
import { totpCode, totpStep } from "./totp.ts";

type Person = Awaited<ReturnType<typeof addMember>>;
type Authenticator = ReturnType<typeof createAuthenticator>;

const origin = "https://admin.example";

describe("a passkey", () => {
  let owner: Awaited<ReturnType<OpenAdmin["signUp"]>>;
  let person: Person;
  let device: Authenticator;
  let passkeyId: string;
  let made = 0;
  const admin = shared(async () => openAdmin({ publicAdminUrl: origin }));
  beforeAll(async () => {
    owner = await admin.signUp();
  });

  const member = () => addMember(admin, owner.client, "operator", `member-${(made += 1)}@example.com`);
  const outcome = async (call: Promise<unknown>): Promise<string> => {
    const [result] = await Promise.allSettled([call]);
    return result.status === "fulfilled" ? "ok" : (await refusal(Promise.reject(result.reason as Error))).code;
  };
  const add = async ({ client }: Person, with_: Authenticator, fault = {}) => {
    const { options } = await client.auth.startPasskey.mutate();
    return client.auth.addPasskey.mutate({ name: "Laptop", response: with_.create(options, fault) });
  };
  const start = () => admin.client().auth.startPasskeySignIn.mutate();
  const signIn = async (fault: object, { options, challenge }: Awaited<ReturnType<typeof start>>) =>
    admin.client().auth.passkeySignIn.mutate({ challenge, response: device.get(options, fault) });
  const fresh = async (fault = {}) => signIn(fault, await start());

  beforeEach(async () => {
    person = await member();
    device = createAuthenticator(origin);
    passkeyId = (await add(person, device)).passkey.id;
  });

  it("is made for the dashboard's host, on a device that verifies the person, and is listed", async () => {
    const { options } = await person.client.auth.startPasskey.mutate();
    expect(options.rp).toEqual({ id: "admin.example", name: "Tidings" });
    expect(options.authenticatorSelection).toMatchObject({ residentKey: "required", userVerification: "required" });
    expect(options.pubKeyCredParams.map(({ alg }) => alg)).toEqual([-8, -7, -257]);
    expect(options.excludeCredentials).toHaveLength(1);
    const { items } = await person.client.auth.passkeys.query();
    expect(items).toEqual([{ id: passkeyId, name: "Laptop", createdAt: expect.any(String), lastUsedAt: null }]);
    expect((await person.client.auth.me.query()).secondFactor).toMatchObject({ passkeys: 1 });
    expect((await owner.client.auth.passkeys.query()).items).toEqual([]);
  });

  it("signs in without a password, an address or a code", async () => {
    const { options, challenge } = await start();
    expect([options.rpId, options.userVerification, options.allowCredentials ?? []]).toEqual(["admin.example", "required", []]);
    const answer = await admin.call("auth.passkeySignIn", { challenge, response: device.get(options) });
    expect(answer.headers.get("set-cookie")).toContain("tidings_session=");
    const { data } = ((await answer.json()) as { result: { data: { token: string; user: object } } }).result;
    expect(data).toEqual({ token: expect.any(String), user: person.user });
    const { items } = await admin.client(data.token).auth.passkeys.query();
    expect(items).toMatchObject([{ lastUsedAt: expect.any(String) }]);
  });

  it.each(data<[string, object][]>("admin-server-session-passkeys", "is refused for s, and the failure is noted"))(
    "is refused for %s, and the failure is noted",
    async (_what, fault) => {
      expect(await outcome(fresh(fault))).toBe("UNAUTHORIZED");
      const noted = await admin.sql`select id from audit_entry where action = 'auth.failedLogin' and subject = ${person.user.id}`;
      expect(noted).toHaveLength(1);
      expect(await outcome(fresh())).toBe("ok");
    },
  );

  it("answers a challenge once, also at the same moment, within five minutes, and only for what it was made for", async () => {
    const begun = await start();
    const response = device.get(begun.options, { counter: 0 });
    await admin.sql`update passkey set counter = 0 where id = ${passkeyId}`;
    const call = () => outcome(admin.client().auth.passkeySignIn.mutate({ challenge: begun.challenge, response }));
    expect((await Promise.all([call(), call(), call()])).toSorted()).toEqual(["UNAUTHORIZED", "UNAUTHORIZED", "ok"]);
    const { secret } = await person.client.auth.enrollTotp.mutate();
    await person.client.auth.confirmTotp.mutate({ code: totpCode(secret, totpStep(new Date())) });
    await person.client.auth.removeTotp.mutate({ password });
    expect(await call()).toBe("UNAUTHORIZED");
    const confirming = await person.client.auth.startPasskeyConfirm.mutate();
    expect(await outcome(signIn({}, confirming))).toBe("UNAUTHORIZED");
    const { options, challenge } = await start();
    expect(await outcome(person.client.auth.confirm.mutate({ challenge, response: device.get(options) }))).toBe("UNAUTHORIZED");
    expect(await outcome(signIn({}, { ...(await start()), challenge: "made up" }))).toBe("UNAUTHORIZED");
    await using later = await openAdminOn(admin.databaseUrl, { publicAdminUrl: origin }, { clock: () => new Date(Date.now() - 301_000) });
    expect(await outcome(signIn({}, await later.client().auth.startPasskeySignIn.mutate()))).toBe("UNAUTHORIZED");
  });

  it("of a stranger's device, or of garbage, is refused", async () => {
    const { options, challenge } = await start();
    const { auth } = admin.client();
    const stranger = createAuthenticator(origin).get(options);
    for (const response of [stranger, {}, { id: 5 }, { ...device.get(options), response: { clientDataJSON: "AAAA" } }])
      expect(await outcome(auth.passkeySignIn.mutate({ challenge, response }))).toBe("UNAUTHORIZED");
    expect(await outcome(auth.passkeySignIn.mutate({ challenge, response: { id: "x".repeat(20_000) } }))).toBe("BAD_REQUEST");
    expect(await outcome(person.client.auth.addPasskey.mutate({ name: "x", response: {} }))).toBe("BAD_REQUEST");
  });

  it("is added once, by who began, within five minutes, from the dashboard, with the person verified", async () => {
    const { options } = await person.client.auth.startPasskey.mutate();
    const response = createAuthenticator(origin).create(options);
    expect(await outcome(owner.client.auth.addPasskey.mutate({ name: "x", response }))).toBe("BAD_REQUEST");
    const both = [1, 2].map(() => outcome(person.client.auth.addPasskey.mutate({ name: "x", response })));
    expect((await Promise.all(both)).toSorted()).toEqual(["BAD_REQUEST", "ok"]);
    const begun = await person.client.auth.startPasskey.mutate();
    await admin.sql`update challenge set expires_at = now() where user_id = ${person.user.id}`;
    const late = { name: "x", response: createAuthenticator(origin).create(begun.options) };
    expect(await outcome(person.client.auth.addPasskey.mutate(late))).toBe("BAD_REQUEST");
    for (const fault of [{ rpId: "evil.example" }, { origin: "https://evil.example" }, { isUnverified: true }])
      expect(await outcome(add(person, createAuthenticator(origin), fault))).toBe("BAD_REQUEST");
    expect(await outcome(add(owner as Person, device))).toBe("CONFLICT");
  });

  it("is not added by a session that ends at the same moment, nor an app, nor a password", async () => {
    const { options } = await person.client.auth.startPasskey.mutate();
    const { secret } = await person.client.auth.enrollTotp.mutate();
    const { auth } = person.client;
    const start = () => [
      outcome(auth.addPasskey.mutate({ name: "x", response: createAuthenticator(origin).create(options) })),
      outcome(auth.confirmTotp.mutate({ code: totpCode(secret, totpStep(new Date())) })),
      outcome(auth.changePassword.mutate({ currentPassword: password, newPassword: "the thief's own new words" })),
    ];
    const calls = await heldUp(
      admin.sql,
      userLock(person.user.id),
      3,
      start,
      (sql) => sql`delete from user_session where user_id = ${person.user.id}`,
    );
    expect(await Promise.all(calls)).toEqual(["UNAUTHORIZED", "UNAUTHORIZED", "UNAUTHORIZED"]);
    const { token } = await signedIn(admin.client().auth.login.mutate({ email: person.email, password }));
    expect((await admin.client(token).auth.me.query()).secondFactor).toMatchObject({ passkeys: 1, totp: false });
  });

  it("comes without a certificate: one would have the server call the addresses in it", async () => {
    const packed = (more: (readonly [Buffer, Buffer])[]) =>
      Buffer.concat([text("fmt"), text("packed"), text("attStmt"), map([[text("sig"), bytes(Buffer.alloc(70))], ...more])]);
    const withCertificate = packed([[text("x5c"), list([bytes(Buffer.alloc(100))])]]);
    const safetyNet = Buffer.concat([text("fmt"), text("android-safetynet"), text("attStmt"), map([])]);
    for (const attestation of [withCertificate, safetyNet])
      expect(await outcome(add(person, createAuthenticator(origin), { attestation }))).toBe("BAD_REQUEST");
  });

  it("is removed by its user alone; a user has twenty, also when they are added at the same moment", async () => {
    expect(await outcome(owner.client.auth.removePasskey.mutate({ id: passkeyId }))).toBe("NOT_FOUND");
    expect(await person.client.auth.removePasskey.mutate({ id: passkeyId })).toEqual({ id: passkeyId });
    expect(await outcome(fresh())).toBe("UNAUTHORIZED");
    for (let more = 0; more < 18; more += 1) await add(person, createAuthenticator(origin));
    const last = await Promise.all([1, 2, 3].map(() => outcome(add(person, createAuthenticator(origin)))));
    expect(last.toSorted()).toEqual(["CONFLICT", "ok", "ok"]);
    expect(await outcome(person.client.auth.startPasskey.mutate())).toBe("CONFLICT");
  });

  it("gives a proof of the person, and adding and removing one take a proof", async () => {
    await admin.sql`update user_session set proven_at = now() - interval '11 minutes' where user_id = ${person.user.id}`;
    const taking = { startPasskey: {}, addPasskey: { name: "x", response: {} }, removePasskey: { id: passkeyId } };
    for (const [name, input] of Object.entries(taking)) {
      const { text: answer } = await callProcedure(admin, `auth.${name}`, input, person.token);
      expect([name, (JSON.parse(answer) as { error: { data: { reason: string } } }).error.data.reason]).toEqual([name, "confirm"]);
    }
    const { options, challenge } = await person.client.auth.startPasskeyConfirm.mutate();
    expect(options.allowCredentials).toHaveLength(1);
    expect(await outcome(owner.client.auth.confirm.mutate({ challenge, response: device.get(options) }))).toBe("UNAUTHORIZED");
    await person.client.auth.confirm.mutate({ challenge, response: device.get(options) });
    expect(await outcome(person.client.auth.removePasskey.mutate({ id: passkeyId }))).toBe("ok");
  });

  it("counts as a second factor where the account demands one, and then the password alone gives nothing", async () => {
    await add(owner as Person, createAuthenticator(origin));
    const other = await member();
    await owner.client.settings.update.mutate({ requireSecondFactor: true });
    expect(await outcome(person.client.sites.list.query())).toBe("ok");
    expect(await refusal(admin.client().auth.login.mutate({ email: person.email, password }))).toMatchObject({
      code: "FORBIDDEN",
      message: expect.stringContaining("passkey"),
    });
    const { token } = await signedIn(fresh());
    expect(await outcome(admin.client(token).sites.list.query())).toBe("ok");
    expect(await outcome(other.client.sites.list.query())).toBe("FORBIDDEN");
    await add(other, createAuthenticator(origin));
    expect(await outcome(other.client.sites.list.query())).toBe("ok");
    await owner.client.settings.update.mutate({ requireSecondFactor: false });
    await signedIn(admin.client().auth.login.mutate({ email: person.email, password }));
  });

  it("opens no account that demands the OpenID issuer, nor goes on in one", async () => {
    const { token } = await signedIn(fresh());
    await admin.sql`update account set require_sso = true`;
    expect(await outcome(fresh())).toBe("FORBIDDEN");
    expect(await outcome(admin.client(token).auth.me.query())).toBe("UNAUTHORIZED");
    await admin.sql`update account set require_sso = false`;
  });

  it("goes with a reset of the second factor, and of the password, unless it keeps the link's holder from a demanded second factor", async () => {
    await owner.client.users.resetSecondFactor.mutate({ id: person.user.id });
    expect(await outcome(fresh())).toBe("UNAUTHORIZED");
    const other = await member();
    await add(other, device);
    await add(owner as Person, createAuthenticator(origin));
    const reset = async () => {
      const { token } = await owner.client.users.resetPassword.mutate({ id: other.user.id });
      return outcome(admin.client().auth.resetPassword.mutate({ token, password: "quite another long password" }));
    };
    await owner.client.settings.update.mutate({ requireSecondFactor: true });
    expect(await reset()).toBe("FORBIDDEN");
    expect(await outcome(fresh())).toBe("ok");
    await owner.client.settings.update.mutate({ requireSecondFactor: false });
    expect(await reset()).toBe("ok");
    expect(await outcome(fresh())).toBe("UNAUTHORIZED");
  });

  it.each([
    ["http://127.0.0.1:4001", "localhost", "http://localhost:4001"],
    ["http://[::1]:4001", "localhost", "http://localhost:4001"],
    ["https://desk.example:8443", "desk.example", "https://desk.example:8443"],
  ])("of %s belongs to %s", async (publicAdminUrl, rpId, page) => {
    await using elsewhere = await openAdminOn(admin.databaseUrl, { publicAdminUrl });
    const { auth } = elsewhere.client(person.token);
    const { options } = await auth.startPasskey.mutate();
    expect(options.rp.id).toBe(rpId);
    const own = createAuthenticator(page);
    await auth.addPasskey.mutate({ name: "x", response: own.create(options) });
    const begun = await auth.startPasskeySignIn.mutate();
    expect((await auth.passkeySignIn.mutate({ challenge: begun.challenge, response: own.get(begun.options) })).user).toEqual(person.user);
  });
});
