import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { forgetMade } from "shared/db/made-once";
import { topics } from "shared/docs/topics";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { filled, fullAccount, type FullAccount, sharedPhone } from "../../../test/support/admin-shops.ts";
import { adminDefaults, callProcedure, openAdmin, openAdminOn, type OpenAdmin, procedurePaths } from "../../../test/support/admin.ts";
import { data } from "../../../test/support/data.ts";
import isolation from "../../../test/support/procedures/isolation.json" with { type: "json" };
import { restProcedures } from "../rest/procedures.ts";
import { SandboxRefusal } from "../sandbox/client.ts";

interface Operation {
  operationId: string;
  summary: string;
  "x-input"?: object;
  parameters?: { name: string; schema?: object; content?: object }[];
  responses: Record<string, { $ref?: string; content?: { "application/json": { schema: object; example?: unknown } } }>;
}

interface Document {
  paths: Record<string, Record<"get" | "post", Operation | undefined>>;
  components: { responses: Record<string, { content: { "application/json": { schema: object } } }>; schemas: Record<string, object> };
}

const cases: Record<string, { refused?: object; hidden?: object }[]> = isolation;
/** What only people may call, and what is no call. */
const elsewhere =
  /^(auth\.(?!me$|state$)|users\.|tokens\.create$|people\.(?:erase|confirmErasure)$|settings\.(?:save|remove)Assistant$|(?:events|webhooks)\.tail$|assistant\.follow$)/;
const inputs = procedurePaths
  .filter((path) => !elsewhere.test(path))
  .map((path) => ({ path, input: cases[path]?.[0]?.refused ?? cases[path]?.[0]?.hidden ?? {} }));

describe("the REST API", () => {
  let admin: OpenAdmin;
  let mine: FullAccount;
  let token: string;
  let document: Document;
  const ajv = new Ajv2020({ strict: false, inlineRefs: false, validateSchema: false, code: { optimize: false } });
  const validators = new Map<string, ValidateFunction>();
  beforeAll(async () => {
    const refusing = { ...sharedPhone, openAccount: async () => Promise.reject(new SandboxRefusal({ text: "busy", values: {} })) };
    admin = await openAdmin({ isSandbox: true }, { sandbox: refusing });
    mine = await fullAccount(admin, "rest");
    token = (await mine.client.tokens.create.mutate({ name: "Program", role: "owner" })).token;
    document = (await (await admin.fetch("/api/openapi.json")).json()) as Document;
    ajv.addSchema({ $id: "document", components: document.components });
  });
  afterAll(async () => admin[Symbol.asyncDispose]());

  const addressOf = (path: string) => `/api/v1/${path.replaceAll(".", "/")}`;
  const bearer = (of = token) => ({ authorization: `Bearer ${of}` });
  const get = async (path: string, input: object, of = token) => {
    const query = new URLSearchParams(
      Object.entries(input).map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]),
    );
    return admin.fetch(`${addressOf(path)}?${query}`, { headers: bearer(of) });
  };
  const post = async (path: string, input: object, of = token) =>
    admin.fetch(addressOf(path), {
      method: "POST",
      headers: { ...bearer(of), "content-type": "application/json" },
      body: JSON.stringify(input),
    });

  /** What is wrong with an answer by the document. */
  function faults(path: string, status: number, answer: unknown): unknown {
    const { get: query, post: mutation } = document.paths[addressOf(path)] ?? {};
    const described = (query ?? mutation)?.responses[status];
    const named = described?.$ref?.split("/").at(-1);
    const schema = (named === undefined ? described : document.components.responses[named])?.content?.["application/json"].schema;
    if (schema === undefined) return `${path} answers ${status}, which is not described`;
    const key = named ?? `${path} ${status}`;
    const validate = validators.get(key) ?? ajv.compile(rooted(schema));
    validators.set(key, validate);
    return validate(answer) ? null : { path, status, errors: validate.errors, answer };
  }
  const rooted = (schema: object): object => JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"document#/')) as object;

  it("the queries that are said to answer CONFLICT do, and no others are", async () => {
    const question = { kind: "draftTemplate", input: { request: "Tell that the order is on its way", language: "en" } };
    const asked = {
      "assistant.preview": { question },
      "sandbox.messages": {},
      "setup.plan": { setup: { version: 1 }, planned: "another" },
    };
    const told = [...restProcedures.values()].filter(({ method, refusals }) => method === "GET" && refusals.includes("CONFLICT"));
    expect(told.map(({ path }) => path).toSorted()).toEqual(Object.keys(asked));
    const { token: fresh } = await admin.signUp();
    const codes = Object.entries(asked).map(async ([path, input]) => (await callProcedure(admin, path, input, fresh)).code);
    expect(await Promise.all(codes)).toEqual(["CONFLICT", "CONFLICT", "CONFLICT"]);
  });

  it("has every procedure that a token may call, and no other", () => {
    expect(Object.keys(document.paths).toSorted()).toEqual([...new Set(inputs.map(({ path }) => addressOf(path)))].toSorted());
    for (const [address, { get: query, post: mutation }] of Object.entries(document.paths)) {
      expect(addressOf((query ?? mutation)?.operationId ?? "")).toBe(address);
      expect((query === undefined) !== (mutation === undefined)).toBe(true);
    }
    // Beside what another account's ids are refused by: what takes a clientId or a file's id, and the link of a mail.
    const besides = ["alerts.addChannel", "alerts.confirm", "setup.plan", "setup.update", "sites.create", "templates.create"];
    const misses = [...restProcedures.values()].filter(({ refusals }) => refusals.includes("NOT_FOUND")).map(({ path }) => path);
    const refusing = inputs.filter(({ path }) => cases[path]?.some(({ refused }) => refused !== undefined)).map(({ path }) => path);
    expect(new Set(misses)).toEqual(new Set([...refusing, ...besides]));
  });

  it("says of each what it does, and shows a call that was made and still fits: `LIVED_EXAMPLES=write` before lived.test.ts makes them anew", () => {
    const operations = Object.values(document.paths).map(({ get: query, post: mutation }) => (query ?? mutation) as Operation);
    expect(operations.filter(({ summary }) => !/^[A-Z].* /.test(summary))).toEqual([]);
    expect(operations.filter((operation) => operation["x-input"] === undefined)).toEqual([]);
    for (const { operationId: path, responses, "x-input": input = {} } of operations) {
      restProcedures.get(path)?.check(input);
      expect(faults(path, 200, responses[200]?.content?.["application/json"].example)).toBeNull();
    }
  });

  it("is a part of the documentation as Markdown, which an index lists", async () => {
    const textOf = async (path: string) => (await admin.fetch(path)).text();
    const listed = [...(await textOf("/llms.txt")).matchAll(/\((http[^)]*\/developers\/[\w-]+\.md)\)/g)].map(
      ([, url]) => new URL(url ?? "").pathname,
    );
    expect(listed).toEqual(["/developers/reference.md", ...topics.map((topic) => `/developers/${topic}.md`)]);
    const texts = await Promise.all(listed.map(textOf));
    for (const text of texts) expect([text.slice(0, 1), /\{(?:base_url|admin|codes \w+|sample [\w.]+)\}/.exec(text)]).toEqual(["#", null]);
    for (const { path } of inputs) expect(texts[0]).toContain(`\n## ${path}\n`);
    expect(texts[0]).toMatch(
      /## sites\.create\n\n[^]*?`POST \/api\/v1\/sites\/create` · Role: operator[^]*?sourceType: "woocommerce" \| "shopify" \| "generic"/,
    );
    expect((await admin.fetch("/developers/nothing.md")).status).toBe(404);
  });

  it.each(inputs)("answers $path as tRPC does, and as the document says", async ({ path, input: given }) => {
    const input = filled(given, { ...mine, mine });
    const isQuery = document.paths[addressOf(path)]?.get !== undefined;
    const response = await (isQuery ? get : post)(path, input);
    const answer = (await response.json()) as { error?: { code: string; message: string; issues?: unknown[] } };
    expect(faults(path, response.status, answer)).toBeNull();
    expect(answer.error?.code).not.toBe("INTERNAL_SERVER_ERROR");
    // A mutation called twice finds another state.
    const told = isQuery
      ? await callProcedure(admin, path, input, token)
      : { status: response.status, text: JSON.stringify({ result: { data: answer } }) };
    expect(response.status).toBe(told.status);
    const same = JSON.parse(told.text) as {
      result?: { data: object };
      error?: { message: string; data: { code: string; issues: unknown } };
    };
    const { message, data } = same.error ?? {};
    const expected = data && { code: data.code, message, ...(data.issues !== null && { issues: data.issues }) };
    expect([isQuery ? answer.error : undefined, isQuery && expected === undefined ? Object.keys(answer) : []]).toEqual([
      expected,
      isQuery ? Object.keys(same.result?.data ?? {}) : [],
    ]);
  });

  it("reads numbers, booleans and objects from the query, and texts as they are", async () => {
    // Every mutation has been called by now, deletions too.
    const { siteId, templateId, owner } = await fullAccount(admin, "query");
    token = (await owner.client.tokens.create.mutate({ name: "Program", role: "owner" })).token;
    const few = await get("sites.list", { limit: 1, search: "1" });
    expect(await few.json()).toEqual({ items: [], nextCursor: null });
    const sites = (await (await get("sites.list", { halted: false, cursor: null })).json()) as { items: { id: string }[] };
    expect(sites.items.map(({ id }) => id)).toContain(siteId);
    const payload = { customer: { phone: "+491700000001" } };
    const preview = { siteId, event: "order.created", templateId, recipient: { strategy: "customer" }, variableMap: {}, payload };
    expect(await (await get("bindings.preview", preview)).json()).toEqual(await (await post("bindings.preview", preview)).json());
    const wrong = await get("sites.list", { limit: "many", lmit: 1 });
    expect([wrong.status, await wrong.json()]).toMatchObject([
      400,
      { error: { code: "BAD_REQUEST", issues: [{ path: ["limit"] }, { code: "unrecognized_keys" }] } },
    ]);
  });

  it("keeps methods, roles, scopes, audit and the way to what is gone", async () => {
    token = (await mine.client.tokens.create.mutate({ name: "Program", role: "owner" })).token;
    const viewer = (await mine.client.tokens.create.mutate({ name: "Looks", role: "viewer" })).token;
    const scoped = (await mine.client.tokens.create.mutate({ name: "Reads", role: "owner", scopes: ["read"] })).token;
    const site = { name: "By REST", url: "https://rest.example", sourceType: "generic" };
    const answers = [
      await admin.fetch(addressOf("sites.list")),
      await post("sites.create", site, viewer),
      await post("sites.create", site, scoped),
      await get("sites.create", site),
      await admin.fetch(addressOf("sites.list"), { method: "DELETE", headers: bearer() }),
      await get("sites.diagnose", {}),
      await get("sites.nothing", {}),
      await post("auth.login", { email: "a@b.example", password: "x" }),
      await get("events.tail", {}),
      await admin.fetch(addressOf("sites.create"), { method: "POST", headers: { ...bearer(), "content-type": "text/plain" }, body: "{}" }),
      await admin.fetch("/api/v1/sites.list", { headers: bearer() }),
    ];
    const told = await Promise.all(
      answers.map(async (answer) => [answer.status, ((await answer.json()) as { error: { code: string } }).error.code]),
    );
    expect(told).toEqual(data("admin-server-http-rest", "keeps methods, roles, scopes, audit and the way to what is g"));
    const made = (await (await post("sites.create", site)).json()) as { site: { id: string }; apiKey: string };
    const [entry] = (await mine.client.audit.list.query({ action: "sites.create" })).items;
    expect([made.apiKey.startsWith("sk_live_"), entry?.subject, entry?.tokenId === null]).toEqual([true, made.site.id, false]);
  });

  describe("with a clientId", () => {
    const clientId = "Bestellung 4711 ✓";
    const site = { name: "Once", url: "https://once.example", sourceType: "generic" };
    interface Made {
      site: { id: string };
      apiKey?: string;
      existing?: true;
      error?: { code: string };
    }
    let other: Awaited<ReturnType<typeof openAdminOn>>;
    let account: FullAccount;
    beforeAll(async () => {
      account = await fullAccount(admin, "once");
      token = (await account.owner.client.tokens.create.mutate({ name: "Program", role: "owner" })).token;
      other = await openAdminOn(admin.databaseUrl, { masterKey: adminDefaults.masterKey });
    });
    afterAll(async () => other[Symbol.asyncDispose]());
    const create = async (input: object, url = admin.url): Promise<Made> => {
      const headers = { ...bearer(), "content-type": "application/json" };
      return (await fetch(`${url}/api/v1/sites/create`, { method: "POST", headers, body: JSON.stringify(input) })).json() as Promise<Made>;
    };

    it("makes one object of the same input, also at once at two servers, and tells its secrets once", async () => {
      const both = await Promise.all([create({ ...site, clientId }), create({ clientId, ...site }, other.url)]);
      const again = await create({ clientId, name: site.name, sourceType: site.sourceType, url: site.url });
      expect(new Set([...both, again].map((made) => made.site.id)).size).toBe(1);
      expect([...both, again].filter(({ existing }) => existing === true)).toHaveLength(2);
      expect([...both, again].map(({ apiKey, existing }) => (apiKey === undefined) === (existing === true))).toEqual([true, true, true]);
      expect(
        (await account.client.audit.list.query({ action: "sites.create" })).items.filter(({ subject }) => subject === again.site.id),
      ).toHaveLength(1);
      expect(await create({ ...site, name: "Twice", clientId })).toMatchObject({ error: { code: "CONFLICT" } });
      for (const wrong of ["", "x".repeat(65), "a\nb"])
        expect(await create({ ...site, clientId: wrong })).toMatchObject({ error: { code: "BAD_REQUEST" } });
      // The same words mean another object in another account, and after thirty days.
      const others = await fullAccount(admin, "else");
      expect((await others.client.sites.create.mutate({ ...site, sourceType: "generic", clientId })).apiKey).toMatch(/^sk_live_/);
      await admin.sql`update made_once set made_at = made_at - interval '30 days' where account_id = ${account.account.id}`;
      expect((await create({ ...site, clientId })).existing).toBeUndefined();
      await admin.sql`update made_once set made_at = made_at - interval '30 days' where account_id = ${account.account.id}`;
      expect(await forgetMade(admin.sql, 100)).toBe(1);
      // A refused create leaves its id free.
      expect(await create({ ...site, url: "none", clientId })).toMatchObject({ error: { code: "BAD_REQUEST" } });
      expect((await create({ ...site, clientId })).existing).toBeUndefined();
    });

    it.each([
      ["recipients.add", { siteId: "<siteId>", phone: "+491700000077" }],
      ["templates.create", { name: "once", language: "en", category: "UTILITY", body: "Hello." }],
      [
        "bindings.create",
        { siteId: "<siteId>", event: "once.only", templateId: "<templateId>", recipient: { strategy: "customer" }, variableMap: {} },
      ],
      ["webhooks.create", { siteId: "<siteId>", url: "https://once.example/hook", types: ["message.sent"] }],
      ["views.create", { list: "log", name: "Once", filter: { status: "failed" } }],
      ["alerts.addChannel", { kind: "webhook", url: "https://once.example/alert" }],
    ])("%s takes one", async (path, given) => {
      const input = { ...filled(given, account), clientId };
      const [first, repeat] = [await post(path, input), await post(path, input)];
      const [made, existing] = [(await first.json()) as Record<string, unknown>, (await repeat.json()) as Record<string, unknown>];
      const { secret: _, ...open } = made;
      expect(existing).toEqual({ ...open, existing: true });
      expect([faults(path, first.status, made), faults(path, repeat.status, existing)]).toEqual([null, null]);
    });
  });
});
