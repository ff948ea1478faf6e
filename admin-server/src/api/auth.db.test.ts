import { createHash } from "node:crypto";
import { demoEmail } from "shared/core/example";
import { describe, expect, it } from "vitest";
import { openAdmin, password, signedIn, refusal } from "../../../test/support/admin.ts";
import { shared } from "../../../test/support/shared.ts";

describe("auth", () => {
  const admin = shared(async () => openAdmin({ trustProxy: true }));

  it("signs an owner up, in, and out", async () => {
    const { email, token, user, client } = await admin.signUp();
    expect(user).toEqual({ id: expect.any(String), email, name: email.split("@")[0], role: "owner" });
    const account = { id: expect.any(String), name: "Shop" };
    expect(await client.auth.me.query()).toMatchObject({ user, account, accounts: [{ ...account, role: "owner" }] });
    const again = await signedIn(admin.client().auth.login.mutate({ email: ` ${email.toUpperCase()} `, password }));
    expect(again.user).toEqual(user);
    expect(again.token).not.toBe(token);
    expect(await client.auth.logout.mutate()).toEqual({});
    expect((await refusal(client.auth.me.query())).code).toBe("UNAUTHORIZED");
    expect((await admin.client(again.token).auth.me.query()).user).toEqual({ ...user, emailProven: true });
  });

  it("says whether somebody is signed in, and refuses nobody that answer", async () => {
    const { token, client } = await admin.signUp();
    const signedIn = async (bearer?: string) => (await admin.client(bearer).auth.state.query()).signedIn;
    expect(await signedIn(token)).toBe(true);
    expect(await signedIn((await client.tokens.create.mutate({ name: "a", role: "viewer" })).token)).toBe(true);
    expect(await signedIn()).toBe(false);
    expect(await signedIn("made up")).toBe(false);
    await client.auth.logout.mutate();
    expect(await signedIn(token)).toBe(false);
  });

  it("hints at the demo while its owner is the only user, and on this machine alone", async () => {
    await using fresh = await openAdmin({ trustProxy: true, isSandbox: true, sandboxControlToken: "token" });
    const hint = async (address?: string) => {
      const headers = address === undefined ? {} : { "x-forwarded-for": address };
      const answer = await fetch(`${fresh.url}/trpc/auth.state`, { headers });
      return ((await answer.json()) as { result: { data: { demo: boolean } } }).result.data.demo;
    };
    expect(await hint()).toBe(false);
    const { client } = await fresh.signUp(demoEmail);
    expect(await hint()).toBe(true);
    expect(await hint("203.0.113.9")).toBe(false);
    expect((await client.auth.state.query()).demo).toBe(false);
    await fresh.signUp();
    expect(await hint()).toBe(false);
  });

  it("keeps only digests of session tokens, and argon2id hashes of passwords", async () => {
    const { token, user } = await admin.signUp();
    const [session] = await admin.sql`select id from user_session where user_id = ${user.id}`;
    expect(session?.["id"]).toBe(createHash("sha256").update(token).digest("hex"));
    const [row] = await admin.sql`select password_hash from app_user where id = ${user.id}`;
    expect(row?.["password_hash"]).toMatch(/^\$argon2id\$v=19\$/);
    expect((await refusal(admin.client(session?.["id"]).auth.me.query())).code).toBe("UNAUTHORIZED");
  });

  it("answers alike whether the address or the password is wrong", async () => {
    const { email } = await admin.signUp();
    const known = await refusal(admin.client().auth.login.mutate({ email, password: "wrong password" }));
    const unknown = await refusal(admin.client().auth.login.mutate({ email: "nobody@example.com", password: "wrong password" }));
    const odd = await refusal(admin.client().auth.login.mutate({ email: "no address", password: "x" }));
    expect(known.code).toBe("UNAUTHORIZED");
    expect(unknown).toEqual(known);
    expect(odd).toEqual(known);
  });

  it.each(["short pwd", "password123", "1234567890", "QWERTYUIOP", "aaaaaaaaaa", "9876543210", "Summer2026!", "weak@example.com1"])(
    "refuses the password %s",
    async (weak) => {
      const answer = await refusal(admin.client().auth.signUp.mutate({ accountName: "A", email: "weak@example.com", password: weak }));
      expect(answer.code).toBe("BAD_REQUEST");
      expect(answer.issues).toEqual([
        { path: ["password"], code: "custom", message: expect.any(String), said: expect.objectContaining({ text: expect.any(String) }) },
      ]);
      expect(await admin.sql`select id from app_user where email = 'weak@example.com'`).toEqual([]);
    },
  );

  it("opens no second account for an address, in whatever case, and leaves nothing behind", async () => {
    const { email } = await admin.signUp();
    const before = await admin.sql`select id from account`;
    const answer = await refusal(admin.client().auth.signUp.mutate({ accountName: "B", email: email.toUpperCase(), password }));
    expect(answer.code).toBe("CONFLICT");
    expect(await admin.sql`select id from account`).toHaveLength(before.length);
  });

  it("changes the own password, which ends the other sessions", async () => {
    const { email, client } = await admin.signUp();
    const other = admin.client((await signedIn(admin.client().auth.login.mutate({ email, password }))).token);
    const wrong = await refusal(
      client.auth.changePassword.mutate({ currentPassword: "not this one", newPassword: "another long password" }),
    );
    expect(wrong).toMatchObject({ code: "BAD_REQUEST", issues: [{ path: ["currentPassword"] }] });
    await client.auth.changePassword.mutate({ currentPassword: password, newPassword: "another long password" });
    expect((await client.auth.me.query()).user.email).toBe(email);
    expect((await refusal(other.auth.me.query())).code).toBe("UNAUTHORIZED");
    expect((await refusal(admin.client().auth.login.mutate({ email, password }))).code).toBe("UNAUTHORIZED");
    expect((await signedIn(admin.client().auth.login.mutate({ email, password: "another long password" }))).user.email).toBe(email);
  });

  it("shows the own sessions and ends them all", async () => {
    const { email, client } = await admin.signUp();
    const other = admin.client((await signedIn(admin.client().auth.login.mutate({ email, password }))).token);
    const { items } = await other.auth.sessions.query();
    expect(items.map((session) => session.current)).toEqual([true, false]);
    await client.auth.signOutEverywhere.mutate();
    expect((await refusal(client.auth.me.query())).code).toBe("UNAUTHORIZED");
    expect((await refusal(other.auth.me.query())).code).toBe("UNAUTHORIZED");
  });

  it("ends a session with its time, and extends one that is past half of it", async () => {
    const { token, client, user } = await admin.signUp();
    await admin.sql`update user_session set expires_at = now() + interval '14 days' where user_id = ${user.id}`;
    const answer = await admin.fetch("/trpc/auth.me", { headers: { cookie: `tidings_session=${token}` } });
    expect(answer.headers.get("set-cookie")).toContain(`tidings_session=${token};`);
    const [row] = await admin.sql`select expires_at > now() + interval '29 days' as extended from user_session where user_id = ${user.id}`;
    expect(row?.["extended"]).toBe(true);
    await admin.sql`update user_session set expires_at = now() - interval '1 second' where user_id = ${user.id}`;
    expect((await refusal(client.auth.me.query())).code).toBe("UNAUTHORIZED");
    expect(await admin.sql`select id from user_session where user_id = ${user.id}`).toEqual([]);
  });

  describe("sessions", () => {
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
        const opened = Array.from({ length: 3 }, async () => signedIn(admin.client().auth.login.mutate({ email, password: current })));
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
});
