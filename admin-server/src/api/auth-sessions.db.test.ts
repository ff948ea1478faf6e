import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openAdmin, password, type OpenAdmin } from "../../../test/support/admin.ts";
import { refusal } from "../../../test/support/admin.ts";

describe("auth.sessions", () => {
  let admin: OpenAdmin;
  beforeAll(async () => {
    admin = await openAdmin({ trustProxy: true });
  });
  afterAll(async () => admin[Symbol.asyncDispose]());
  const logIn = async (email: string, address: string, userAgent: string): Promise<string> => {
    const answer = await admin.call("auth.login", { email, password }, { "user-agent": userAgent, "x-forwarded-for": address });
    return ((await answer.json()) as { result: { data: { token: string } } }).result.data.token;
  };

  it("tells of each when it began and was last used, from where, by what, and which one asks", async () => {
    const { email, client } = await admin.signUp();
    const token = await logIn(email, "203.0.113.7", "Firefox");
    const { items } = await admin.client(token).auth.sessions.query();
    expect(items).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        createdAt: expect.any(String),
        lastUsedAt: expect.any(String),
        expiresAt: expect.any(String),
        address: "203.0.113.7",
        userAgent: "Firefox",
        current: true,
      },
      expect.objectContaining({ address: "127.0.0.1", current: false }),
    ]);
    const access = await client.tokens.create.mutate({ name: "CI", role: "viewer" });
    expect((await admin.client(access.token).auth.sessions.query()).items.map(({ current }) => current)).toEqual([false, false]);
    const first = await client.auth.sessions.query({ limit: 1 });
    const second = await client.auth.sessions.query({ limit: 1, cursor: first.nextCursor });
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(items.map(({ id }) => id));
  });

  it("notes the last use, once a minute", async () => {
    const { email } = await admin.signUp();
    const token = await logIn(email, "203.0.113.7", "Firefox");
    const use = async (address: string) =>
      admin.fetch("/trpc/auth.sessions", {
        headers: { authorization: `Bearer ${token}`, "user-agent": "Opera", "x-forwarded-for": address },
      });
    const row = async () =>
      (
        await admin.sql`select address, user_agent, last_used_at > now() - interval '30 seconds' as recent from user_session
        where user_agent in ('Firefox', 'Opera') and user_id = (select id from app_user where email = ${email})`
      )[0];
    await use("203.0.113.8");
    expect(await row()).toEqual({ address: "203.0.113.7", user_agent: "Firefox", recent: true });
    await admin.sql`update user_session set last_used_at = now() - interval '61 seconds' where user_agent = 'Firefox'`;
    expect((await use("203.0.113.9")).status).toBe(200);
    expect(await row()).toEqual({ address: "203.0.113.9", user_agent: "Opera", recent: true });
  });

  it("keeps a long or odd user agent within bounds", async () => {
    const { email } = await admin.signUp();
    const token = await logIn(email, "203.0.113.7", `\u00e9${"x".repeat(2_000)}`);
    const [session] = (await admin.client(token).auth.sessions.query()).items;
    expect(session?.userAgent).toHaveLength(300);
  });

  it("does not show what has ended", async () => {
    const { email, client } = await admin.signUp();
    await logIn(email, "203.0.113.7", "Old");
    await admin.sql`update user_session set expires_at = now() where user_agent = 'Old'`;
    expect((await client.auth.sessions.query()).items).toHaveLength(1);
  });

  it("one of them is signed out, and the others stay", async () => {
    const { email, client, token } = await admin.signUp();
    const other = await logIn(email, "203.0.113.7", "Phone");
    const [phone, mine] = (await client.auth.sessions.query()).items.map(({ id }) => id);
    expect(await client.auth.revokeSession.mutate({ id: phone ?? "" })).toEqual({ id: phone });
    expect((await refusal(admin.client(other).auth.me.query())).code).toBe("UNAUTHORIZED");
    expect((await client.auth.me.query()).user.email).toBe(email);
    expect((await refusal(client.auth.revokeSession.mutate({ id: phone ?? "" }))).code).toBe("NOT_FOUND");

    const stranger = await admin.signUp();
    expect((await refusal(stranger.client.auth.revokeSession.mutate({ id: mine ?? "" }))).code).toBe("NOT_FOUND");
    const answer = await admin.call("auth.revokeSession", { id: mine }, { authorization: `Bearer ${token}` });
    expect(answer.headers.get("set-cookie")).toContain("tidings_session=; ");
    expect((await refusal(client.auth.me.query())).code).toBe("UNAUTHORIZED");
  });

  it("none that the old password opened outlives a change of it, not even one that was being opened", async () => {
    const { email, client, user } = await admin.signUp();
    let current = password;
    for (let round = 0; round < 3; round += 1) {
      const newPassword = `another long password ${round}`;
      const opened = Array.from({ length: 3 }, async () => admin.client().auth.login.mutate({ email, password: current }));
      const [, ...logins] = await Promise.allSettled([
        client.auth.changePassword.mutate({ currentPassword: current, newPassword }),
        ...opened,
      ]);
      const use = async (login: (typeof logins)[number]) => {
        if (login.status === "rejected") throw login.reason;
        return admin.client(login.value.token).auth.me.query();
      };
      const codes = await Promise.all(logins.map(async (login) => (await refusal(use(login))).code));
      expect(codes).toEqual(["UNAUTHORIZED", "UNAUTHORIZED", "UNAUTHORIZED"]);
      expect(await admin.sql`select id from user_session where user_id = ${user.id}`).toHaveLength(1);
      current = newPassword;
    }
  });
});
