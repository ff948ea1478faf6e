import { beforeAll, describe, expect, it } from "vitest";
import {
  addMember,
  callProcedure,
  openAdmin,
  openAdminOn,
  type OpenAdmin,
  password,
  refusal,
  serverSent,
  signedIn,
} from "../../../test/support/admin.ts";
import { heldUp, userLock } from "../../../test/support/held-up.ts";
import { shared } from "../../../test/support/shared.ts";

type Owner = Awaited<ReturnType<OpenAdmin["signUp"]>>;

describe("a person of two accounts", () => {
  let [first, second] = [] as unknown as [Owner, Owner];
  let made = 0;
  const admin = shared(async () => openAdmin());
  const another = shared(async () => openAdminOn(admin.databaseUrl));
  const elsewhere = (token?: string) => another.client(token);
  beforeAll(async () => {
    first = await admin.signUp();
    second = await admin.signUp();
  });

  const accountOf = async ({ client }: Pick<Owner, "client">) => (await client.auth.me.query()).account.id;
  const invite = async (owner: Owner, email: string, role: "viewer" | "operator" | "owner" = "viewer") =>
    (await owner.client.users.invite.mutate({ email, role })).token;
  const accept = (token: string, by = password) =>
    signedIn(admin.client().users.acceptInvite.mutate({ token, name: "Another name", password: by }));
  const logIn = async (email: string, by = password) => {
    const { token } = await signedIn(admin.client().auth.login.mutate({ email, password: by }));
    return { token, client: admin.client(token) };
  };
  /** A person who is operator of the first account and viewer of the second, with a session that works in the second. */
  const both = async (role: "operator" | "owner" = "operator") => {
    const member = await addMember(admin, first.client, role, `both-${(made += 1)}@example.com`);
    const { token } = await accept(await invite(second, member.email));
    return { ...member, inFirst: member.client, inSecond: admin.client(token), secondToken: token };
  };

  it("joins the second with their own password, which neither changes nor is told", async () => {
    const member = await addMember(admin, first.client, "operator", "joins@example.com");
    const token = await invite(second, "JOINS@example.com");
    expect(await refusal(accept(token, "a new password of mine"))).toMatchObject({ code: "BAD_REQUEST", issues: [{ path: ["password"] }] });
    expect((await second.client.users.list.query()).items.map(({ email }) => email)).not.toContain(member.email);
    const joined = await accept(token);
    expect(joined.user).toEqual({ ...member.user, role: "viewer" });
    expect((await refusal(accept(token))).code).toBe("NOT_FOUND");
    await logIn(member.email);
    expect((await second.client.users.list.query()).items[0]).toMatchObject({ id: member.user.id, name: "The operator", role: "viewer" });
  });

  it("leaves behind the passkeys made since an owner of the first could set their password", async () => {
    const member = await addMember(admin, first.client, "operator", "planted@example.com");
    const addPasskey = (name: string) =>
      admin.sql`insert into passkey (id, user_id, name, credential_id, public_key, counter, transports)
        values (gen_random_uuid(), ${member.user.id}, ${name}, ${name}, '', 0, '{}')`;
    await addPasskey("their own");
    await first.client.users.resetPassword.mutate({ id: member.user.id });
    await addPasskey("planted");
    await accept(await invite(second, member.email));
    expect(await admin.sql`select name from passkey where user_id = ${member.user.id}`).toEqual([{ name: "their own" }]);
  });

  it("belongs to no more than a hundred accounts, also when two invitations are accepted at the same moment", async () => {
    const { user, email } = await addMember(admin, first.client, "viewer", "many@example.com");
    await admin.sql`
      with more as (insert into account (id, name, verify_token) select gen_random_uuid(), 'Shop', 'x' from generate_series(1, 98) returning id)
      insert into membership (id, user_id, account_id, role) select gen_random_uuid(), ${user.id}, id, 'viewer' from more`;
    const tokens = [await invite(second, email), await invite(await admin.signUp(), email)];
    const joining = await heldUp(admin.sql, userLock(user.id), tokens.length, () => tokens.map((token) => accept(token)));
    expect((await Promise.allSettled(joining)).map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  });

  it("works in one of them at a time, with the role that they have there", async () => {
    const { inFirst, inSecond, email } = await both();
    const [a, b] = [await accountOf(first), await accountOf(second)];
    const me = await inSecond.auth.me.query();
    expect(me).toMatchObject({ user: { role: "viewer" }, account: { id: b } });
    expect(me.accounts.toSorted((one, other) => one.role.localeCompare(other.role))).toEqual([
      { id: a, name: "Shop", role: "operator" },
      { id: b, name: "Shop", role: "viewer" },
    ]);
    const shop = { name: "Shop", url: "https://shop.example", sourceType: "generic" } as const;
    const { site } = await inFirst.sites.create.mutate(shop);
    expect((await refusal(inSecond.sites.create.mutate(shop))).code).toBe("FORBIDDEN");
    expect((await refusal(inSecond.sites.get.query({ id: site.id }))).code).toBe("NOT_FOUND");
    expect(await inSecond.auth.switchAccount.mutate({ accountId: a })).toEqual({ account: { id: a } });
    expect((await inSecond.sites.get.query({ id: site.id })).site.id).toBe(site.id);
    // The other session stays where it was, and the next sign-in opens the account that was chosen last.
    await inFirst.auth.switchAccount.mutate({ accountId: b });
    expect(await accountOf(await logIn(email))).toBe(b);
    expect(await accountOf({ client: inSecond })).toBe(a);
    expect((await refusal(first.client.auth.switchAccount.mutate({ accountId: b }))).code).toBe("NOT_FOUND");
  });

  it("makes access tokens for one account, which do not tell of the other nor switch, and end with the membership", async () => {
    const { inFirst, inSecond, user } = await both();
    const { token } = await inFirst.tokens.create.mutate({ name: "x", role: "operator" });
    const [a, b] = [await accountOf(first), await accountOf(second)];
    await inFirst.auth.switchAccount.mutate({ accountId: b });
    const program = admin.client(token);
    expect(await program.auth.me.query()).toMatchObject({ account: { id: a }, accounts: [{ id: a }], user: { role: "operator" } });
    expect((await program.auth.me.query()).accounts).toHaveLength(1);
    expect((await refusal(program.auth.switchAccount.mutate({ accountId: b }))).code).toBe("FORBIDDEN");
    await first.client.users.remove.mutate({ id: user.id });
    expect((await refusal(program.auth.me.query())).code).toBe("UNAUTHORIZED");
    expect((await inSecond.auth.me.query()).accounts).toHaveLength(1);
  });

  it("is removed from one: what works there ends, the rest goes on; removed from the last, they are gone", async () => {
    const { inFirst, inSecond, secondToken, token, user, email } = await both();
    const view = serverSent(`${admin.url}/trpc/events.tail`, { authorization: `Bearer ${token}` });
    await view.next();
    await first.client.users.remove.mutate({ id: user.id });
    let last = "";
    for await (const { event, data } of view)
      if (event === "serialized-error") last = (JSON.parse(data) as { data: { code: string } }).data.code;
    expect(last).toBe("UNAUTHORIZED");
    expect((await refusal(inFirst.auth.me.query())).code).toBe("UNAUTHORIZED");
    expect((await inSecond.auth.me.query()).account.id).toBe(await accountOf(second));
    expect((await refusal(first.client.users.remove.mutate({ id: user.id }))).code).toBe("NOT_FOUND");
    await logIn(email);
    await second.client.users.remove.mutate({ id: user.id });
    expect((await callProcedure(admin, "auth.me", {}, secondToken)).code).toBe("UNAUTHORIZED");
    expect(await admin.sql`select id from app_user where id = ${user.id}`).toEqual([]);
  });

  it("is gone when both accounts remove them at once, and stays when one does while the other lets them in", async () => {
    for (let round = 0; round < 5; round += 1) {
      const { user, email } = await both();
      const removals = [first.client, elsewhere(second.token)].map(async (client) => client.users.remove.mutate({ id: user.id }));
      await Promise.all(removals);
      expect(await admin.sql`select id from app_user where id = ${user.id}`).toEqual([]);
      const member = await addMember(admin, first.client, "viewer", email);
      const link = await invite(second, email);
      const [removed, joined] = await Promise.allSettled([first.client.users.remove.mutate({ id: member.user.id }), accept(link)]);
      expect(removed.status).toBe("fulfilled");
      const left = await admin.sql`select account_id from membership where user_id = ${member.user.id}`;
      expect([round, left.length]).toEqual([round, joined.status === "fulfilled" && joined.value.user.id === member.user.id ? 1 : 0]);
      await admin.sql`delete from app_user where lower(email) = ${email}`;
    }
  });

  it("cannot be taken over by an owner of one of them: no reset link opens the other", async () => {
    const { user, email } = await both("owner");
    expect((await refusal(first.client.users.resetPassword.mutate({ id: user.id }))).code).toBe("CONFLICT");
    expect((await refusal(first.client.users.resetSecondFactor.mutate({ id: user.id }))).code).toBe("CONFLICT");
    // A link that was made before they joined does not work either.
    const member = await addMember(admin, first.client, "viewer", `before-${email}`);
    const link = await first.client.users.resetPassword.mutate({ id: member.user.id });
    await accept(await invite(second, member.email));
    const stolen = { token: link.token, password: "the attacker's own words" };
    expect((await refusal(admin.client().auth.resetPassword.mutate(stolen))).code).toBe("NOT_FOUND");
    await logIn(member.email);
  });

  it("has a password of one owner's link, or a second account, never both, whichever comes first", async () => {
    for (let round = 0; round < 6; round += 1) {
      const member = await addMember(admin, first.client, "viewer", `race-${round}@example.com`);
      const link = await first.client.users.resetPassword.mutate({ id: member.user.id });
      const token = await invite(second, member.email);
      const outcomes = await Promise.allSettled([
        elsewhere().auth.resetPassword.mutate({ token: link.token, password: "the attacker's own words" }),
        accept(token),
      ]);
      expect([round, outcomes.filter(({ status }) => status === "fulfilled").length]).toEqual([round, 1]);
    }
  });

  it("is not guessed by whoever holds an invitation: wrong tries count as those of a sign-in do", async () => {
    const { email } = await addMember(admin, first.client, "viewer", "guessed@example.com");
    const token = await invite(second, email);
    const codes = [];
    for (let tries = 0; tries < 11; tries += 1) codes.push((await refusal(accept(token, `not the password ${tries}`))).code);
    expect(codes.slice(-2)).toEqual(["BAD_REQUEST", "TOO_MANY_REQUESTS"]);
    expect((await refusal(logIn(email))).code).toBe("TOO_MANY_REQUESTS");
    await expect
      .poll(
        async () =>
          (await first.client.audit.list.query({ action: "auth.failedLogin" })).items.filter((item) => item.actor === email).length,
      )
      .toBe(10);
  });

  it("is an owner of each by itself: the last one of an account stays, whatever they are elsewhere", async () => {
    const [a, b] = [await admin.signUp(), await admin.signUp()];
    await accept(await invite(b, a.email, "owner"));
    expect((await refusal(a.client.users.remove.mutate({ id: a.user.id }))).code).toBe("CONFLICT");
    for (let round = 0; round < 5; round += 1) {
      const inB = await logIn(a.email);
      await inB.client.auth.switchAccount.mutate({ accountId: await accountOf(b) });
      await Promise.allSettled([
        b.client.users.setRole.mutate({ id: a.user.id, role: "viewer" }),
        elsewhere(inB.token).users.setRole.mutate({ id: b.user.id, role: "viewer" }),
      ]);
      const owners = await admin.sql`select user_id from membership where account_id = ${await accountOf(b)} and role = 'owner'`;
      expect([round, owners.length]).toEqual([round, 1]);
      await admin.sql`update membership set role = 'owner' where account_id = ${await accountOf(b)}`;
    }
  });
});
