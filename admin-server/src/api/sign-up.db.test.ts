import { request } from "undici";
import { afterEach, describe, expect, it } from "vitest";
import { openAdmin, openAdminOn, password, type OpenAdmin, signedIn } from "../../../test/support/admin.ts";
import { refusal } from "../../../test/support/admin.ts";
import type { AdminConfig } from "../config.ts";

const input = { accountName: "Shop", email: "ann@example.com", password };

describe("the first sign-up", () => {
  let opened: AsyncDisposable[] = [];
  afterEach(async () => {
    for (const one of opened.toReversed()) await one[Symbol.asyncDispose]();
    opened = [];
  });
  const open = async (changes: Partial<AdminConfig> = {}): Promise<OpenAdmin> => {
    const admin = await openAdmin({ allowSignUp: false, ...changes });
    opened.push(admin);
    return admin;
  };
  const openSecond = async (admin: OpenAdmin, changes: Partial<AdminConfig>) => {
    const second = await openAdminOn(admin.databaseUrl, { allowSignUp: false, ...changes });
    opened.push(second);
    return second;
  };

  it("makes the owner; then sign-up is closed, whatever is sent", async () => {
    const admin = await open();
    expect((await admin.client().auth.signUp.mutate(input)).user.role).toBe("owner");
    expect((await refusal(admin.client().auth.signUp.mutate({ ...input, email: "bob@example.com" }))).code).toBe("FORBIDDEN");
    expect((await admin.call("auth.signUp", {})).status).toBe(403);
  });

  it("makes one owner when several sign up at once at several servers", async () => {
    const admin = await open();
    const second = await openSecond(admin, {});
    const tries = Array.from({ length: 12 }, async (_, index) =>
      [admin, second][index % 2]?.call("auth.signUp", { ...input, email: `user${index}@example.com` }),
    );
    const statuses = (await Promise.all(tries)).map((answer) => answer?.status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 403)).toHaveLength(11);
    expect(await admin.sql`select id from app_user`).toHaveLength(1);
    expect(await admin.sql`select id from account`).toHaveLength(1);
  });

  it("stays open to everybody when it is allowed", async () => {
    const admin = await open({ allowSignUp: true });
    const first = await admin.signUp();
    const second = await admin.signUp();
    const accounts = await Promise.all([first, second].map(async ({ client }) => (await client.auth.me.query()).account.id));
    expect(new Set(accounts).size).toBe(2);
  });

  describe("from another machine", () => {
    const elsewhere = { "x-forwarded-for": "203.0.113.9" };

    it("needs the setup code", async () => {
      const admin = await open({ trustProxy: true, setupCode: "river-stone" });
      const without = await admin.call("auth.signUp", input, elsewhere);
      expect(without.status).toBe(403);
      expect(await without.json()).toMatchObject({ error: { message: expect.stringContaining("setup code") } });
      expect((await admin.call("auth.signUp", { ...input, setupCode: "river-stone2" }, elsewhere)).status).toBe(403);
      expect((await admin.call("auth.signUp", { ...input, setupCode: "river-stone" }, elsewhere)).status).toBe(200);
    });

    it("is refused when there is no code, and when a proxy that is not trusted passed it on", async () => {
      const admin = await open({ trustProxy: false });
      expect((await admin.call("auth.signUp", { ...input, setupCode: "" }, elsewhere)).status).toBe(403);
      expect((await admin.call("auth.signUp", input, { forwarded: "for=203.0.113.9" })).status).toBe(403);
      expect((await admin.call("auth.signUp", input)).status).toBe(200);
    });

    it.each([
      ["a proxy that is trusted", { "x-forwarded-for": "127.0.0.1" }],
      ["a proxy that names another header", { "x-forwarded-proto": "https" }],
    ])("is not taken for this one because of %s", async (_, headers) => {
      const admin = await open({ trustProxy: true, setupCode: "river-stone" });
      expect((await admin.call("auth.signUp", input, headers)).status).toBe(403);
    });

    it("is not taken for this one under another name", async () => {
      const admin = await open({ setupCode: "river-stone" });
      const headers = { host: "admin.example", "content-type": "application/json" };
      const answer = await request(`${admin.url}/trpc/auth.signUp`, { method: "POST", headers, body: JSON.stringify(input) });
      expect([answer.statusCode, await answer.body.text()]).toEqual([403, expect.stringContaining("setup code")]);
      expect((await admin.call("auth.signUp", input)).status).toBe(200);
    });

    it("does not let the code be guessed", async () => {
      const admin = await open({ trustProxy: true, setupCode: "1234" });
      const guess = async (setupCode: string) => (await admin.call("auth.signUp", { ...input, setupCode }, elsewhere)).status;
      for (let made = 0; made < 10; made += 1) expect(await guess(`999${made}`)).toBe(403);
      expect(await guess("1234")).toBe(429);
    });
  });

  it("is made by the environment when nobody can sign in yet, once for several servers", async () => {
    const seed = await open({ allowSignUp: true });
    const firstOwner = { email: "owner@example.com", password };
    await Promise.all([1, 2, 3].map(async () => openSecond(seed, { firstOwner })));
    expect(await seed.sql`select u.email, m.role from app_user u join membership m on m.user_id = u.id`).toEqual([
      { email: "owner@example.com", role: "owner" },
    ]);
    const { user } = await signedIn(seed.client().auth.login.mutate(firstOwner));
    expect(user.name).toBe("owner");
    const entries = await seed.sql`select action, subject, actor_id from audit_entry where actor = 'ADMIN_EMAIL'`;
    expect(entries).toEqual([{ action: "auth.signUp", subject: user.id, actor_id: null }]);
    await openSecond(seed, { firstOwner: { email: "second@example.com", password } });
    expect(await seed.sql`select id from app_user`).toHaveLength(1);
  });
});
