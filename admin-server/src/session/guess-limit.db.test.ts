import { afterEach, describe, expect, it } from "vitest";
import { openAdmin, openAdminOn, password, type OpenAdmin } from "../../../test/support/admin.ts";
import { refusal } from "../../../test/support/admin.ts";

const limit = 10;

describe("guessing passwords", () => {
  let opened: AsyncDisposable[] = [];
  afterEach(async () => {
    for (const one of opened.toReversed()) await one[Symbol.asyncDispose]();
    opened = [];
  });
  const open = async (changes = {}): Promise<OpenAdmin> => {
    const admin = await openAdmin({ trustProxy: true, ...changes });
    opened.push(admin);
    return admin;
  };
  const tryLogin = async (admin: Pick<OpenAdmin, "call">, email: string, tried: string, from = "203.0.113.1"): Promise<number> =>
    (await admin.call("auth.login", { email, password: tried }, { "x-forwarded-for": from })).status;
  const guess = async (admin: Pick<OpenAdmin, "call">, email: string, count = limit, from?: string): Promise<number[]> =>
    Promise.all(Array.from({ length: count }, async () => tryLogin(admin, email, "a wrong password", from)));

  it("is refused after ten wrong tries, with the right password too, and for that address and place only", async () => {
    const admin = await open();
    const { email } = await admin.signUp();
    const other = await admin.signUp();
    expect(await guess(admin, email)).toEqual(Array(limit).fill(401));
    expect(await tryLogin(admin, email, "a wrong password")).toBe(429);
    expect(await tryLogin(admin, email, password)).toBe(429);
    expect(await tryLogin(admin, email.toUpperCase(), password)).toBe(429);
    expect(await tryLogin(admin, other.email, password)).toBe(200);
    expect(await tryLogin(admin, email, password, "203.0.113.2")).toBe(200);
    expect((await refusal(admin.client().auth.login.mutate({ email: other.email, password: "no" }))).code).toBe("UNAUTHORIZED");
  });

  it("says TOO_MANY_REQUESTS, alike for an address that nobody has", async () => {
    const admin = await open();
    expect(await guess(admin, "nobody@example.com")).toEqual(Array(limit).fill(401));
    const answer = await admin.call("auth.login", { email: "nobody@example.com", password }, { "x-forwarded-for": "203.0.113.1" });
    expect(answer.status).toBe(429);
    expect(await answer.json()).toMatchObject({
      error: { message: expect.stringContaining("15 minutes"), data: { code: "TOO_MANY_REQUESTS" } },
    });
  });

  it("counts over all servers, and lets no more than ten of many at once through", async () => {
    const admin = await open();
    const second = await openAdminOn(admin.databaseUrl, { trustProxy: true });
    opened.push(second);
    const { email } = await admin.signUp();
    const answers = (await Promise.all([guess(admin, email, 15), guess(second, email, 15)])).flat();
    expect(answers.filter((status) => status === 401)).toHaveLength(limit);
    expect(answers.filter((status) => status === 429)).toHaveLength(20);
  });

  it("refuses no right ones, however many come at once", async () => {
    const admin = await open({ allowSignUp: true });
    const many = Array.from({ length: 2 * limit + 5 }, (_, index) => index);
    const signUps = await Promise.all(
      many.map(async (index) => admin.call("auth.signUp", { accountName: "A", email: `at-once-${index}@example.com`, password })),
    );
    expect(signUps.map(({ status }) => status)).toEqual(many.map(() => 200));
    const logins = await Promise.all(many.map(async () => tryLogin(admin, "at-once-0@example.com", password)));
    expect(logins).toEqual(many.map(() => 200));
  });

  it("starts again once the tries are 15 minutes old, one by one", async () => {
    const admin = await open();
    const { email } = await admin.signUp();
    await guess(admin, email);
    await admin.sql`update login_try set tries = array(select at - interval '14 minutes' from unnest(tries) at)`;
    expect(await tryLogin(admin, email, "a wrong password")).toBe(429);
    await admin.sql`update login_try set tries = array(select at - interval '2 minutes' from unnest(tries[1:1]) at) || tries[2:]`;
    expect(await tryLogin(admin, email, "a wrong password")).toBe(401);
    expect(await tryLogin(admin, email, "a wrong password")).toBe(429);
    await admin.sql`update login_try set tries = array(select at - interval '16 minutes' from unnest(tries) at)`;
    expect(await tryLogin(admin, email, password)).toBe(200);
  });

  it("forgets the wrong tries with a right one, and what is old", async () => {
    const admin = await open();
    const { email } = await admin.signUp();
    await guess(admin, email, limit - 1);
    expect(await tryLogin(admin, email, password)).toBe(200);
    expect(await guess(admin, email)).toEqual(Array(limit).fill(401));
    await guess(admin, "another@example.com", 1);
    await admin.sql`update login_try set expires_at = now() - interval '1 minute'`;
    await guess(admin, "third@example.com", 1);
    expect(await admin.sql`select key from login_try`).toHaveLength(1);
  });

  it("takes the place from the connection unless a proxy is trusted", async () => {
    const admin = await open({ trustProxy: false });
    const { email } = await admin.signUp();
    await guess(admin, email, 5, "203.0.113.1");
    await guess(admin, email, 5, "203.0.113.2");
    expect(await tryLogin(admin, email, password, "203.0.113.3")).toBe(429);
  });

  it("believes only what the proxy itself wrote", async () => {
    const admin = await open();
    const { email } = await admin.signUp();
    for (let made = 0; made < limit; made += 1) await tryLogin(admin, email, "a wrong password", `198.51.100.${made}, 203.0.113.1`);
    expect(await tryLogin(admin, email, password, "198.51.100.99, 203.0.113.1")).toBe(429);
    expect(await tryLogin(admin, email, password, "203.0.113.1, 198.51.100.99")).toBe(200);
  });

  it("slows the guessing of the current password and of who has an account", async () => {
    const admin = await open({ trustProxy: false });
    const { email, client } = await admin.signUp();
    const change = async () =>
      (await refusal(client.auth.changePassword.mutate({ currentPassword: "x", newPassword: "another long password" }))).code;
    for (let made = 0; made < limit; made += 1) expect(await change()).toBe("BAD_REQUEST");
    expect(await change()).toBe("TOO_MANY_REQUESTS");
    const probe = async () => (await refusal(admin.client().auth.signUp.mutate({ accountName: "A", email, password }))).code;
    for (let made = 0; made < limit; made += 1) expect(await probe()).toBe("CONFLICT");
    expect(await probe()).toBe("TOO_MANY_REQUESTS");
  });
});
