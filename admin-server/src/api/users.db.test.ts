import type { Sql } from "shared/db/statement";
import { beforeAll, expect, it, describe } from "vitest";
import { addMember, openAdmin, type OpenAdmin, password, signedIn, refusal } from "../../../test/support/admin.ts";
import { heldUp } from "../../../test/support/held-up.ts";
import { shared } from "../../../test/support/shared.ts";

const admin = shared(async () => openAdmin());

describe("invitations", () => {
  const accept = async (token: string) => signedIn(admin.client().users.acceptInvite.mutate({ token, name: "Bob", password }));

  it("are two hundred at most; a further one of the same address takes the place of its own", async () => {
    const owner = await admin.signUp();
    const email = "first@example.com";
    const { id } = await owner.client.users.invite.mutate({ email, role: "viewer" });
    await admin.sql`
      insert into invite (id, account_id, created_by, email, role, token_hash, expires_at)
      select gen_random_uuid(), account_id, created_by, number || email, role, sha256(number::text::bytea || token_hash), expires_at
      from invite, generate_series(1, 199) number where id = ${id}`;
    const further = { email: "further@example.com", role: "viewer" } as const;
    expect((await refusal(owner.client.users.invite.mutate(further))).code).toBe("CONFLICT");
    const { id: latest } = await owner.client.users.invite.mutate({ email, role: "viewer" });
    await owner.client.users.invites.revoke.mutate({ id: latest });
    await owner.client.users.invite.mutate(further);
  });

  it("are listed until they are accepted, newest first, without what they could be accepted by", async () => {
    const owner = await admin.signUp();
    const made = [];
    for (const email of ["one@example.com", "two@example.com", "three@example.com"])
      made.unshift(await owner.client.users.invite.mutate({ email, role: "operator" }));
    const first = await owner.client.users.invites.list.query({ limit: 2 });
    const second = await owner.client.users.invites.list.query({ limit: 2, cursor: first.nextCursor });
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(made.map(({ id }) => id));
    expect(second.nextCursor).toBeNull();
    expect(first.items[0]).toEqual({
      id: made[0]?.id,
      email: "three@example.com",
      role: "operator",
      createdBy: owner.user.id,
      createdAt: expect.any(String),
      expiresAt: made[0]?.expiresAt,
    });
    await accept(made[1]?.token ?? "");
    expect((await owner.client.users.invites.list.query()).items.map(({ email }) => email)).toEqual([
      "three@example.com",
      "one@example.com",
    ]);
    expect((await refusal(owner.client.users.invites.list.query({ cursor: "made-up" }))).code).toBe("BAD_REQUEST");
  });

  it("stay listed when they are too old, so that they can be made again", async () => {
    const owner = await admin.signUp();
    const { id } = await owner.client.users.invite.mutate({ email: "old@example.com", role: "viewer" });
    await admin.sql`update invite set expires_at = now() where id = ${id}`;
    expect((await owner.client.users.invites.list.query()).items.map((invite) => invite.id)).toEqual([id]);
  });

  it("cannot be accepted once they are taken back, nor taken back once they are accepted", async () => {
    const owner = await admin.signUp();
    const { id, token } = await owner.client.users.invite.mutate({ email: "revoked@example.com", role: "owner" });
    expect(await owner.client.users.invites.revoke.mutate({ id })).toEqual({ id });
    expect((await refusal(accept(token))).code).toBe("NOT_FOUND");
    expect((await refusal(owner.client.users.invites.revoke.mutate({ id }))).code).toBe("NOT_FOUND");
    const other = await owner.client.users.invite.mutate({ email: "accepted@example.com", role: "viewer" });
    await accept(other.token);
    expect((await refusal(owner.client.users.invites.revoke.mutate({ id: other.id }))).code).toBe("NOT_FOUND");
  });

  it("end in one of the two when both are tried at once", async () => {
    const owner = await admin.signUp();
    for (let round = 0; round < 5; round += 1) {
      const email = `both-${round}@example.com`;
      const { id, token } = await owner.client.users.invite.mutate({ email, role: "viewer" });
      const [joined, revoked] = await Promise.allSettled([accept(token), owner.client.users.invites.revoke.mutate({ id })]);
      expect([joined.status, revoked.status].filter((status) => status === "fulfilled")).toHaveLength(1);
      const members = (await owner.client.users.list.query()).items.filter((user) => user.email === email);
      expect(members).toHaveLength(joined.status === "fulfilled" ? 1 : 0);
    }
  });

  it("let one person in, however many servers are asked at once", async () => {
    const owner = await admin.signUp();
    const { token } = await owner.client.users.invite.mutate({ email: "many@example.com", role: "viewer" });
    const answers = await Promise.allSettled(Array.from({ length: 6 }, async () => accept(token)));
    expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect((await owner.client.users.list.query()).items.filter(({ email }) => email === "many@example.com")).toHaveLength(1);
  });

  it("of somebody who is no owner any more do not count", async () => {
    const owner = await admin.signUp();
    const other = await addMember(admin, owner.client, "owner", "was-owner@example.com");
    const { token } = await other.client.users.invite.mutate({ email: "friend@example.com", role: "owner" });
    await owner.client.users.setRole.mutate({ id: other.user.id, role: "operator" });
    expect((await refusal(accept(token))).code).toBe("NOT_FOUND");
    await owner.client.users.setRole.mutate({ id: other.user.id, role: "owner" });
    expect((await accept(token)).user.role).toBe("owner");
  });
});

const chosen = "a password that was chosen anew";

describe("a password reset by an owner", () => {
  let owner: Awaited<ReturnType<OpenAdmin["signUp"]>>;
  let made = 0;
  beforeAll(async () => {
    owner = await admin.signUp();
  });
  const member = async (role: "operator" | "owner" = "operator") =>
    addMember(admin, owner.client, role, `member-${(made += 1)}@example.com`);
  const resetOf = async (id: string, by = owner.client) => by.users.resetPassword.mutate({ id });
  const use = async (token: string, to = chosen) => signedIn(admin.client().auth.resetPassword.mutate({ token, password: to }));
  const logIn = async (email: string, by: string) => signedIn(admin.client().auth.login.mutate({ email, password: by }));

  it("leaves nothing that was opened before or at the same moment: no token, no invitation, no link for somebody else", async () => {
    const thief = await member("owner");
    const other = await member();
    await resetOf(other.user.id, thief.client);
    const { token } = await resetOf(thief.user.id);
    const [account] = await admin.sql<[{ id: string }]>`select account_id as id from membership where user_id = ${thief.user.id}`;
    const hold = (sql: Sql) => sql`select id from account where id = ${account.id} for update`;
    const calls = await heldUp<unknown>(admin.sql, hold, 2, () => [
      thief.client.tokens.create.mutate({ name: "x", role: "owner" }),
      thief.client.users.invite.mutate({ email: "friend@example.com", role: "owner" }),
      resetOf(other.user.id, thief.client),
      use(token),
    ]);
    expect((await Promise.allSettled(calls)).at(-1)?.status).toBe("fulfilled");
    const left = await admin.sql`
      select 'token' as what from access_token where created_by = ${thief.user.id}
      union all select 'invitation' from invite where created_by = ${thief.user.id}
      union all select 'link' from password_reset where created_by = ${thief.user.id}`;
    expect(left).toEqual([]);
  });

  it("is a link by which the person chooses one, which ends their sessions and signs them in", async () => {
    const { user, email, client } = await member();
    const access = await client.tokens.create.mutate({ name: "CI", role: "viewer" });
    const { id, token, url, expiresAt } = await resetOf(user.id);
    expect([id, url]).toEqual([user.id, `http://admin.example/reset-password#${token}`]);
    expect(Math.abs(Date.parse(expiresAt) - Date.now() - 86_400_000)).toBeLessThan(60_000);
    expect((await admin.sql`select token_hash from password_reset where user_id = ${user.id}`)[0]?.["token_hash"]).not.toContain(token);
    // Nothing changes until the link is used.
    expect((await client.auth.me.query()).user).toMatchObject(user);
    expect((await logIn(email, password)).user).toEqual(user);

    const answer = await admin.call("auth.resetPassword", { token, password: chosen });
    expect(answer.headers.get("set-cookie")).toContain("tidings_session=");
    const entered = ((await answer.json()) as { result: { data: { token: string; user: typeof user } } }).result.data;
    expect(entered.user).toEqual(user);
    expect((await admin.client(entered.token).auth.me.query()).user).toMatchObject(user);
    expect((await refusal(client.auth.me.query())).code).toBe("UNAUTHORIZED");
    expect((await refusal(logIn(email, password))).code).toBe("UNAUTHORIZED");
    expect((await logIn(email, chosen)).user).toEqual(user);
    expect((await refusal(admin.client(access.token).auth.me.query())).code).toBe("UNAUTHORIZED");
  });

  it("works once, however often it is used at once", async () => {
    const { user } = await member();
    const { token } = await resetOf(user.id);
    const answers = await Promise.allSettled(Array.from({ length: 4 }, async (_, n) => use(token, `${chosen} ${n}`)));
    expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect((await refusal(use(token))).code).toBe("NOT_FOUND");
  });

  it("ends with the next link, with its time, with a change of the password, and with who made it", async () => {
    const { user, client } = await member();
    const first = await resetOf(user.id);
    const second = await resetOf(user.id);
    expect((await refusal(use(first.token))).code).toBe("NOT_FOUND");
    await admin.sql`update password_reset set expires_at = now() where user_id = ${user.id}`;
    expect((await refusal(use(second.token))).code).toBe("NOT_FOUND");

    const third = await resetOf(user.id);
    await client.auth.changePassword.mutate({ currentPassword: password, newPassword: chosen });
    expect((await refusal(use(third.token))).code).toBe("NOT_FOUND");

    const other = await member("owner");
    const fourth = await resetOf(user.id, other.client);
    await owner.client.users.setRole.mutate({ id: other.user.id, role: "viewer" });
    expect((await refusal(use(fourth.token))).code).toBe("NOT_FOUND");
    await owner.client.users.remove.mutate({ id: other.user.id });
    expect(await admin.sql`select user_id from password_reset where user_id = ${user.id}`).toEqual([]);
  });

  it("keeps to the rules for passwords, and a refused one uses nothing up", async () => {
    const { user } = await member();
    const { token } = await resetOf(user.id);
    for (const weak of ["short pwd", "password123"])
      expect(await refusal(use(token, weak))).toMatchObject({ code: "BAD_REQUEST", issues: [{ path: ["password"] }] });
    expect((await use(token)).user).toEqual(user);
    expect((await refusal(use("made-up"))).code).toBe("NOT_FOUND");
  });

  it("is not for oneself: a stolen session must not be enough", async () => {
    expect((await refusal(resetOf(owner.user.id))).code).toBe("CONFLICT");
    const other = await member("owner");
    expect((await resetOf(owner.user.id, other.client)).id).toBe(owner.user.id);
  });
});

describe("users", () => {
  const accept = async (token: string, name = "Bob") => signedIn(admin.client().users.acceptInvite.mutate({ token, name, password }));

  it("are invited by link and join with the role they were given", async () => {
    const owner = await admin.signUp();
    const invitation = await owner.client.users.invite.mutate({ email: "bob@example.com", role: "viewer" });
    expect(invitation.url).toBe(`http://admin.example/invite#${invitation.token}`);
    const answer = await admin.call("users.acceptInvite", { token: invitation.token, name: "Bob", password });
    expect(answer.headers.get("set-cookie")).toContain("tidings_session=");
    const joined = ((await answer.json()) as { result: { data: Awaited<ReturnType<typeof accept>> } }).result.data;
    expect(joined.user).toEqual({ id: expect.any(String), email: "bob@example.com", name: "Bob", role: "viewer" });
    const me = await admin.client(joined.token).auth.me.query();
    expect(me.account).toEqual((await owner.client.auth.me.query()).account);
    const { items } = await owner.client.users.list.query();
    expect(items).toEqual([
      { ...joined.user, createdAt: expect.any(String) },
      { ...owner.user, createdAt: expect.any(String) },
    ]);
    expect((await refusal(accept(invitation.token))).code).toBe("NOT_FOUND");
  });

  it("cannot join with a link that was replaced, is too old, or was made by somebody who left", async () => {
    const owner = await admin.signUp();
    const invite = async (email: string, by = owner.client) => (await by.users.invite.mutate({ email, role: "viewer" })).token;
    const first = await invite("late@example.com");
    const second = await invite("LATE@example.com");
    expect((await refusal(accept(first))).code).toBe("NOT_FOUND");
    await admin.sql`update invite set expires_at = now() where email = 'LATE@example.com'`;
    expect((await refusal(accept(second))).code).toBe("NOT_FOUND");
    const other = await addMember(admin, owner.client, "owner", "gone@example.com");
    const orphan = await invite("orphan@example.com", other.client);
    await owner.client.users.remove.mutate({ id: other.user.id });
    expect((await refusal(accept(orphan))).code).toBe("NOT_FOUND");
  });

  it("are not invited to their own account; inviting tells nothing of others", async () => {
    const owner = await admin.signUp();
    const stranger = await admin.signUp();
    expect((await refusal(owner.client.users.invite.mutate({ email: owner.email, role: "viewer" }))).code).toBe("CONFLICT");
    await owner.client.users.invite.mutate({ email: stranger.email, role: "viewer" });
    expect((await owner.client.users.list.query()).items).toHaveLength(1);
  });

  it("never lose their last owner", async () => {
    const owner = await admin.signUp();
    await addMember(admin, owner.client, "operator", "not-owner@example.com");
    const { id } = owner.user;
    expect((await refusal(owner.client.users.remove.mutate({ id }))).code).toBe("CONFLICT");
    expect((await refusal(owner.client.users.setRole.mutate({ id, role: "operator" }))).code).toBe("CONFLICT");
    expect((await owner.client.users.setRole.mutate({ id, role: "owner", ifRole: "owner" })).user.role).toBe("owner");
    const second = await addMember(admin, owner.client, "owner", "second-owner@example.com");
    // Of several who change what they have read at the same moment, one does.
    const asked = { id: second.user.id, role: "viewer" as const, ifRole: "owner" as const };
    const raced = await Promise.allSettled([0, 1, 2].map(() => owner.client.users.setRole.mutate(asked)));
    expect(raced.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const { name } = (await owner.client.users.list.query()).items.find((each) => each.id === id) ?? {};
    const { data: told } = raced.flatMap((each) => (each.status === "rejected" ? [each.reason] : []))[0];
    expect(told).toMatchObject({ code: "CONFLICT", changedBy: owner.email, changedByName: name });
    await owner.client.users.setRole.mutate({ id: second.user.id, role: "owner" });
    const both = await Promise.all([
      admin.call("users.setRole", { id, role: "viewer" }, { authorization: `Bearer ${second.token}` }),
      admin.call("users.remove", { id: second.user.id }, { authorization: `Bearer ${owner.token}` }),
    ]);
    expect(both.filter((answer) => answer.status === 200)).toHaveLength(1);
    const [account] = await admin.sql`select account_id from membership where user_id = ${id} or user_id = ${second.user.id}`;
    const owners = await admin.sql`select id from membership where account_id = ${account?.["account_id"]} and role = 'owner'`;
    expect(owners).toHaveLength(1);
  });

  it("do not join with a weak password or a made-up link", async () => {
    const owner = await admin.signUp();
    const { token } = await owner.client.users.invite.mutate({ email: "weak@example.com", role: "viewer" });
    const weak = await refusal(admin.client().users.acceptInvite.mutate({ token, name: "A", password: "password123" }));
    expect(weak).toMatchObject({ code: "BAD_REQUEST", issues: [{ path: ["password"] }] });
    expect((await refusal(accept("made-up"))).code).toBe("NOT_FOUND");
    expect((await accept(token)).user.email).toBe("weak@example.com");
  });
});
