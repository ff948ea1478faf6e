import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { createTRPCClient, httpBatchLink, httpBatchStreamLink } from "@trpc/client";
import { pino } from "pino";
import { request } from "undici";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openAdmin, openAdminOn, password, type OpenAdmin, refusal, signedIn } from "../../../test/support/admin.ts";
import { data } from "../../../test/support/data.ts";
import { waitFor } from "../../../test/support/wait-for.ts";
import type { AppRouter } from "../router.ts";

describe("the admin server's HTTP", () => {
  let admin: OpenAdmin;
  let owner: Awaited<ReturnType<OpenAdmin["signUp"]>>;
  let dashboard: string;
  beforeAll(async () => {
    dashboard = await mkdtemp(join(tmpdir(), "dashboard-"));
    await mkdir(join(dashboard, "assets"));
    await writeFile(join(dashboard, "index.html"), "<!doctype html><title>Tidings</title>");
    await writeFile(join(dashboard, "assets", "main-Ab12.js"), "export {};");
    admin = await openAdmin({}, { dashboardDirectory: dashboard });
    owner = await admin.signUp();
  });
  afterAll(async () => {
    await admin[Symbol.asyncDispose]();
    await rm(dashboard, { recursive: true });
  });
  const bearer = (): Record<string, string> => ({ authorization: `Bearer ${owner.token}` });
  const cookie = (): Record<string, string> => ({ cookie: `other=%; tidings_session=${owner.token}` });
  const get = async (path: string, headers: Record<string, string> = {}) => admin.fetch(path, { headers });
  const post = async (path: string, body: BodyInit, headers: Record<string, string> = {}) =>
    admin.fetch(path, { method: "POST", body, headers });

  it("packs a long answer for callers that read it so", async () => {
    const ask = async (encoding: string) =>
      await request(`${admin.url}/trpc/settings.get,settings.get?batch=1`, { headers: { ...bearer(), "accept-encoding": encoding } });
    const [plain, packed] = [await ask("identity"), await ask("gzip, br")];
    const [text, bytes] = [await plain.body.text(), Buffer.from(await packed.body.arrayBuffer())];
    expect([plain, packed].map(({ headers }) => headers["content-encoding"])).toEqual([undefined, "gzip"]);
    expect(packed.headers["vary"]).toMatch(/accept-encoding$/u);
    expect(gunzipSync(bytes).toString()).toBe(text);
    expect(bytes.length).toBeLessThan(text.length / 2);
    expect((await get("/trpc/auth.me", { ...bearer(), "accept-encoding": "gzip" })).headers.get("content-encoding")).toBe(null);
  });

  describe("on every answer", () => {
    it.each([
      ["the dashboard", async () => get("/"), 200],
      ["an asset", async () => get("/assets/main-Ab12.js"), 200],
      ["health", async () => get("/healthz"), 200],
      ["readiness", async () => get("/readyz"), 200],
      ["no path of programs", async () => get("/api/v9/nothing"), 404],
      ["no metrics here", async () => get("/metrics"), 404],
      ["a procedure", async () => get("/trpc/auth.me", bearer()), 200],
      ["a refusal", async () => get("/trpc/auth.me"), 401],
      ["no such procedure", async () => get("/trpc/auth.nothing"), 404],
      ["no such file", async () => get("/assets/none.js"), 404],
      ["no file by an id that is none", async () => get(`/media/${"0".repeat(36)}`, bearer()), 404],
      ["a wrong method", async () => admin.fetch("/", { method: "DELETE" }), 404],
      ["a wrong method of a procedure", async () => admin.fetch("/trpc/auth.me", { method: "PUT" }), 405],
      ["a mutation by GET", async () => get("/trpc/auth.logout", bearer()), 405],
      ["broken JSON", async () => post("/trpc/auth.login", "{", { "content-type": "application/json" }), 400],
      ["a broken query", async () => get("/trpc/sites.list?input=%7B", bearer()), 400],
      ["a path that does not decode", async () => get("/trpc/%ff", bearer()), 400],
      ["another type", async () => post("/trpc/auth.login", "{}", { "content-type": "text/plain" }), 415],
      ["a form", async () => post("/trpc/auth.logout", new FormData(), bearer()), 415],
      ["a path of dots", async () => get(`/${".".repeat(100_000)}/`), 414],
      ["a long mutation", async () => post(`/trpc/auth.login?x=${"x".repeat(9_000)}`, "{}", { "content-type": "application/json" }), 414],
      ["a long query, as previews send", async () => get(`/trpc/auth.me?input=%7B%7D&x=${"x".repeat(100_000)}`, bearer()), 200],
      ["a report of what it blocked", async () => post("/policy-reports", "{}", { "content-type": "application/csp-report" }), 204],
      ["a report of another type", async () => post("/policy-reports", "{}", { "content-type": "application/json" }), 415],
      ["long headers", async () => get("/", { "x-forwarded-for": "%".repeat(20_000) }), 431],
      ["a large body", async () => post("/trpc/auth.login", "x".repeat(5_000_000), { "content-type": "application/json" }), 413],
    ])("%s: the headers that protect", async (_, ask, status) => {
      const answer = await ask();
      expect(answer.status).toBe(status);
      const policy = answer.headers.get("content-security-policy") ?? "";
      const isFile = new URL(answer.url).pathname.startsWith("/assets/");
      const ofPage = ["script-src 'self'", "img-src 'self'", "require-trusted-types-for 'script'", "trusted-types 'none'"];
      for (const directive of isFile ? ["default-src 'none'"] : ofPage) expect(policy.split(";")).toContain(directive);
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain("unsafe");
      expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
      expect(answer.headers.get("x-frame-options")).toBe("DENY");
      expect(isFile || /camera=\(\), .*microphone=\(\)/u.test(answer.headers.get("permissions-policy") ?? "")).toBe(true);
      expect(answer.headers.get("x-powered-by")).toBeNull();
      expect(answer.headers.get("access-control-allow-origin")).toBeNull();
      const text = await answer.text();
      expect(text).not.toMatch(/node_modules|\.ts:|\.js:\d|select /);
      expect(status < 400 || "error" in (JSON.parse(text) as object)).toBe(true);
    });

    it.each([
      ["no HTTP", "nonsense\r\n\r\n", 400],
      ["endless headers", `GET / HTTP/1.1\r\nx: ${"y".repeat(200_000)}\r\n\r\n`, 431],
      [
        "a request without a clear end, and one behind it",
        "POST /trpc/auth.logout HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: a\r\n\r\n",
        400,
      ],
    ])("bytes that are %s too", async (_, bytes, status) => {
      const answer = await sendRaw(admin.url, bytes);
      expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(answer).toContain("Content-Security-Policy:");
      expect(answer).toContain("X-Content-Type-Options: nosniff");
      expect(JSON.parse(answer.split("\r\n\r\n").slice(1).join())).toEqual({ error: expect.any(String) });
    });
  });

  it("takes plain HTTP: a POST with JSON, a GET with its input, and none", async () => {
    const login = await admin.call("auth.login", { email: owner.email, password });
    expect(await login.json()).toEqual({ result: { data: { token: expect.any(String), user: owner.user } } });
    const list = await get(`/trpc/users.list?input=${encodeURIComponent('{"limit":1}')}`, bearer());
    expect(await list.json()).toMatchObject({ result: { data: { items: [{ id: owner.user.id }], nextCursor: null } } });
    expect((await get("/trpc/users.list", bearer())).status).toBe(200);
    const queryByPost = await post("/trpc/users.list", "", bearer());
    expect(queryByPost.status).toBe(200);
    expect((await post("/trpc/auth.login", "{}")).status).toBe(415);
    expect((await post("/trpc/auth.login", "")).status).toBe(400);
    expect((await post("/trpc/settings.update", "", bearer())).status).toBe(200);
  });

  it.each(
    data<[string, { method?: string; body?: string }, string][]>(
      "admin-server-http-app",
      "takes an absent input for an empty one, and names what it la",
    ),
  )("takes an absent input for an empty one, and names what it lacks: %s %o", async (path, init, member) => {
    const headers = { ...bearer(), "content-type": "application/json" };
    const answer: unknown = await (await admin.fetch(path, { ...init, headers })).json();
    const [first] = [answer].flat();
    const issues: unknown = expect.arrayContaining([expect.objectContaining({ path: [member] })]);
    expect(first).toMatchObject({ error: { message: expect.stringContaining(member), data: { code: "BAD_REQUEST", issues } } });
  });

  it.each([
    ["httpBatchLink", httpBatchLink],
    ["httpBatchStreamLink", httpBatchStreamLink],
  ])("takes what %s sends", async (_, link) => {
    const client = createTRPCClient<AppRouter>({ links: [link({ url: `${admin.url}/trpc`, headers: bearer() })] });
    const [me, users, wrong] = await Promise.all([
      client.auth.me.query(),
      client.users.list.query({ limit: 10 }),
      client.users.list.query({ limit: 0 }).catch((error: unknown) => String(error)),
    ]);
    expect(me.user).toMatchObject(owner.user);
    expect(users.items).toHaveLength(1);
    expect(wrong).toContain("limit");
    const [first, second] = await Promise.all([client.settings.update.mutate({}), client.settings.update.mutate({ timezone: "UTC" })]);
    expect(first.timezone).toBe(second.timezone);
  });

  it.each(data<[string, string, number][]>("admin-server-http-app", "asked as , answers"))(
    "asked as %s, %s answers %i",
    async (host, path, status) => {
      await using other = await openAdminOn(admin.databaseUrl, { allowedHosts: ["tidings.internal"] }, { dashboardDirectory: dashboard });
      expect((await request(other.url + path, { headers: { host } })).statusCode).toBe(status);
    },
  );

  it("has so many connections at most", async () => {
    await using other = await openAdminOn(admin.databaseUrl, {}, { maxConnections: 2 });
    const dial = async () => {
      const socket = connect(Number(new URL(other.url).port), "127.0.0.1");
      await once(socket, "connect");
      return socket;
    };
    const held = [await dial(), await dial()];
    const third = await dial();
    await once(third.resume(), "close");
    held[0]?.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    expect(String((await once(held[0] ?? third, "data"))[0])).toContain("HTTP/1.1 200");
    for (const socket of held) socket.destroy();
  });

  it.each(
    data<[{ publicAdminUrl: string; publicGatewayUrl: string }, string[]][]>(
      "admin-server-http-app",
      "warns at its start of a public URL that is plain http",
    ),
  )("%# warns at its start of a public URL that is plain http", async (urls, warned) => {
    const lines: { variable?: string }[] = [];
    const log = pino({ level: "warn" }, { write: (line: string) => void lines.push(JSON.parse(line) as { variable?: string }) });
    await using _server = await openAdminOn(admin.databaseUrl, urls, { log });
    expect(lines.flatMap(({ variable }) => variable ?? [])).toEqual(warned);
  });

  it("behind https names its cookies so that no other page sets them, takes a session by no other name, and removes both", async () => {
    await using other = await openAdminOn(admin.databaseUrl, { publicAdminUrl: "https://admin.example" });
    const signedIn = await other.call("auth.login", { email: owner.email, password });
    const set = signedIn.headers.getSetCookie();
    expect(set.map((each) => each.replace(/=.*/s, ""))).toEqual(["__Host-tidings_session", "__Host-tidings_device"]);
    for (const each of set) expect(each.split("; ")).toEqual(expect.arrayContaining(["Path=/", "Secure", "HttpOnly", "SameSite=Lax"]));
    const token = /^[^=]+=([^;]+)/.exec(set[0] ?? "")?.[1];
    const statusBy = async (name: string) => (await other.fetch("/trpc/auth.me", { headers: { cookie: `${name}=${token}` } })).status;
    expect([await statusBy("__Host-tidings_session"), await statusBy("tidings_session")]).toEqual([200, 401]);
    const out = await other.call("auth.logout", {}, { cookie: `__Host-tidings_session=${token}` });
    expect(out.headers.getSetCookie().map((each) => each.replace(/;.*/s, ""))).toEqual(["__Host-tidings_session=", "tidings_session="]);
  });

  it("a session ends 90 days after its sign-in, however often it is used", async () => {
    const { token } = await signedIn(admin.client().auth.login.mutate({ email: owner.email, password }));
    const id = createHash("sha256").update(token).digest("hex");
    await admin.sql`update user_session set created_at = now() - interval '89 days', expires_at = now() + interval '1 hour' where id = ${id}`;
    expect((await admin.client(token).auth.me.query()).user.email).toBe(owner.email);
    const [row] = await admin.sql`select expires_at = created_at + interval '90 days' as is_last from user_session where id = ${id}`;
    expect(row).toEqual({ is_last: true });
    await admin.sql`update user_session set created_at = now() - interval '91 days', expires_at = now() + interval '1 day' where id = ${id}`;
    expect((await refusal(admin.client(token).auth.me.query())).code).toBe("UNAUTHORIZED");
  });

  describe("the cookie", () => {
    it("is HttpOnly and lax, and secure where the public address is", async () => {
      const answer = await admin.call("auth.login", { email: owner.email, password });
      const parts = answer.headers.get("set-cookie")?.split("; ") ?? [];
      expect(parts).toEqual(expect.arrayContaining([expect.stringMatching(/^tidings_session=\w+$/), "HttpOnly", "SameSite=Lax", "Path=/"]));
      expect(parts).not.toContain("Secure");
      await using secure = await openAdmin({ publicAdminUrl: "https://admin.example" });
      const { email } = await secure.signUp();
      const signedIn = await secure.call("auth.login", { email, password });
      expect(signedIn.headers.get("set-cookie")?.split("; ")).toContain("Secure");
      expect(signedIn.headers.get("strict-transport-security")).toContain("max-age=");
      expect(signedIn.headers.get("reporting-endpoints")).toBe('policy="/policy-reports"');
    });

    it.each(data<[string, { origin?: string; "sec-fetch-site"?: string }, number][]>("admin-server-http-app", "from s"))(
      "from %s",
      async (_, headers, status) => {
        expect((await get("/trpc/auth.me", { ...cookie(), ...headers })).status).toBe(status);
        const answer = await admin.call("settings.update", {}, { ...cookie(), ...headers });
        expect(answer.status).toBe(status);
        expect((await answer.text()).includes("FORBIDDEN")).toBe(status === 403);
      },
    );

    it("from the server's own page, under any name of the machine", async () => {
      const { port } = new URL(admin.url);
      for (const name of ["localhost", "127.0.0.1", "[::1]"])
        expect((await admin.call("settings.update", {}, { ...cookie(), origin: `http://${name}:${port}` })).status).toBe(200);
    });

    it("does not matter to a token, and a token does not excuse it", async () => {
      const origin = "https://evil.example";
      expect((await admin.call("settings.update", {}, { ...bearer(), origin })).status).toBe(200);
      expect((await admin.call("settings.update", {}, { ...bearer(), ...cookie(), origin })).status).toBe(403);
      expect((await admin.call("settings.update", {}, { ...cookie(), authorization: "Bearer wrong" })).status).toBe(401);
      expect((await admin.call("settings.update", {}, { ...cookie(), authorization: "Basic eDp5" })).status).toBe(401);
    });
  });

  describe("the dashboard", () => {
    it("is one page for every path of its own, and its assets stay", async () => {
      for (const path of ["/", "/sites", "/sites/0193e1f0-0000-7000-8000-000000000000", "/invite"]) {
        const answer = await get(path);
        expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
        expect(answer.headers.get("cache-control")).toBe("no-cache");
        expect(await answer.text()).toContain("Tidings");
      }
      const asset = await get("/assets/main-Ab12.js");
      expect(asset.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
      expect(asset.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
      expect((await admin.fetch("/", { method: "HEAD" })).status).toBe(200);
    });

    it("gives away nothing beside it", async () => {
      for (const path of ["/../package.json", "/%2e%2e/package.json", "/assets/../../../etc/passwd", "/assets//", "//etc/passwd.txt"])
        expect(await (await get(path)).text()).not.toMatch(/"name"|root:/);
    });

    it("says how to build it when it is not there", async () => {
      await using bare = await openAdmin({}, { dashboardDirectory: join(dashboard, "none") });
      const answer = await bare.fetch("/");
      expect(answer.status).toBe(404);
      expect(await answer.json()).toEqual({ error: expect.stringContaining("npm run build") });
      expect((await bare.fetch("/healthz")).status).toBe(200);
    });
  });

  it("limits each access token, and no other", async () => {
    const make = async (name: string) => (await owner.client.tokens.create.mutate({ name, role: "viewer" })).token;
    const [busy, calm] = [await make("busy"), await make("calm")];
    const ask = async (token: string) => get("/trpc/auth.me", { authorization: `Bearer ${token}` });
    let refused: Response | undefined;
    for (let n = 0; n < 100 && refused === undefined; n += 1)
      refused = (await Promise.all(Array.from({ length: 50 }, async () => ask(busy)))).find(({ status }) => status !== 200);
    expect([refused?.status, Number(refused?.headers.get("retry-after")) > 0]).toEqual([429, true]);
    expect(await refused?.json()).toMatchObject({ error: { data: { code: "TOO_MANY_REQUESTS" } } });
    expect((await ask(calm)).status).toBe(200);
    // The allowance grows again meanwhile, which a machine with much other work hardly outruns.
  }, 240_000);

  it("lives without its database, and is not ready", async () => {
    await using other = await openAdmin();
    const name = new URL(other.databaseUrl).pathname.slice(1);
    await admin.owner`alter database ${admin.owner(name)} with allow_connections false`;
    await admin.owner`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tidings-admin' and datname = ${name}`;
    const answer = await other.fetch("/readyz");
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ status: "degraded", database: "away" });
    expect((await other.fetch("/healthz")).status).toBe(200);
    await admin.owner`alter database ${admin.owner(name)} with allow_connections true`;
    await waitFor("it to be ready", async () => (await other.fetch("/readyz")).status === 200);
  });

  const customer = { strategy: "customer" } as const;

  async function openShop() {
    const { client, token } = await admin.signUp();
    const { site } = await client.sites.create.mutate({ name: "Shop", url: "https://shop.example", sourceType: "generic" });
    const { template } = await client.templates.create.mutate(data("admin-server-http-app", "the admin servers HTTP"));
    return { client, token, siteId: site.id, templateId: template.id };
  }

  it("a body is small from a stranger, nests a hundred levels at most, and has no more values than an event", async () => {
    const { token } = await openShop();
    const headers = { authorization: `Bearer ${token}` };
    const login = (length: number) => admin.call("auth.login", { email: "a".repeat(length), password: "x" });
    expect((await login(60_000)).status).toBe(400);
    expect((await login(70_000)).status).toBe(413);
    expect((await admin.call("sites.list", { search: "a".repeat(70_000) }, headers)).status).toBe(400);
    const nested = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`;
    const post = async (body: string) =>
      (await admin.fetch("/trpc/sites.list", { method: "POST", headers: { ...headers, "content-type": "application/json" }, body })).text();
    expect(await post(`{"search":${nested(99)}}`)).not.toContain("nested deeper");
    expect(await post(`{"search":${nested(100)}}`)).toContain("nested deeper");
    expect(await post(`{"search":"\\"${"[".repeat(200)}"}`)).not.toContain("nested deeper");
    const many = JSON.stringify({ payload: Array.from({ length: 131_070 }, () => ({})) });
    expect(await post(many)).toContain("Has too many values");
    expect(await post(many.replace("{},", "1,"))).toContain("Unrecognized key");
    const query = encodeURIComponent(`{"search":${nested(100)}}`);
    expect(await (await admin.fetch(`/trpc/sites.list?input=${query}`, { headers })).text()).toContain("nested deeper");
  });

  it("lists and syncs take no input at all, and a preview is also taken as POST, with a payload as large as an event", async () => {
    const { token, siteId, templateId } = await openShop();
    const headers = { authorization: `Bearer ${token}` };
    for (const list of ["sites.list", "templates.list", "bindings.list", "events.list", "notifications.list"]) {
      const answer = await admin.fetch(`/trpc/${list}`, { headers });
      expect([list, answer.status, await answer.json()]).toMatchObject([
        list,
        200,
        { result: { data: { items: expect.any(Array), nextCursor: null } } },
      ]);
    }
    expect((await admin.fetch("/trpc/templates.sync", { method: "POST", headers })).status).toBe(409);
    const payload = `{"customer":{"first_name":"${"A".repeat(1_000_000)}"},"order":{"id":12345678901234567890}}`;
    const variableMap = { body: { "1": { source: "field" as const, path: "order.id" } } };
    const input = { siteId, event: "order.created", templateId, recipient: customer, variableMap, payload };
    const preview = await admin.call("bindings.preview", input, headers);
    expect(await preview.json()).toMatchObject({ result: { data: { recipients: [], text: "Hello 12345678901234567890, all is well." } } });
  });
});

/** The server's answer to raw bytes, until it closes. */
const sendRaw = async (url: string, bytes: string): Promise<string> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(url);
    const chunks: Buffer[] = [];
    const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(bytes));
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(Buffer.concat(chunks).toString()));
  });
