import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { addMember, callProcedure, password, refusal, signedIn } from "../../../test/support/admin.ts";
import { heldUp } from "../../../test/support/held-up.ts";
import type { Issuer } from "../../../test/support/issuer.ts";
import { openOpenIdAdmin, type OpenIdAdmin } from "../../../test/support/openid-admin.ts";

describe("accounts and the OpenID issuer", () => {
  let server: OpenIdAdmin;
  let issuer: Issuer;
  let admin: OpenIdAdmin["admin"];
  let made = 0;
  beforeAll(async () => {
    server = await openOpenIdAdmin();
    ({ issuer, admin } = server);
    await admin.signUp("first@example.com");
  });
  beforeEach(() => server.mend());
  afterAll(async () => server[Symbol.asyncDispose]());

  const address = (what: string): string => `${what}-${(made += 1)}@example.com`;
  const as: OpenIdAdmin["as"] = (token) => server.as(token);
  const enterAs = async (email: string, path?: string) => {
    issuer.script.claims = { email };
    return server.enter(path);
  };
  /** An owner whom the issuer has signed in. */
  const openBoss = async () => {
    const { email, user } = await admin.signUp(address("boss"));
    const { token, browser } = await enterAs(email);
    return { email, id: user.id, token, browser, client: as(token) };
  };
  const logIn = (email: string) => admin.client().auth.login.mutate({ email, password });
  const ended = { code: "UNAUTHORIZED" };

  it("the issuer is all that opens an account that demands it; access tokens go on, and other accounts are as before", async () => {
    const boss = await openBoss();
    const member = await addMember(admin, boss.client, "owner", address("works"));
    const { token: program } = await member.client.tokens.create.mutate({ name: "x", role: "viewer" });
    const { token: link } = await boss.client.users.resetPassword.mutate({ id: member.user.id });
    expect((await refusal(member.client.settings.update.mutate({ requireSso: true }))).code).toBe("FORBIDDEN");
    const code = await server.database.sql`insert into passkey (id, user_id, name, credential_id, public_key, counter, transports)
      values (${member.user.id}, ${member.user.id}, 'x', 'x', 'x', 0, '{}') returning id`;
    expect(code).toHaveLength(1);
    expect((await boss.client.settings.update.mutate({ requireSso: true })).requireSso).toBe(true);

    expect(await refusal(member.client.auth.me.query())).toMatchObject(ended);
    expect((await admin.client(program).auth.me.query()).user.id).toBe(member.user.id);
    expect(await refusal(logIn(member.email))).toMatchObject({ code: "FORBIDDEN", message: expect.stringContaining("Example ID") });
    const reset = admin.client().auth.resetPassword.mutate({ token: link, password: "another long password" });
    expect((await refusal(reset)).code).toBe("FORBIDDEN");
    // Nothing that a thief of the session may have set up proves the person.
    for (const input of [{ password }, { code: "123456" }, { challenge: "x", response: {} }])
      expect(await callProcedure(admin, "auth.confirm", input, boss.token)).toMatchObject({ code: "FORBIDDEN" });

    // A person who is also in another account works there by password, and neither joins nor switches over with it.
    const elsewhere = await admin.signUp(address("elsewhere"));
    const { token: invitation } = await boss.client.users.invite.mutate({ email: elsewhere.email, role: "viewer" });
    const accept = { token: invitation, name: "E", password };
    expect((await refusal(admin.client().users.acceptInvite.mutate(accept))).code).toBe("FORBIDDEN");
    expect((await refusal(elsewhere.client.users.acceptInvite.mutate(accept))).code).toBe("FORBIDDEN");
    expect((await elsewhere.client.auth.me.query()).accounts).toHaveLength(1);
    const there = await enterAs(elsewhere.email);
    const joined = await signedIn(as(there.token).users.acceptInvite.mutate({ token: invitation }));
    const { account } = await as(joined.token).auth.me.query();
    const { accounts } = await as(joined.token).auth.me.query();
    expect(accounts).toHaveLength(2);
    await as(joined.token).auth.switchAccount.mutate({ accountId: accounts.find(({ id }) => id !== account.id)?.id ?? "" });
    await server.database.sql`update user_session set way = 'passkey' where user_id = ${elsewhere.user.id} and account_id <> ${account.id}`;
    expect((await refusal(as(there.token).auth.switchAccount.mutate({ accountId: account.id }))).code).toBe("FORBIDDEN");

    expect((await boss.client.settings.update.mutate({ requireSso: false })).requireSso).toBe(false);
    // The sessions that the demand ended stay ended.
    expect(await refusal(member.client.auth.me.query())).toMatchObject(ended);
    await signedIn(logIn(member.email));
  });

  it("a new person joins an account that demands the issuer by it alone, and the invitation stays open until then", async () => {
    const boss = await openBoss();
    await boss.client.settings.update.mutate({ requireSso: true });
    const email = address("new");
    const { token } = await boss.client.users.invite.mutate({ email, role: "viewer" });
    const accept = admin.client().users.acceptInvite.mutate({ token, name: "N", password: "a rather long secret" });
    expect((await refusal(accept)).code).toBe("FORBIDDEN");
    expect((await as((await enterAs(email)).token).auth.me.query()).user).toMatchObject({ email, role: "viewer" });
  });

  it("the demand comes from an owner's session that the issuer opened, with a fresh proof", async () => {
    const boss = await openBoss();
    await addMember(admin, boss.client, "operator", "demanding@example.com");
    const operator = await enterAs("demanding@example.com");
    expect((await refusal(as(operator.token).settings.update.mutate({ requireSso: true }))).code).toBe("FORBIDDEN");
    const { token: program } = await boss.client.tokens.create.mutate({ name: "x", role: "owner" });
    expect((await refusal(admin.client(program).settings.update.mutate({ requireSso: true }))).code).toBe("FORBIDDEN");
    await server.database.sql`update user_session set proven_at = now() - interval '11 minutes'`;
    const asked = await callProcedure(admin, "settings.update", { requireSso: true }, boss.token);
    expect(asked).toMatchObject({ code: "FORBIDDEN" });
    expect((await boss.client.settings.get.query()).sso).toEqual({ name: "Example ID", opensThis: true });
  });

  it("an address that nobody proved loses at the first sign-in by the issuer what was made before, once", async () => {
    const squatter = await admin.signUp(address("squatter"));
    const victim = await addMember(admin, squatter.client, "owner", address("victim"));
    const { token: program } = await victim.client.tokens.create.mutate({ name: "x", role: "viewer" });
    const { id: userId } = victim.user;
    await server.database.sql`insert into passkey (id, user_id, name, credential_id, public_key, counter, transports)
      values (${userId}, ${userId}, 'x', ${userId}, 'x', 0, '{}')`;
    await server.database.sql`insert into totp (user_id, secret, last_step) values (${userId}, 'sealed', 0)`;
    const { token: made } = await victim.client.users.invite.mutate({ email: address("other"), role: "owner" });
    const { token } = await enterAs(victim.email);
    const me = await as(token).auth.me.query();
    expect(me).toMatchObject({ way: "sso", credentialsEndedAt: expect.any(String), secondFactor: { totp: false, passkeys: 0 } });
    expect(await refusal(victim.client.auth.me.query())).toMatchObject(ended);
    expect(await refusal(admin.client(program).auth.me.query())).toMatchObject(ended);
    expect(await refusal(logIn(victim.email))).toMatchObject(ended);
    const accept = admin.client().users.acceptInvite.mutate({ token: made, name: "O", password });
    expect((await refusal(accept)).code).toBe("NOT_FOUND");
    const entries = (await squatter.client.audit.list.query({ action: "auth.openId" })).items;
    expect(entries.map(({ changes }) => changes?.map((change) => change.member))).toEqual([
      [],
      ["password", "secondFactors", "sessions", "accessTokens"],
    ]);

    const { token: kept } = await as(token).tokens.create.mutate({ name: "mine", role: "viewer" });
    await enterAs(victim.email);
    expect((await admin.client(kept).auth.me.query()).user.id).toBe(userId);
    expect((await as(token).auth.me.query()).credentialsEndedAt).toBe(me.credentialsEndedAt);
  });

  it("the server's first person keeps what they made, and so does whom the issuer made", async () => {
    const first = await signedIn(logIn("first@example.com"));
    await enterAs("first@example.com");
    expect((await as(first.token).auth.me.query()).credentialsEndedAt).toBeNull();
    await signedIn(logIn("first@example.com"));
  });

  it("a first sign-in whose session was not written ends what was made before all the same, and works the next time", async () => {
    const squatter = await admin.signUp(address("squatter"));
    const victim = await addMember(admin, squatter.client, "viewer", address("victim"));
    await server.database.owner`create function planted() returns trigger language plpgsql as 'begin raise exception ''killed''; end'`;
    await server.database.owner`create trigger planted before insert on user_session for each row execute function planted()`;
    expect((await enterAs(victim.email)).to).toBe("/sign-in?refused=unavailable");
    await server.database.owner`drop trigger planted on user_session`;
    await server.database.owner`drop function planted`;
    expect(await refusal(victim.client.auth.me.query())).toMatchObject(ended);
    expect((await enterAs(victim.email)).to).toBe("/");
  });

  it("two answers for one invitation at the same moment let the person in twice, as one user", async () => {
    const boss = await openBoss();
    const email = address("twice");
    await boss.client.users.invite.mutate({ email, role: "viewer" });
    const both = await Promise.all([enterAs(email), enterAs(email)]);
    const inside = both.filter(({ to }) => to === "/");
    expect(inside.length).toBeGreaterThan(0);
    const ids = await Promise.all(inside.map(async ({ token }) => (await as(token).auth.me.query()).user.id));
    expect(new Set(ids).size).toBe(1);
    expect(await server.database.sql`select from app_user where email = ${email}`).toHaveLength(1);
  });

  it("whom the issuer signed in joins a further account by its link, and what an owner of the first could set opens nothing there", async () => {
    const first = await openBoss();
    const person = await addMember(admin, first.client, "viewer", address("shared"));
    const own = await enterAs(person.email);
    const { token: link } = await first.client.users.resetPassword.mutate({ id: person.user.id });
    const known = "chosen by the first owner";
    const stolen = await signedIn(admin.client().auth.resetPassword.mutate({ token: link, password: known }));
    expect(await refusal(as(own.token).auth.me.query())).toMatchObject(ended);

    const second = await openBoss();
    const { token: invitation } = await second.client.users.invite.mutate({ email: person.email, role: "viewer" });
    const { token: others } = await second.client.users.invite.mutate({ email: address("others"), role: "viewer" });
    expect((await refusal(as(stolen.token).users.acceptInvite.mutate({ token: invitation }))).code).toBe("BAD_REQUEST");
    const again = await enterAs(person.email);
    expect((await refusal(as(again.token).users.acceptInvite.mutate({ token: others }))).code).toBe("CONFLICT");
    const joined = await signedIn(as(again.token).users.acceptInvite.mutate({ token: invitation }));
    expect((await as(joined.token).auth.me.query()).accounts).toHaveLength(2);
    expect(await refusal(as(stolen.token).auth.me.query())).toMatchObject(ended);
    expect(await refusal(admin.client().auth.login.mutate({ email: person.email, password: known }))).toMatchObject(ended);
  });

  it("a session of the issuer's is proven by it alone where another account of its person demands it", async () => {
    const boss = await openBoss();
    const elsewhere = await admin.signUp(address("both"));
    const { token: invitation } = await boss.client.users.invite.mutate({ email: elsewhere.email, role: "owner" });
    const own = await enterAs(elsewhere.email);
    const { id: userId } = elsewhere.user;
    await as(own.token).users.acceptInvite.mutate({ token: invitation });
    await boss.client.settings.update.mutate({ requireSso: true });
    // A password that somebody else knows, and a session by the issuer that they hold in the account without the demand.
    await server.database.sql`update app_user set password_hash = (select password_hash from app_user where email = 'first@example.com')
      where id = ${userId}`;
    const held = await enterAs(elsewhere.email);
    const [home] = await server.database.sql<
      { id: string }[]
    >`select account_id as id from membership where user_id = ${userId} order by created_at`;
    await as(held.token).auth.switchAccount.mutate({ accountId: home?.id ?? "" });
    expect(await callProcedure(admin, "auth.confirm", { password }, held.token)).toMatchObject({ code: "FORBIDDEN" });
    await boss.client.settings.update.mutate({ requireSso: false });
    expect(await callProcedure(admin, "auth.confirm", { password }, held.token)).toMatchObject({ code: "ok" });
  });

  it("joining a further account takes a fresh proof, gives none, and makes no session live longer", async () => {
    const person = await openBoss();
    const stranger = await openBoss();
    const { token } = await stranger.client.users.invite.mutate({ email: person.email, role: "viewer" });
    const age = (minutes: number) => server.database.sql`
      update user_session set created_at = now() - interval '80 days', proven_at = now() - make_interval(mins => ${minutes})
      where user_id = ${person.id}`;
    const join = async () => callProcedure(admin, "users.acceptInvite", { token }, person.token);
    await age(11);
    expect(await join()).toMatchObject({ code: "FORBIDDEN", text: expect.stringContaining('"reason":"confirm"') });
    await age(9);
    expect((await join()).code).toBe("ok");
    const { accounts, account } = await person.client.auth.me.query();
    expect([accounts.length, account.id]).toEqual([2, (await stranger.client.auth.me.query()).account.id]);
    const newer = await server.database.sql`select from user_session
      where user_id = ${person.id} and (created_at > now() - interval '79 days' or proven_at > now() - interval '8 minutes')`;
    expect(newer).toEqual([]);
  });

  it("holds against a change that a session which the demand ends has under way", async () => {
    const boss = await openBoss();
    const member = await addMember(admin, boss.client, "owner", address("other"));
    const { account } = await boss.client.auth.me.query();
    const calls = await heldUp(
      server.database.sql,
      (sql) => sql`select from account where id = ${account.id} for update`,
      1,
      () =>
        [{ requireSso: false }, { requireSecondFactor: false }].map((input) =>
          callProcedure(admin, "settings.update", input, member.token),
        ),
      (sql) => sql`update account set require_sso = true, require_second_factor = true where id = ${account.id}`,
    );
    expect((await Promise.all(calls)).map(({ code }) => code)).toEqual(["UNAUTHORIZED", "UNAUTHORIZED"]);
    expect(await boss.client.settings.get.query()).toMatchObject({ requireSso: true, requireSecondFactor: true });
  });

  it("proves nobody to an account that lets nobody in from there", async () => {
    const boss = await openBoss();
    await server.database.sql`update user_session set proven_at = now() - interval '11 minutes' where user_id = ${boss.id}`;
    await server.database
      .sql`update account set dashboard_addresses = '{203.0.113.7}' where id in (select account_id from membership where user_id = ${boss.id})`;
    issuer.script.claims = { email: boss.email };
    expect((await server.enter("/auth/oidc?proof=1", boss.browser)).to).toBe("/sign-in?refused=expired");
    expect(
      await server.database.sql`select from user_session where user_id = ${boss.id} and proven_at > now() - interval '10 minutes'`,
    ).toEqual([]);
  });
});
