import { request } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { openAdmin, openAdminOn, password, type OpenAdmin, refusal } from "../../../test/support/admin.ts";
import { shared } from "../../../test/support/shared.ts";

const limit = 10;

describe("guessing passwords", () => {
  const admin = shared(async () => openAdmin({ trustProxy: true }));
  afterEach(async () => void (await admin.sql`delete from login_try`));
  /** Another server over the same database. */
  const openOther = (changes = {}) => openAdminOn(admin.databaseUrl, { trustProxy: true, ...changes });
  const tryLogin = async (admin: Pick<OpenAdmin, "call">, email: string, tried: string, from = "203.0.113.1"): Promise<number> =>
    (await admin.call("auth.login", { email, password: tried }, { "x-forwarded-for": from })).status;
  const guess = async (admin: Pick<OpenAdmin, "call">, email: string, count = limit, from?: string): Promise<number[]> =>
    Promise.all(Array.from({ length: count }, async () => tryLogin(admin, email, "a wrong password", from)));

  it("is refused after ten wrong tries, with the right password too, and for that address and place only", async () => {
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

  it("counts every spelling that the database takes for the same address", async () => {
    const { email } = await admin.signUp("inviting@example.com");
    for (const spelling of [email, "\u0130nviting@example.com", "inv\u0130ting@example.com"]) await guess(admin, spelling, 4);
    expect(await tryLogin(admin, "\u0130nv\u0130ting@example.com", password)).toBe(429);
  });

  it("says TOO_MANY_REQUESTS, alike for an address that nobody has", async () => {
    expect(await guess(admin, "nobody@example.com")).toEqual(Array(limit).fill(401));
    const answer = await admin.call("auth.login", { email: "nobody@example.com", password }, { "x-forwarded-for": "203.0.113.1" });
    expect(answer.status).toBe(429);
    expect(await answer.json()).toMatchObject({
      error: { message: expect.stringContaining("15 minutes"), data: { code: "TOO_MANY_REQUESTS" } },
    });
  });

  it("counts over all servers, and lets no more than ten of many at once through", async () => {
    await using second = await openOther();
    const { email } = await admin.signUp();
    const answers = (await Promise.all([guess(admin, email, 15), guess(second, email, 15)])).flat();
    expect(answers.filter((status) => status === 401)).toHaveLength(limit);
    expect(answers.filter((status) => status === 429)).toHaveLength(20);
  });

  it("refuses no right ones, however many come at once", async () => {
    await using open = await openOther();
    const { email } = await admin.signUp();
    const many = Array.from({ length: 2 * limit + 5 }, (_, index) => index);
    const logins = await Promise.all(many.map(async () => tryLogin(open, email, password)));
    expect(logins).toEqual(many.map(() => 200));
  });

  it("starts again once the tries are 15 minutes old, one by one", async () => {
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
    const { email } = await admin.signUp();
    await guess(admin, email, limit - 1);
    expect(await tryLogin(admin, email, password)).toBe(200);
    expect(await guess(admin, email)).toEqual(Array(limit).fill(401));
    await guess(admin, "another@example.com", 1);
    await admin.sql`update login_try set expires_at = now() - interval '1 minute'`;
    await guess(admin, "third@example.com", 1);
    // The last try counts for one e-mail address, for it from its own place, and for everything from that place.
    expect(await admin.sql`select key from login_try`).toHaveLength(3);
  });

  it("takes the place from the connection unless a proxy is trusted", async () => {
    await using direct = await openOther({ trustProxy: false });
    const { email } = await direct.signUp();
    await guess(direct, email, 5, "203.0.113.1");
    await guess(direct, email, 5, "203.0.113.2");
    expect(await tryLogin(direct, email, password, "203.0.113.3")).toBe(429);
  });

  it("believes only what the proxy itself wrote", async () => {
    const { email } = await admin.signUp();
    for (let made = 0; made < limit; made += 1) await tryLogin(admin, email, "a wrong password", `198.51.100.${made}, 203.0.113.1`);
    expect(await tryLogin(admin, email, password, "198.51.100.99, 203.0.113.1")).toBe(429);
    expect(await tryLogin(admin, email, password, "203.0.113.1, 198.51.100.99")).toBe(200);
  });

  it("does not hold up a device that has signed in before, on which it is limited alone", async () => {
    const { email, user } = await admin.signUp();
    const cookies = (await admin.call("auth.login", { email, password })).headers.getSetCookie();
    const cookie = cookies.map((each) => each.replace(/;.*/s, "")).find((each) => each.startsWith("tidings_device=")) ?? "";
    const onDevice = async (who: string, tried: string, held = cookie) =>
      (await admin.call("auth.login", { email: who, password: tried }, { "x-forwarded-for": "203.0.113.1", cookie: held })).status;
    await guess(admin, email);
    expect(await tryLogin(admin, email, password)).toBe(429);
    expect(await onDevice(email, password, `${cookie}x`)).toBe(429);
    expect(await onDevice(email, password)).toBe(200);
    for (let made = 0; made < limit; made += 1) expect(await onDevice(email, "a wrong password")).toBe(401);
    expect(await onDevice(email, password)).toBe(429);
    const other = await admin.signUp();
    await guess(admin, other.email);
    expect(await onDevice(other.email, password)).toBe(429);
    expect(user.email).toBe(email);
  });

  /** Raises every count to that many tries. */
  const fill = (count: number) => admin.sql`update login_try set tries = array_fill(clock_timestamp(), array[${count}::integer])`;

  it("slows down after thirty wrong tries from wherever, up to a quarter of an hour", async () => {
    const { email } = await admin.signUp();
    const device = (await admin.call("auth.login", { email, password })).headers.getSetCookie().at(-1)?.replace(/;.*/s, "") ?? "";
    const login = async (from: string, cookie = "") =>
      admin.call("auth.login", { email, password: "a wrong password" }, { "x-forwarded-for": from, cookie });
    expect((await login("203.0.113.1")).status).toBe(401);
    await fill(29);
    expect((await login("203.0.113.2")).status).toBe(401);
    await fill(42);
    const refused = await login("203.0.113.3");
    expect(refused.status).toBe(429);
    const seconds = Number(refused.headers.get("retry-after"));
    expect(seconds).toBeGreaterThan(800);
    expect(seconds).toBeLessThanOrEqual(900);
    expect((await login("203.0.113.4", device)).status).toBe(401);
    await admin.sql`update login_try set tries = array(select at - interval '15 minutes' from unnest(tries) at)`;
    expect((await login("203.0.113.5")).status).toBe(401);
  });

  it("ends after a hundred wrong tries on devices of who signs in, as somebody may have kept who once knew the password", async () => {
    const { email } = await admin.signUp();
    const device = async () =>
      (await admin.call("auth.login", { email, password })).headers.getSetCookie().at(-1)?.replace(/;.*/s, "") ?? "";
    const login = async (cookie: string) => (await admin.call("auth.login", { email, password: "a wrong password" }, { cookie })).status;
    const [first, second, third] = [await device(), await device(), await device()];
    expect(await login(first)).toBe(401);
    await fill(99);
    expect(await login(second)).toBe(401);
    expect(await login(third)).toBe(429);
  });

  it("ends after a hundred wrong tries of one place whatever was tried, and three hundred of a /48", async () => {
    const { email } = await admin.signUp();
    const wrong = (name: string, from: string) => tryLogin(admin, `${name}@example.com`, "a wrong password", from);
    expect(await wrong("a", "203.0.113.1")).toBe(401);
    await fill(99);
    expect(await tryLogin(admin, email, password, "203.0.113.1")).toBe(200);
    expect(await wrong("b", "203.0.113.1")).toBe(401);
    expect(await wrong("c", "203.0.113.1")).toBe(429);
    expect(await wrong("c", "203.0.113.2")).toBe(401);
    expect(await wrong("d", "2001:db8:1:1::1")).toBe(401);
    await fill(299);
    expect(await wrong("e", "2001:db8:1:2::1")).toBe(401);
    expect(await wrong("f", "2001:db8:1:3::1")).toBe(429);
    expect(await wrong("f", "2001:db8:2:3::1")).toBe(401);
  });

  it("takes no secret in a batch", async () => {
    const { email, token } = await admin.signUp();
    const batch = (paths: string, headers = {}) =>
      admin.call(`${paths}?batch=1`, { "0": { email, password }, "1": { email, password } }, headers);
    for (const paths of ["auth.login,auth.login", "sites.list,auth.login", "auth.me,users.acceptInvite", "auth%2Elogin%2Cauth.login"])
      expect([paths, (await batch(paths)).status]).toEqual([paths, 400]);
    // Clients resolve dots in a path; a program that writes to the socket need not.
    const undotted = new Promise<number | undefined>((resolve, reject) => {
      const { hostname, port } = new URL(admin.url);
      const path = "/trpc/x/../auth.login,auth.login/.?batch=1";
      const options = { hostname, port, path, method: "POST", headers: { "content-type": "application/json" } };
      const calling = request(options, (answer) => resolve(answer.resume().statusCode)).once("error", reject);
      calling.end(JSON.stringify({ "0": { email, password }, "1": { email, password } }));
    });
    expect(await undotted).toBe(400);
    const reading = await admin.fetch("/trpc/auth.me,auth.state?batch=1", { headers: { authorization: `Bearer ${token}` } });
    expect(reading.status).toBe(200);
  });

  it("slows the guessing of the current password and of who has an account", async () => {
    await using direct = await openOther({ trustProxy: false });
    const { email, client } = await direct.signUp();
    const change = async () =>
      (await refusal(client.auth.changePassword.mutate({ currentPassword: "x", newPassword: "another long password" }))).code;
    for (let made = 0; made < limit; made += 1) expect(await change()).toBe("BAD_REQUEST");
    expect(await change()).toBe("TOO_MANY_REQUESTS");
    const probe = async () => (await refusal(direct.client().auth.signUp.mutate({ accountName: "A", email, password }))).code;
    for (let made = 0; made < limit; made += 1) expect(await probe()).toBe("CONFLICT");
    expect(await probe()).toBe("TOO_MANY_REQUESTS");
  });
});
