import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addMember } from "../../../../test/support/admin/add-member.ts";
import { openAdmin, password, type OpenAdmin } from "../../../../test/support/admin/open-admin.ts";
import { refusal } from "../../../../test/support/admin/refusal.ts";

const chosen = "a password that was chosen anew";

describe("a password reset by an owner", () => {
  let admin: OpenAdmin;
  let owner: Awaited<ReturnType<OpenAdmin["signUp"]>>;
  let made = 0;
  beforeAll(async () => {
    admin = await openAdmin();
    owner = await admin.signUp();
  });
  afterAll(async () => admin[Symbol.asyncDispose]());
  const member = async (role: "operator" | "owner" = "operator") =>
    addMember(admin, owner.client, role, `member-${(made += 1)}@example.com`);
  const resetOf = async (id: string, by = owner.client) => by.users.resetPassword.mutate({ id });
  const use = async (token: string, to = chosen) => admin.client().auth.resetPassword.mutate({ token, password: to });
  const logIn = async (email: string, by: string) => admin.client().auth.login.mutate({ email, password: by });

  it("is a link by which the person chooses one, which ends their sessions and signs them in", async () => {
    const { user, email, client } = await member();
    const access = await client.tokens.create.mutate({ name: "CI", role: "viewer" });
    const { id, token, url, expiresAt } = await resetOf(user.id);
    expect([id, url]).toEqual([user.id, `http://admin.example/reset-password#${token}`]);
    expect(Math.abs(Date.parse(expiresAt) - Date.now() - 86_400_000)).toBeLessThan(60_000);
    expect((await admin.sql`select token_hash from password_reset where user_id = ${user.id}`)[0]?.["token_hash"]).not.toContain(token);
    // Until it is used nothing changes.
    expect((await client.auth.me.query()).user).toEqual(user);
    expect((await logIn(email, password)).user).toEqual(user);

    const answer = await admin.call("auth.resetPassword", { token, password: chosen });
    expect(answer.headers.get("set-cookie")).toContain("tidings_session=");
    const signedIn = ((await answer.json()) as { result: { data: { token: string; user: typeof user } } }).result.data;
    expect(signedIn.user).toEqual(user);
    expect((await admin.client(signedIn.token).auth.me.query()).user).toEqual(user);
    expect((await refusal(client.auth.me.query())).code).toBe("UNAUTHORIZED");
    expect((await refusal(logIn(email, password))).code).toBe("UNAUTHORIZED");
    expect((await logIn(email, chosen)).user).toEqual(user);
    expect((await admin.client(access.token).auth.me.query()).user.id).toBe(user.id);
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
    for (const weak of ["short pwd", "password123"]) {
      expect(await refusal(use(token, weak))).toMatchObject({ code: "BAD_REQUEST", issues: [{ path: ["password"] }] });
    }
    expect((await use(token)).user).toEqual(user);
    expect((await refusal(use("made-up"))).code).toBe("NOT_FOUND");
  });

  it("is not for oneself: a stolen session must not be enough", async () => {
    expect((await refusal(resetOf(owner.user.id))).code).toBe("CONFLICT");
    const other = await member("owner");
    expect((await resetOf(owner.user.id, other.client)).id).toBe(owner.user.id);
  });
});
