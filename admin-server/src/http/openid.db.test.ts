import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import pino from "pino";
import { freePort } from "shared/postgres/cluster";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { addMember, callProcedure, openAdminOn } from "../../../test/support/admin.ts";
import { data } from "../../../test/support/data.ts";
import { testDatabase } from "../../../test/support/database.ts";
import { createBrowser, type Issuer, type IssuerScript } from "../../../test/support/issuer.ts";
import { client, openOpenIdAdmin, type OpenIdAdmin } from "../../../test/support/openid-admin.ts";

describe("sign-in by OpenID", () => {
  let server: OpenIdAdmin;
  let issuer: Issuer;
  let admin: OpenIdAdmin["admin"];
  let owner: Awaited<ReturnType<typeof admin.signUp>>;
  let made = 0;
  let url = "";
  const logged: string[] = [];
  beforeAll(async () => {
    server = await openOpenIdAdmin({ log: pino({ level: "debug" }, { write: (line: string) => void logged.push(line) }) });
    ({ issuer, url, admin } = server);
    owner = await admin.signUp("ann@example.com");
  });
  beforeEach(() => {
    server.mend();
    ({ admin } = server);
  });
  afterAll(async () => server[Symbol.asyncDispose]());
  const enter: OpenIdAdmin["enter"] = async (...args) => server.enter(...args);
  const isCallback = (at: URL): boolean => server.isCallback(at);
  const as: OpenIdAdmin["as"] = (token) => server.as(token);
  const refusedAs = (reason: string) => ({ status: 302, to: `/sign-in?refused=${reason}`, token: undefined, cookies: [] });
  const age = () => server.database.sql`update user_session set proven_at = now() - interval '11 minutes'`;

  it("lets in whose verified address is a user's, in any case, with PKCE, state and nonce", async () => {
    const begun = await createBrowser().visit(`${url}/auth/oidc`);
    const asked = new URL(begun.answer.headers.get("location") ?? "").searchParams;
    expect(Object.fromEntries(asked)).toMatchObject({
      response_type: "code",
      code_challenge_method: "S256",
      redirect_uri: `${url}/auth/oidc/callback`,
    });
    for (const name of ["state", "nonce", "code_challenge"]) expect(asked.get(name)?.length).toBeGreaterThan(20);
    expect(begun.answer.headers.getSetCookie()[0]).toMatch(/; HttpOnly; SameSite=Lax$/);
    issuer.script.claims = { email: "ANN@example.com" };
    const { status, to, token } = await enter();
    expect([status, to]).toEqual([302, "/"]);
    expect((await as(token).auth.me.query()).user).toEqual({ ...owner.user, emailProven: true });
    expect(await as(token).auth.state.query()).toMatchObject({ signedIn: true, sso: { name: "Example ID" } });
    const [entry] = (await owner.client.audit.list.query({ action: "auth.openId" })).items;
    expect(entry).toMatchObject({ actor: owner.email, subject: owner.user.id });
  });

  it("knows a person by the issuer's own name for them: an address that went to somebody else opens nothing, a changed one stays theirs", async () => {
    const { token } = await enter();
    issuer.script.claims = { sub: "a newcomer" };
    expect(await enter()).toMatchObject(refusedAs("unknown"));
    issuer.script.claims = { sub: "of ann@example.com", email: "ann.married@example.com" };
    expect((await as((await enter()).token).auth.me.query()).user.id).toBe(owner.user.id);
    expect((await as(token).auth.me.query()).user.email).toBe("ann@example.com");
  });

  it("takes the address of the userinfo where the ID token has none, and a secret in the body", async () => {
    Object.assign(issuer.script, {
      claims: { email: undefined, email_verified: undefined },
      userinfo: { email: "ann@example.com", email_verified: true },
    });
    expect((await enter()).to).toBe("/");
    issuer.script.methods = ["client_secret_post"];
    await server.reopen();
    expect((await enter()).to).toBe("/");
    // The issuer says that it takes both methods, and was told at the registration that this client posts.
    Object.assign(issuer.script, { methods: ["client_secret_basic", "client_secret_post"], registered: "client_secret_post" });
    await server.reopen();
    for (let time = 0; time < 2; time += 1) expect((await enter()).to).toBe("/");
    Object.assign(issuer.script, { registered: "client_secret_basic" });
    expect((await enter()).to).toBe("/");
    issuer.script.methods = ["client_secret_basic"];
    await server.reopen();
  });

  it.each<[string, Record<string, unknown>, string]>([
    ["an address that is not verified", { email_verified: false }, "unverified"],
    ["an address of which nothing is said", { email_verified: undefined }, "unverified"],
    ["a text in place of true", { email_verified: "true" }, "unverified"],
    ["no address", { email: undefined }, "unverified"],
    ["somebody who is nobody here", { email: "stranger@example.com" }, "unknown"],
    ["another audience", { aud: "another" }, "invalid"],
    ["a token that was made for another", { azp: "another" }, "invalid"],
    ["another nonce", { nonce: "another" }, "invalid"],
    ["another issuer", { iss: "https://other.example" }, "invalid"],
    ["a token that has ended", { exp: 1 }, "invalid"],
    ["a letter that only looks like the address's", { email: "\u0430nn@example.com" }, "unverified"],
    ["a letter that the database would fold into the address's", { email: "fol\u212A@example.com" }, "unverified"],
  ])("refuses %s, with the reason and without a cookie", async (_what, claims, reason) => {
    issuer.script.claims = claims;
    expect(await enter()).toMatchObject(refusedAs(reason));
  });

  it.each<[string, Partial<IssuerScript>]>(data("admin-server-http-openid", "refuses s"))("refuses %s", async (_what, script) => {
    Object.assign(issuer.script, script);
    expect(await enter()).toMatchObject(refusedAs("invalid"));
  });

  it("logs why, and nothing of what the issuer answered", async () => {
    const bodies = ['{"access_token": planted-1', '{"error":"planted-2","error_description":"planted-3"}', '"planted-4'];
    for (const [at, body] of bodies.entries()) {
      issuer.script.answer = (path, response) =>
        path === "/token" && (response.writeHead(at === 1 ? 400 : 200, { "content-type": "application/json" }).end(body), true);
      logged.length = 0;
      expect(await enter()).toMatchObject(refusedAs("invalid"));
      expect(logged.filter((line) => line.includes("sign-in by OpenID refused"))).toHaveLength(1);
      expect(logged.join("")).not.toContain("planted");
    }
  });

  it("follows no redirect of the issuer's, whatever it leads to", async () => {
    let reached = 0;
    const inside = createServer((_request, response) => {
      reached += 1;
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
    await new Promise<void>((resolve) => inside.listen(0, "127.0.0.1", resolve));
    const location = `http://127.0.0.1:${(inside.address() as AddressInfo).port}/`;
    for (const redirected of ["/token", "/jwks", "/.well-known/openid-configuration"]) {
      await server.reopen();
      issuer.script.answer = (path, response) => path === redirected && response.writeHead(307, { location }).end() !== undefined;
      const { answer } = await createBrowser().visit(`${url}/auth/oidc`);
      const isBegun = answer.headers.get("location")?.startsWith(issuer.url) === true;
      expect(isBegun ? (await enter()).to : answer.headers.get("location")).toMatch(/^\/sign-in\?refused=(invalid|unavailable)$/);
    }
    inside.close();
    await server.reopen();
    expect(reached).toBe(0);
  });

  it("keeps nothing of what was begun, in a cookie that lives 10 minutes and only this host may set over https", async () => {
    const counts = async () => {
      const [row] = await server.database
        .sql`select (select count(*) from login_try) as tries, (select count(*) from challenge) as challenges`;
      return row;
    };
    const before = await counts();
    for (let time = 0; time < 20; time += 1) await createBrowser().visit(`${url}/auth/oidc`);
    expect(await counts()).toEqual(before);
    await server.reopen({ publicAdminUrl: "https://tidings.example", allowedHosts: ["127.0.0.1"] });
    const { answer } = await createBrowser().visit(`${server.admin.url}/auth/oidc`);
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-tidings_openid=[\w.-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/),
    ]);
    await server.reopen();
  });

  it("gives every sign-in a session of its own, whatever cookie came along", async () => {
    const browser = createBrowser();
    browser.jarOf(url).set("tidings_session", "planted");
    const { token } = await enter("/auth/oidc", browser);
    expect(token).not.toBe("planted");
    const { token: next } = await enter("/auth/oidc", browser);
    expect(next).not.toBe(token);
  });

  it.each<[string, (path: string) => "big" | "broken" | "silent" | null, string]>([
    ["answers with an error", (path) => (path === "/token" ? "broken" : null), "unavailable"],
    ["answers with too much", (path) => (path === "/token" ? "big" : null), "unavailable"],
    ["never answers", (path) => (path === "/token" ? "silent" : null), "unavailable"],
  ])("refuses when the issuer %s", async (_what, kind, reason) => {
    issuer.script.answer = (path, response) => {
      const how = kind(path);
      if (how === "broken") response.writeHead(500).end("no");
      if (how === "big") response.writeHead(200, { "content-type": "application/json" }).end(`{"a":"${"x".repeat(10_000_000)}"}`);
      return how !== null;
    };
    expect(await enter()).toMatchObject(refusedAs(reason));
  });

  it("leads back to the sign-in page when the issuer is down", async () => {
    await using away = await openAdminOn(server.database.url, {
      oidc: { issuer: "http://127.0.0.1:9", clientId: "a", clientSecret: "b", name: "x" },
    });
    const { answer } = await createBrowser().visit(`${away.url}/auth/oidc`);
    expect([answer.status, answer.headers.get("location"), answer.headers.getSetCookie()]).toEqual([
      302,
      "/sign-in?refused=unavailable",
      [],
    ]);
  });

  it("takes an answer once, in the browser that asked, with the state that it asked with", async () => {
    const { browser, callback } = await enter();
    expect((await browser.visit(callback)).answer.headers.get("location")).toBe("/sign-in?refused=expired");
    const second = createBrowser();
    const { url: answer } = await second.follow(`${url}/auth/oidc`, isCallback);
    // An answer to somebody else, put into this browser, would sign it in as them.
    expect((await createBrowser().visit(answer)).answer.headers.get("location")).toBe("/sign-in?refused=expired");
    const other = new URL(answer);
    other.searchParams.set("state", "made-up");
    const kept = new Map(second.jarOf(url));
    expect((await second.visit(other)).answer.headers.get("location")).toBe("/sign-in?refused=expired");
    // The same cookie and answer come twice, though the issuer takes the code twice.
    const outcomes = [];
    for (let time = 0; time < 2; time += 1) {
      for (const [name, value] of kept) second.jarOf(url).set(name, value);
      outcomes.push((await second.visit(answer)).answer.headers.get("location"));
    }
    expect(outcomes).toEqual(["/", "/sign-in?refused=expired"]);
    for (const query of ["?error=access_denied", "?error=server_error", "?code=x", ""]) {
      const asking = createBrowser();
      const { url: back } = await asking.follow(`${url}/auth/oidc`, isCallback);
      const odd = await asking.visit(`${url}/auth/oidc/callback${query}${query === "" ? "" : `&state=${back.searchParams.get("state")}`}`);
      expect([odd.answer.status, odd.answer.headers.get("location")]).toEqual([
        302,
        expect.stringMatching(/^\/sign-in\?refused=(cancelled|invalid|expired)$/),
      ]);
    }
  });

  it("lets in who has an open invitation, once, with the role that it gives", async () => {
    const email = "invited@example.com";
    issuer.script.claims = { email, name: "Ina" };
    await owner.client.users.invite.mutate({ email: "Invited@example.com", role: "operator" });
    const { token } = await enter();
    expect((await as(token).auth.me.query()).user).toMatchObject({ name: "Ina", role: "operator" });
    expect((await owner.client.users.invites.list.query()).items).toEqual([]);
    expect((await enter()).to).toBe("/");
  });

  it("joins nobody who is a user already to an account that invites the address: that takes their own password", async () => {
    const other = await admin.signUp();
    await other.client.users.invite.mutate({ email: owner.email, role: "owner" });
    const { token } = await enter();
    expect((await as(token).auth.me.query()).accounts).toHaveLength(1);
  });

  it("asks for no code of an authenticator app", async () => {
    const { user, email } = await addMember(admin, owner.client, "viewer", `totp-${(made += 1)}@example.com`);
    await server.database.sql`insert into totp (user_id, secret, last_step) values (${user.id}, 'sealed', 0)`;
    issuer.script.claims = { email };
    expect((await as((await enter()).token).auth.me.query()).user.id).toBe(user.id);
  });

  it("gives a fresh proof to the session of the same person, and to no other", async () => {
    const { browser, token } = await enter();
    await age();
    const proof = "/auth/oidc?proof=1&next=/settings/people";
    const invite = () => callProcedure(admin, "users.invite", { email: `p${(made += 1)}@example.com`, role: "viewer" }, token);
    expect((await invite()).code).toBe("FORBIDDEN");
    const asked = new URL((await browser.visit(url + proof)).answer.headers.get("location") ?? "").searchParams;
    expect([asked.get("prompt"), asked.get("max_age")]).toEqual(["login", "0"]);
    // A time in milliseconds would be fresh whenever the person signed in.
    const now = Math.floor(Date.now() / 1000);
    for (const auth_time of [now - 120, now + 120, now * 1000, undefined]) {
      issuer.script.claims = { auth_time };
      expect((await enter(proof, browser)).to).toBe("/sign-in?refused=invalid");
    }
    issuer.script.claims = { email: "other@example.com" };
    expect((await enter(proof, browser)).to).toBe("/sign-in?refused=otherPerson");
    expect((await invite()).code).toBe("FORBIDDEN");
    issuer.script.claims = {};
    expect((await enter(proof, browser)).to).toBe("/settings/people");
    expect((await invite()).code).toBe("ok");
    for (const next of ["//evil.example", "/\\evil.example", "/.//evil.example", "/x/..//evil.example"])
      expect((await enter(`/auth/oidc?proof=1&next=${encodeURIComponent(next)}`, browser)).to).toBe("/");
  });
});

describe("sign-in by oidc-provider", () => {
  let provider: Server;
  beforeAll(async () => {
    provider = createServer();
    await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
  });
  afterAll(async () => {
    provider.closeAllConnections();
    await new Promise((resolve) => provider.close(resolve));
  });

  it.each(["client_secret_basic", "client_secret_post"] as const)(
    "lets a person in through its own pages, as a client of %s",
    async (method) => {
      const port = await freePort();
      const url = `http://127.0.0.1:${port}`;
      const issuerUrl = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
      const { listener } = await (
        await import("../../../test/support/oidc-provider.ts")
      ).openProvider(issuerUrl, `${url}/auth/oidc/callback`, client, method);
      provider.removeAllListeners("request").on("request", listener);
      await using database = await testDatabase();
      const oidc = { issuer: issuerUrl, clientId: client.id, clientSecret: client.secret, name: "Example ID" };
      await using admin = await openAdminOn(database.url, { port, publicAdminUrl: url, oidc });
      await admin.signUp("ann@example.com");
      const browser = createBrowser();
      let page = await browser.follow(`${url}/auth/oidc`);
      for (const form of [{ prompt: "login", login: "ann@example.com", password: "x" }, { prompt: "consent" }]) {
        const sent = await browser.visit(page.url, new URLSearchParams(form));
        page = await browser.follow(new URL(sent.answer.headers.get("location") ?? "", sent.url), (next) => next.href === `${url}/`);
      }
      expect(page.url.href).toBe(`${url}/`);
      const token = browser.jarOf(url).get("tidings_session") ?? "";
      expect((await admin.client(token).auth.me.query()).user.email).toBe("ann@example.com");
    },
  );
});
