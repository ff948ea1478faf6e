import { request } from "undici";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { addMember, openAdmin, openAdminOn, password, type OpenAdmin, refusal, signedIn } from "../../../test/support/admin.ts";
import { headerOf, type MailServer, type ReceivedMail, startMailServer } from "../../../test/support/mail-server.ts";
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

describe("open sign-up", () => {
  let mail: MailServer;
  let admin: OpenAdmin;
  let second: Awaited<ReturnType<typeof openAdminOn>>;
  beforeAll(async () => {
    mail = await startMailServer();
    const changes = { trustProxy: true, mail: mail.config };
    admin = await openAdmin(changes, { sendingTimes: { tickMs: 50 } });
    second = await openAdminOn(admin.databaseUrl, changes);
  });
  afterAll(async () => {
    await second[Symbol.asyncDispose]();
    await admin[Symbol.asyncDispose]();
    await mail[Symbol.asyncDispose]();
  });
  let person = 0;
  const signUp = async (address: string, more: object = {}, server: Pick<OpenAdmin, "call"> = admin) => {
    const email = `person-${(person += 1)}@example.com`;
    const answer = await server.call("auth.signUp", { ...input, email, ...more }, { "x-forwarded-for": address });
    const { result, error } = (await answer.json()) as {
      result?: { data: { token: string } };
      error?: { message: string; data: { code: string; reason: string | null } };
    };
    return { email, status: answer.status, token: result?.data.token ?? "", error };
  };
  const linkIn = ({ body }: ReceivedMail, page: string): string => new RegExp(`/${page}#(\\S+?)"`).exec(body)?.[1] ?? "";

  it("opens five accounts an hour from one network, at all servers together", async () => {
    const from = (n: number, server = n % 2 === 0 ? admin : second) => signUp(`203.0.113.${n}`, {}, server);
    const statuses = (await Promise.all(Array.from({ length: 25 }, (_, n) => from(n)))).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(5);
    expect(statuses.filter((status) => status === 429)).toHaveLength(20);
    const ofV6 = await Promise.all([0, 1, 2, 3, 4, 5, 6].map((n) => signUp(`2001:db8:7:${n}::1`)));
    expect(ofV6.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(await admin.sql`select from account`).toHaveLength(10);
    // A refused one costs the network nothing.
    await signUp("198.51.100.1", { password: "short" });
    for (let n = 0; n < 5; n += 1) expect((await signUp("198.51.100.1")).status).toBe(200);
  });

  it("lets an account mail nobody until its owner has opened the mailed link, and names cannot be links", async () => {
    const name = "Verify at https://evil.example/login, www.evil。example, help@evil.example or +49 170 1234567";
    const { email, token } = await signUp("192.0.2.1", { accountName: name });
    const owner = admin.client(token);
    expect((await owner.auth.me.query()).user).toMatchObject({ email, emailProven: false });
    expect(await owner.users.invite.mutate({ email: "victim@example.com", role: "viewer" })).toMatchObject({ mailed: false });
    const channel = { kind: "email", address: "victim@example.com" } as const;
    expect((await refusal(owner.alerts.addChannel.mutate(channel))).code).toBe("CONFLICT");
    expect((await refusal(owner.auth.changeEmail.mutate({ email: "victim@example.com" }))).code).toBe("CONFLICT");
    const [first] = await mail.proofsTo(email);
    expect(await owner.auth.resendProof.mutate()).toEqual({ mailed: true });
    await mail.proofsTo(email, 2);
    const link = linkIn(first as ReceivedMail, "confirm-email");
    expect((await refusal(admin.client().auth.proveEmail.mutate({ token: `${link}x` }))).code).toBe("NOT_FOUND");
    expect(await admin.client().auth.proveEmail.mutate({ token: link })).toEqual({ email });
    expect((await owner.auth.me.query()).user.emailProven).toBe(true);
    expect((await refusal(owner.auth.resendProof.mutate())).code).toBe("CONFLICT");
    expect(mail.received.filter(({ to }) => to.includes("victim@example.com"))).toEqual([]);
    expect(await owner.users.invite.mutate({ email: "guest@example.com", role: "viewer" })).toMatchObject({ mailed: true });
    const [invitation] = await mail.mailsTo("guest@example.com");
    const subject = (headerOf(invitation as ReceivedMail, "subject") ?? "").replaceAll(/=\?UTF-8\?Q\?(.*?)\?=\s*/g, (_all, word: string) =>
      decodeURIComponent(word.replaceAll("_", " ").replaceAll("=", "%")),
    );
    const texts = [subject, (invitation as ReceivedMail).body];
    for (const text of texts) {
      expect(text).toContain("Verify at");
      expect(text.replaceAll(email, "").replaceAll("http://admin.example", "")).not.toMatch(/https?:|www\.|evil\.|evil。|@|1234567/u);
    }
    // An owner who came by a link is no proof, and is called so.
    const joined = await addMember(admin, owner, "owner", "second@example.com");
    await joined.client.users.invite.mutate({ email: "guest2@example.com", role: "viewer" });
    const [other] = await mail.mailsTo("guest2@example.com");
    expect(other?.body).toContain("Someone who has not confirmed their e-mail address invites you");
    expect(other?.body).not.toContain("second@example.com");
  });

  it("mails 20 strangers a day for an account, and 100 for a network", async () => {
    const { email, token } = await signUp("192.0.2.200");
    const link = linkIn((await mail.proofsTo(email))[0] as ReceivedMail, "confirm-email");
    await admin.client().auth.proveEmail.mutate({ token: link });
    const invite = async (n: number, address: string, by = token) => {
      const body = { email: `stranger-${n}@example.com`, role: "viewer" };
      const answer = await admin.call("users.invite", body, { authorization: `Bearer ${by}`, "x-forwarded-for": address });
      return ((await answer.json()) as { result: { data: { mailed: boolean } } }).result.data.mailed;
    };
    const mailed = [];
    for (let n = 0; n < 25; n += 1) mailed.push(await invite(n, "192.0.2.200"));
    // The proof of its own address counts too.
    expect(mailed.filter(Boolean)).toHaveLength(19);
    await admin.sql`
      update login_try set tries = array_fill(clock_timestamp(), array[100])
      where key = sha256('mail to strangers from 192.0.2')`;
    const { email: next, token: theirs } = await signUp("198.18.0.1");
    await admin.client().auth.proveEmail.mutate({ token: linkIn((await mail.proofsTo(next))[0] as ReceivedMail, "confirm-email") });
    expect([await invite(50, "192.0.2.9", theirs), await invite(51, "198.18.0.9", theirs)]).toEqual([false, true]);
  });

  it("beyond 60 an hour makes accounts that sleep until their owner has opened the mailed link, or none where no mail is set up", async () => {
    await admin.sql`
      insert into login_try (key, tries, expires_at)
      values (sha256('sign-up anywhere'), array_fill(clock_timestamp(), array[60]), clock_timestamp() + interval '1 hour')
      on conflict (key) do update set tries = excluded.tries, expires_at = excluded.expires_at`;
    const { email, status, error } = await signUp("198.51.7.1");
    expect([status, error]).toMatchObject([403, { message: expect.stringContaining(email), data: { code: "FORBIDDEN", reason: "email" } }]);
    const login = () => admin.client().auth.login.mutate({ email, password });
    expect((await refusal(login())).code).toBe("FORBIDDEN");
    expect(await admin.sql`select from user_session s join app_user u on u.id = s.user_id where u.email = ${email}`).toHaveLength(0);
    const [, again] = await mail.proofsTo(email, 2);
    await admin.client().auth.proveEmail.mutate({ token: linkIn(again as ReceivedMail, "confirm-email") });
    const { token } = await signedIn(login());
    expect((await admin.client(token).auth.me.query()).user.emailProven).toBe(true);
    await using mute = await openAdminOn(admin.databaseUrl, { trustProxy: true });
    const refused = await signUp("198.51.9.1", {}, mute);
    expect([refused.status, await admin.sql`select from app_user where email = ${refused.email}`]).toMatchObject([429, []]);
  });
});
