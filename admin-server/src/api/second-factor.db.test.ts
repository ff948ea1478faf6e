import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  addMember,
  callProcedure,
  openAdmin,
  password,
  procedurePaths,
  refusal,
  serverSent,
  signedIn,
  type OpenAdmin,
} from "../../../test/support/admin.ts";
import { shared } from "../../../test/support/shared.ts";
import { totpCode, totpStep } from "../session/totp.ts";

type Person = Awaited<ReturnType<typeof addMember>>;

describe("an authenticator app", () => {
  let owner: Awaited<ReturnType<OpenAdmin["signUp"]>>;
  let person: Person;
  let secret: string;
  let recoveryCodes: string[];
  /** The clock stands still, so that no step passes while a test runs. */
  const now = new Date();
  const step = () => totpStep(now);
  let made = 0;
  const admin = shared(async () => openAdmin({}, { clock: () => now }));
  beforeAll(async () => {
    owner = await admin.signUp();
  });

  const codeOf = (away = 0) => totpCode(secret, step() + away);
  const member = () => addMember(admin, owner.client, "operator", `member-${(made += 1)}@example.com`);
  const logIn = (as = person, by = password) => admin.client().auth.login.mutate({ email: as.email, password: by });
  const challengeOf = async (as = person): Promise<string> => {
    const answer = await logIn(as);
    if (!("challenge" in answer)) throw new Error("no second factor was asked for");
    return answer.challenge;
  };
  const pass = (challenge: string, code: string) => admin.client().auth.secondFactor.mutate({ challenge, code });
  const outcome = async (call: Promise<unknown>): Promise<string> => {
    const [result] = await Promise.allSettled([call]);
    return result.status === "fulfilled" ? "ok" : (await refusal(Promise.reject(result.reason as Error))).code;
  };
  /** Sets the last code's time far back, so that three codes can be used. */
  const freeSteps = () => admin.sql`update totp set last_step = 0 where secret is not null`;
  const sessionsOf = async ({ user }: Person) =>
    (await admin.sql`select count(*)::integer as count from user_session where user_id = ${user.id}`)[0]?.["count"] as number;

  beforeEach(async () => {
    person = await member();
    ({ secret } = await person.client.auth.enrollTotp.mutate());
    ({ recoveryCodes } = await person.client.auth.confirmTotp.mutate({ code: codeOf() }));
    await freeSteps();
  });

  it("is asked for after the password: no token, no cookie, until the code has come", async () => {
    const first = await admin.call("auth.login", { email: person.email, password });
    expect(first.headers.get("set-cookie")).toBeNull();
    const { data } = ((await first.json()) as { result: { data: { challenge: string } } }).result;
    expect(data).toEqual({ secondFactor: true, challenge: expect.any(String) });
    expect((await callProcedure(admin, "auth.me", {}, data.challenge)).code).toBe("UNAUTHORIZED");
    const second = await admin.call("auth.secondFactor", { challenge: data.challenge, code: codeOf() });
    expect(second.headers.get("set-cookie")).toContain("tidings_session=");
    const signed = ((await second.json()) as { result: { data: { token: string; user: object } } }).result.data;
    expect(signed).toEqual({ token: expect.any(String), user: person.user });
    const me = await admin.client(signed.token).auth.me.query();
    expect(me.secondFactor).toEqual({ totp: true, recoveryCodes: 10, passkeys: 0, mustEnroll: false });
  });

  it("is kept sealed, its recovery codes as digests, and the address for apps holds the secret", async () => {
    const begun = await person.client.auth.enrollTotp.mutate();
    expect(begun.secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(new URL(begun.otpauthUrl).searchParams.get("secret")).toBe(begun.secret);
    const rows = JSON.stringify(
      await admin.sql`select t.secret, t.pending, array(select code_hash from recovery_code) as hashes from totp t`,
    );
    for (const plain of [secret, begun.secret, ...recoveryCodes]) expect(rows).not.toContain(plain);
  });

  it("takes the codes of one step around now, each once and none older than the last", async () => {
    const wanted = [
      ["one later than now", 1, "ok"],
      ["the same again", 1, "UNAUTHORIZED"],
      ["an older one", 0, "UNAUTHORIZED"],
    ] as const;
    for (const [what, away, code] of wanted) expect([what, await outcome(pass(await challengeOf(), codeOf(away)))]).toEqual([what, code]);
    await freeSteps();
    expect(await outcome(pass(await challengeOf(), codeOf(-2)))).toBe("UNAUTHORIZED");
    expect(await outcome(pass(await challengeOf(), ` ${codeOf(-1).replace(/^.../, "$& ")} `))).toBe("ok");
  });

  it("counts the code that confirmed it as used", async () => {
    const other = await member();
    const begun = await other.client.auth.enrollTotp.mutate();
    const at = step() + 1;
    await other.client.auth.confirmTotp.mutate({ code: totpCode(begun.secret, at) });
    expect(await outcome(pass(await challengeOf(other), totpCode(begun.secret, at)))).toBe("UNAUTHORIZED");
  });

  it("takes a code once when it comes several times at the same moment", async () => {
    const challenges = [await challengeOf(), await challengeOf(), await challengeOf(), await challengeOf()];
    const before = await sessionsOf(person);
    const code = codeOf();
    const outcomes = await Promise.all(challenges.map((challenge) => outcome(pass(challenge, code))));
    expect(outcomes.toSorted()).toEqual(["UNAUTHORIZED", "UNAUTHORIZED", "UNAUTHORIZED", "ok"]);
    expect(await sessionsOf(person)).toBe(before + 1);
  });

  it("takes a recovery code once, in any spelling, also when it comes several times at the same moment", async () => {
    expect(new Set(recoveryCodes).size).toBe(10);
    const [code = "", other = ""] = recoveryCodes;
    const challenges = [await challengeOf(), await challengeOf(), await challengeOf()];
    const outcomes = await Promise.all(challenges.map((challenge) => outcome(pass(challenge, code))));
    expect(outcomes.toSorted()).toEqual(["UNAUTHORIZED", "UNAUTHORIZED", "ok"]);
    expect(await outcome(pass(await challengeOf(), other.toUpperCase().replaceAll("-", " ")))).toBe("ok");
    expect((await person.client.auth.me.query()).secondFactor.recoveryCodes).toBe(8);
    expect(await outcome(pass(await challengeOf(await enrolled()), recoveryCodes[2] ?? ""))).toBe("UNAUTHORIZED");
  });

  const enrolled = async (): Promise<Person> => {
    const other = await member();
    const begun = await other.client.auth.enrollTotp.mutate();
    await other.client.auth.confirmTotp.mutate({ code: totpCode(begun.secret, step()) });
    return other;
  };

  it("one challenge takes five tries, also at the same moment, and gives one session", async () => {
    const challenge = await challengeOf();
    await Promise.all(Array.from({ length: 8 }, () => outcome(pass(challenge, "000000x"))));
    const counted = await admin.sql<{ count: number }[]>`
      select count(*)::integer as count from audit_entry where action = 'auth.failedLogin' and subject = ${person.user.id}`;
    expect(counted).toEqual([{ count: 5 }]);
    expect(await outcome(pass(challenge, codeOf()))).toBe("UNAUTHORIZED");
    const [second, before] = [await challengeOf(), await sessionsOf(person)];
    const both = await Promise.all([codeOf(0), codeOf(1), recoveryCodes[0] ?? ""].map((code) => outcome(pass(second, code))));
    expect(both.filter((each) => each === "ok")).toEqual(["ok"]);
    expect(await sessionsOf(person)).toBe(before + 1);
    expect(await outcome(pass(second, recoveryCodes[1] ?? ""))).toBe("UNAUTHORIZED");
  });

  it("opens no account that demands the OpenID issuer, not even one that was asked for before", async () => {
    const challenge = await challengeOf();
    await admin.sql`update account set require_sso = true`;
    const before = await sessionsOf(person);
    expect([await outcome(pass(challenge, codeOf())), await outcome(logIn())]).toEqual(["FORBIDDEN", "FORBIDDEN"]);
    expect(await sessionsOf(person)).toBe(before);
    await admin.sql`update account set require_sso = false`;
  });

  it("a challenge ends after ten minutes, and with the password that it was given for", async () => {
    const old = await challengeOf();
    const rows = await admin.sql`select expires_at from challenge where user_id = ${person.user.id}`;
    expect(rows).toEqual([{ expires_at: new Date(now.getTime() + 600_000) }]);
    await admin.sql`update challenge set expires_at = now() where user_id = ${person.user.id}`;
    expect(await outcome(pass(old, codeOf()))).toBe("UNAUTHORIZED");
    const before = await challengeOf();
    await person.client.auth.changePassword.mutate({ currentPassword: password, newPassword: "another long password" });
    expect(await outcome(pass(before, codeOf()))).toBe("UNAUTHORIZED");
    expect(await outcome(pass("made up", codeOf()))).toBe("UNAUTHORIZED");
  });

  it("ten wrong codes of a user, over all challenges and addresses, are enough for 15 minutes; others go on", async () => {
    const wrong = async () => outcome(pass(await challengeOf(), "not the code"));
    for (let tries = 0; tries < 10; tries += 1) expect(await wrong()).toBe("UNAUTHORIZED");
    const answer = await admin.call("auth.secondFactor", { challenge: await challengeOf(), code: codeOf() });
    expect([answer.status, Number(answer.headers.get("retry-after")) > 800]).toEqual([429, true]);
    const concern = { kind: "failed_sign_ins", userId: person.user.id, email: person.email, count: 10 };
    expect((await owner.client.audit.concerns.query()).items).toContainEqual(expect.objectContaining(concern));
    await admin.sql`update login_try set tries = array(select at - interval '15 minutes' from unnest(tries) at)`;
    expect(await outcome(pass(await challengeOf(), codeOf()))).toBe("ok");
  });

  it("is not passed by a new password: a reset link answers a challenge too", async () => {
    const { token } = await owner.client.users.resetPassword.mutate({ id: person.user.id });
    const answer = await admin.call("auth.resetPassword", { token, password: "another long password" });
    expect(answer.headers.get("set-cookie")).toBeNull();
    const { data } = ((await answer.json()) as { result: { data: { challenge: string } } }).result;
    expect(data).toEqual({ secondFactor: true, challenge: expect.any(String) });
    expect(await outcome(pass(data.challenge, codeOf()))).toBe("ok");
    expect(await logIn(person, "another long password")).toHaveProperty("secondFactor", true);
  });

  it("is replaced only once the new one has shown its code, which ends the former recovery codes", async () => {
    const begun = await person.client.auth.enrollTotp.mutate();
    const wrong = await refusal(
      person.client.auth.confirmTotp.mutate({ code: "000000" === totpCode(begun.secret, step()) ? "111111" : "000000" }),
    );
    expect(wrong.code).toBe("UNAUTHORIZED");
    expect(await outcome(pass(await challengeOf(), codeOf()))).toBe("ok");
    const code = totpCode(begun.secret, step());
    const outcomes = await Promise.all([1, 2, 3].map(() => outcome(person.client.auth.confirmTotp.mutate({ code }))));
    expect(outcomes.toSorted()).toEqual(["CONFLICT", "CONFLICT", "ok"]);
    await freeSteps();
    expect(await outcome(pass(await challengeOf(), codeOf(1)))).toBe("UNAUTHORIZED");
    expect(await outcome(pass(await challengeOf(), recoveryCodes[0] ?? ""))).toBe("UNAUTHORIZED");
    secret = begun.secret;
    expect(await outcome(pass(await challengeOf(), codeOf(1)))).toBe("ok");
    expect(await outcome(person.client.auth.confirmTotp.mutate({ code: codeOf() }))).toBe("CONFLICT");
  });

  it("is removed with the password alone known, and then is not asked for", async () => {
    expect(await refusal(person.client.auth.removeTotp.mutate({ password: "wrong" }))).toMatchObject({
      code: "BAD_REQUEST",
      issues: [{ path: ["password"] }],
    });
    await person.client.auth.removeTotp.mutate({ password });
    await signedIn(logIn());
    expect(await outcome(person.client.auth.removeTotp.mutate({ password }))).toBe("CONFLICT");
    expect(await admin.sql`select user_id from recovery_code where user_id = ${person.user.id}`).toHaveLength(0);
  });

  it("gives a proof of the person by its code, once, and enrolling and removing take one", async () => {
    await admin.sql`update user_session set proven_at = now() - interval '11 minutes' where user_id = ${person.user.id}`;
    const taking = [
      ["auth.enrollTotp", {}],
      ["auth.confirmTotp", { code: codeOf() }],
      ["auth.removeTotp", { password }],
    ] as const;
    for (const [path, input] of taking) {
      const { text } = await callProcedure(admin, path, input, person.token);
      expect([path, (JSON.parse(text) as { error: { data: { reason: string } } }).error.data.reason]).toEqual([path, "confirm"]);
    }
    const code = codeOf();
    expect(await outcome(person.client.auth.confirm.mutate({ code: "000000x" }))).toBe("UNAUTHORIZED");
    expect(await outcome(person.client.auth.confirm.mutate({ code }))).toBe("ok");
    expect(await outcome(person.client.auth.confirm.mutate({ code }))).toBe("UNAUTHORIZED");
    expect(await outcome(pass(await challengeOf(), code))).toBe("UNAUTHORIZED");
    expect(await outcome(person.client.auth.removeTotp.mutate({ password }))).toBe("ok");
  });

  it("is taken away by another owner, which ends the person's sessions; never by oneself, nor from another account", async () => {
    const other = await addMember(admin, owner.client, "owner", `owner-${(made += 1)}@example.com`);
    const reset = (by: Person["client"], id = person.user.id) => outcome(by.users.resetSecondFactor.mutate({ id }));
    const stranger = await admin.signUp();
    expect([await reset(person.client), await reset(stranger.client), await reset(other.client, other.user.id)]).toEqual([
      "FORBIDDEN",
      "NOT_FOUND",
      "CONFLICT",
    ]);
    const challenge = await challengeOf();
    expect(await reset(other.client)).toBe("ok");
    expect(await outcome(person.client.auth.me.query())).toBe("UNAUTHORIZED");
    expect(await outcome(pass(challenge, recoveryCodes[0] ?? ""))).toBe("UNAUTHORIZED");
    const { token } = await signedIn(logIn());
    expect((await admin.client(token).auth.me.query()).secondFactor).toMatchObject({ totp: false, recoveryCodes: 0 });
    const concern = { kind: "second_factor_reset", userId: person.user.id, email: person.email, at: expect.any(String) };
    expect((await owner.client.audit.concerns.query()).items).toContainEqual(concern);
  });

  it("has twenty open challenges at most, of which the oldest ends", async () => {
    const [first, second] = [await challengeOf(), await challengeOf()];
    await admin.sql`update challenge set expires_at = expires_at - interval '1 minute' where hash = sha256(${first})`;
    for (let more = 0; more < 19; more += 1) await challengeOf();
    expect(await admin.sql`select hash from challenge where user_id = ${person.user.id}`).toHaveLength(20);
    expect(await outcome(pass(first, codeOf()))).toBe("UNAUTHORIZED");
    expect(await outcome(pass(second, codeOf()))).toBe("ok");
  });
});

describe("an account that demands a second factor", () => {
  let owner: Awaited<ReturnType<OpenAdmin["signUp"]>>;
  const admin = shared(async () => openAdmin());
  beforeAll(async () => {
    owner = await admin.signUp();
  });

  const reasonOf = async (path: string, token: string): Promise<string> => {
    const { code, text } = await callProcedure(admin, path, {}, token);
    const answer = JSON.parse(text) as { error?: { data: { reason: string | null } }; data?: { reason: string | null } };
    return (answer.error?.data ?? answer.data)?.reason === "second_factor" ? "enrol" : code;
  };
  const require = (requireSecondFactor: boolean) => owner.client.settings.update.mutate({ requireSecondFactor });

  it("lets who has none only enrol, also in sessions that run; tokens go on", async () => {
    const member = await addMember(admin, owner.client, "operator", "operator@example.com");
    const { token: program } = await member.client.tokens.create.mutate({ name: "x", role: "operator" });
    const { secret } = await owner.client.auth.enrollTotp.mutate();
    await owner.client.auth.confirmTotp.mutate({ code: totpCode(secret, totpStep(new Date())) });
    const view = serverSent(`${admin.url}/trpc/events.tail`, { authorization: `Bearer ${member.token}` });
    await view.next();
    expect((await require(true)).requireSecondFactor).toBe(true);

    const open = new Set([
      "auth.me",
      "auth.logout",
      "auth.confirm",
      "auth.enrollTotp",
      "auth.confirmTotp",
      "auth.startPasskey",
      "auth.addPasskey",
    ]);
    const strangers = new Set([
      "auth.state",
      "auth.login",
      "auth.signUp",
      "auth.resetPassword",
      "auth.forgotPassword",
      "auth.confirmEmail",
      "auth.proveEmail",
      "alerts.confirm",
      "auth.secondFactor",
      "auth.startPasskeySignIn",
      "auth.passkeySignIn",
      "users.acceptInvite",
    ]);
    const owners =
      /^(users|audit|people)\.|^alerts\.(update|\w+Channel|rotateSecret)$|^assistant\.try$|^settings\.(renameAccount|connectSandbox|\w+Assistant)$/;
    for (const path of procedurePaths.filter((each) => !open.has(each) && !strangers.has(each) && !owners.test(each)))
      expect([path, await reasonOf(path, member.token)]).toEqual([path, "enrol"]);
    expect(await reasonOf("users.list", member.token)).toBe("FORBIDDEN");
    for (const path of ["/export/notifications.csv?from=2030-01-01", "/media/019aa000-0000-7000-8000-000000000001"])
      expect([path, (await admin.fetch(path, { headers: { authorization: `Bearer ${member.token}` } })).status]).toEqual([path, 403]);
    const upload = {
      method: "POST",
      headers: { authorization: `Bearer ${member.token}`, "content-type": "application/pdf" },
      body: "%PDF-",
    };
    expect((await admin.fetch("/media?name=a.pdf", upload)).status).toBe(403);
    const ended = [];
    for await (const { event, data } of view)
      if (event === "serialized-error") ended.push((JSON.parse(data) as { data: { code: string } }).data.code);
    expect(ended).toEqual(["UNAUTHORIZED"]);
    expect(await reasonOf("sites.list", program)).toBe("ok");
    expect(await reasonOf("sites.list", owner.token)).toBe("ok");

    const renewed = await signedIn(admin.client().auth.login.mutate({ email: member.email, password }));
    const { auth } = admin.client(renewed.token);
    expect((await auth.me.query()).secondFactor.mustEnroll).toBe(true);
    expect(await reasonOf("sites.list", renewed.token)).toBe("enrol");
    const begun = await auth.enrollTotp.mutate();
    expect(await reasonOf("sites.list", renewed.token)).toBe("enrol");
    await auth.confirmTotp.mutate({ code: totpCode(begun.secret, totpStep(new Date())) });
    expect(await Promise.all([renewed.token, member.token].map((token) => reasonOf("sites.list", token)))).toEqual(["ok", "ok"]);
    expect((await auth.me.query()).secondFactor).toMatchObject({ totp: true, mustEnroll: false });
    await auth.removeTotp.mutate({ password });
    expect(await reasonOf("sites.list", renewed.token)).toBe("enrol");
    const invited = await addMember(admin, owner.client, "viewer", "invited@example.com");
    expect(await reasonOf("sites.list", invited.token)).toBe("enrol");
    await require(false);
    expect(await reasonOf("sites.list", renewed.token)).toBe("ok");
  });

  it("is demanded by an owner alone, with a proof", async () => {
    const member = await addMember(admin, owner.client, "operator", "other@example.com");
    expect((await refusal(member.client.settings.update.mutate({ requireSecondFactor: true }))).code).toBe("FORBIDDEN");
    const { token } = await owner.client.tokens.create.mutate({ name: "x", role: "owner" });
    expect((await refusal(admin.client(token).settings.update.mutate({ requireSecondFactor: true }))).code).toBe("FORBIDDEN");
    await admin.sql`update user_session set proven_at = now() - interval '11 minutes'`;
    expect((await refusal(require(true))).code).toBe("FORBIDDEN");
    expect((await member.client.settings.get.query()).requireSecondFactor).toBe(false);
  });
});
