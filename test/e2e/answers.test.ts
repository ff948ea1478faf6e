import { randomBytes } from "node:crypto";
import type { Gateway } from "gateway/start";
import { newId } from "shared/db/ids";
import { signBody } from "shared/secrets/signature";
import { makeSiteKey } from "shared/secrets/site-key";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { openGateway, openShop, type Shop } from "../support/gateway.ts";
import { type ScriptedPlatform, startScriptedPlatform } from "../support/platform.ts";
import { anEvent, type PostOptions, postEvent } from "../support/requests.ts";

let database: TestDatabase;
let platform: ScriptedPlatform;
let gateway: Gateway;
let shop: Shop;
let strict: Shop;
let disabled: Shop;
let limited: Shop;

beforeAll(async () => {
  database = await testDatabase();
  platform = await startScriptedPlatform();
  gateway = await openGateway(database.url, platform.url, { maxBodyBytes: 2000 });
  [shop, strict, disabled, limited] = await Promise.all([
    openShop(database.sql),
    openShop(database.sql),
    openShop(database.sql),
    openShop(database.sql),
  ]);
  await database.sql`update site set require_timestamp = true where id = ${strict.siteId}`;
  await database.sql`update site set enabled = false where id = ${disabled.siteId}`;
  await database.sql`update site set rate_limit_per_second = 1 where id = ${limited.siteId}`;
});
afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]();
  await platform?.[Symbol.asyncDispose]();
  await database?.[Symbol.asyncDispose]();
});

const secondsAgo = (seconds: number): string => String(Math.floor(Date.now() / 1000) - seconds);
const header = (name: string, value: string | null): PostOptions => ({ headers: { [name]: value } });
const key = "X-Service-Site-Key";
const signature = "X-Service-Signature";
const timestamp = "X-Service-Timestamp";

interface FaultyOptions {
  source: string;
  event: string;
  headers: Record<string, string | null>;
}

interface Refused {
  name: string;
  status: number;
  error: string;
  sender?: () => Shop;
  payload?: unknown;
  options?: () => PostOptions;
}

const refusals: Refused[] = [
  { name: "no site key", status: 401, error: "Missing site key", options: () => header(key, null) },
  { name: "an empty site key", status: 401, error: "Missing site key", options: () => header(key, "") },
  { name: "a key of no shape", status: 401, error: "Invalid site key", options: () => header(key, "sk_live_x") },
  { name: "a key of no site", status: 401, error: "Invalid site key", options: () => header(key, makeSiteKey(newId()).key) },
  { name: "another key of the site", status: 401, error: "Invalid site key", options: () => header(key, makeSiteKey(shop.siteId).key) },
  { name: "no signature", status: 401, error: "Invalid signature", options: () => header(signature, null) },
  {
    name: "another secret's signature",
    status: 401,
    error: "Invalid signature",
    options: () => header(signature, signBody("other", Buffer.from(JSON.stringify(anEvent)))),
  },
  {
    name: "an upper-case signature",
    status: 401,
    error: "Invalid signature",
    options: () =>
      header(
        signature,
        signBody(shop.secret, Buffer.from(JSON.stringify(anEvent)))
          .toUpperCase()
          .replace("SHA256", "sha256"),
      ),
  },
  {
    name: "a bare hex signature",
    status: 401,
    error: "Invalid signature",
    options: () => header(signature, signBody(shop.secret, Buffer.from(JSON.stringify(anEvent))).slice(7)),
  },
  { name: "a timestamp that is no integer", status: 401, error: "Stale timestamp", options: () => header(timestamp, "12.5") },
  { name: "a timestamp in words", status: 401, error: "Stale timestamp", options: () => header(timestamp, "now") },
  { name: "an old timestamp", status: 401, error: "Stale timestamp", options: () => header(timestamp, secondsAgo(305)) },
  { name: "a timestamp of the future", status: 401, error: "Stale timestamp", options: () => header(timestamp, secondsAgo(-305)) },
  {
    name: "no timestamp where it is required",
    status: 401,
    error: "Missing timestamp",
    sender: () => strict,
    options: () => header(timestamp, null),
  },
  {
    name: "an empty timestamp where it is required",
    status: 401,
    error: "Missing timestamp",
    sender: () => strict,
    options: () => header(timestamp, ""),
  },
  { name: "a disabled site", status: 403, error: "Site is disabled", sender: () => disabled },
  { name: "another content type", status: 415, error: "Unsupported content type", options: () => header("Content-Type", "text/plain") },
  {
    name: "a look-alike content type",
    status: 415,
    error: "Unsupported content type",
    options: () => header("Content-Type", "application/json5"),
  },
  { name: "a content encoding", status: 415, error: "Unsupported content type", options: () => header("Content-Encoding", "gzip") },
  { name: "no JSON", status: 400, error: "Malformed JSON", payload: "{" },
  { name: "an empty body", status: 400, error: "Malformed JSON", payload: "" },
  { name: "a byte order mark", status: 400, error: "Malformed JSON", payload: "\uFEFF{}" },
  { name: "invalid UTF-8", status: 400, error: "Malformed JSON", payload: Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]) },
  { name: "an array", status: 400, error: "Body must be a JSON object", payload: "[]" },
  { name: "null", status: 400, error: "Body must be a JSON object", payload: "null" },
  { name: "a text", status: 400, error: "Body must be a JSON object", payload: '"x"' },
  { name: "an event name with a space", status: 400, error: "Invalid event name", options: () => ({ event: "order%20created" }) },
  { name: "an event name with an empty part", status: 400, error: "Invalid event name", options: () => ({ event: "order..created" }) },
  { name: "an event name that is too long", status: 400, error: "Invalid event name", options: () => ({ event: "a".repeat(129) }) },
  { name: "a source with a slash", status: 400, error: "Invalid source", options: () => ({ source: "a%2Fb" }) },
  { name: "a source that is too long", status: 400, error: "Invalid source", options: () => ({ source: "a".repeat(65) }) },
  {
    name: "a key that is not ASCII",
    status: 400,
    error: "Invalid idempotency key",
    options: () => header("X-Service-Idempotency-Key", "\u00fc"),
  },
  {
    name: "a key that is too long",
    status: 400,
    error: "Invalid idempotency key",
    options: () => header("X-Service-Idempotency-Key", "k".repeat(256)),
  },
  { name: "an unknown mode", status: 400, error: "Invalid mode", options: () => header("X-Service-Mode", "tset") },
  { name: "a body over the cap", status: 413, error: "Body too large", payload: { pad: "x".repeat(2000) } },
  {
    name: "a body over the cap, before the key",
    status: 413,
    error: "Body too large",
    payload: { pad: "x".repeat(2000) },
    options: () => header(key, null),
  },
];

describe("is refused", () => {
  it.each(refusals)("$name", async ({ status, error, sender = () => shop, payload = anEvent, options = () => ({}) }) => {
    platform.sends.splice(0);
    const posted = await postEvent(gateway, sender(), payload, options());
    expect(posted).toMatchObject({ status, body: JSON.stringify({ error }) });
    expect(posted.headers.get("access-control-allow-origin")).toBe("*");
    expect(posted.headers.get("content-type")).toMatch(/^application\/json/);
    expect(platform.sends).toEqual([]);
  });

  it("what is over a site's rate", async () => {
    const posted = await Promise.all(Array.from({ length: 8 }, () => postEvent(gateway, limited)));
    const refused = posted.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]?.body).toBe('{"error":"Rate limit exceeded"}');
    expect(refused[0]?.headers.get("retry-after")).toBe("1");
    expect(posted.some(({ status }) => status === 200)).toBe(true);
  });
});

/** Each request has every fault from its own on, so it shows which is judged first. */
describe("the order of checks", () => {
  const faults: { error: string; sender?: () => Shop; mend: (options: FaultyOptions) => void; payload?: unknown }[] = [
    { error: "Missing site key", mend: ({ headers }) => void (headers[key] = shop.key) },
    { error: "Invalid signature", mend: ({ headers }) => delete headers[signature] },
    { error: "Stale timestamp", mend: ({ headers }) => delete headers[timestamp] },
    { error: "Unsupported content type", mend: ({ headers }) => delete headers["Content-Type"] },
    { error: "Malformed JSON", mend: () => undefined },
    { error: "Invalid event name", mend: (options) => void (options.event = "order.created"), payload: "{}" },
    { error: "Invalid source", mend: (options) => void (options.source = "generic"), payload: "{}" },
    { error: "Invalid idempotency key", mend: ({ headers }) => delete headers["X-Service-Idempotency-Key"], payload: "{}" },
    { error: "Invalid mode", mend: ({ headers }) => delete headers["X-Service-Mode"], payload: "{}" },
  ];
  it("is the documented one", async () => {
    const options: FaultyOptions = {
      source: "no source!",
      event: "No Event!",
      headers: {
        [key]: null,
        [signature]: "sha256=0",
        [timestamp]: "0",
        "Content-Type": "text/plain",
        "X-Service-Idempotency-Key": "k".repeat(300),
        "X-Service-Mode": "x",
      },
    };
    for (const { error, mend, payload = "{" } of faults) {
      expect((await postEvent(gateway, shop, payload, options)).body).toBe(JSON.stringify({ error }));
      mend(options);
    }
    expect((await postEvent(gateway, shop, "{}", options)).status).toBe(200);
  });

  it("judges a disabled site before its rate and its content", async () => {
    expect((await postEvent(gateway, disabled, "{")).status).toBe(403);
    expect((await postEvent(gateway, disabled, "{", header(timestamp, "0"))).json).toEqual({ error: "Stale timestamp" });
  });
});

describe("is accepted", () => {
  it.each([
    ["a timestamp exactly 300 s old", () => header(timestamp, secondsAgo(300))],
    ["no timestamp", () => header(timestamp, null)],
    ["an empty timestamp", () => header(timestamp, "")],
    ["a charset", () => header("Content-Type", "Application/JSON; charset=utf-8")],
    ["identity encoding", () => header("Content-Encoding", "identity")],
    ["the mode live", () => header("X-Service-Mode", "Live")],
    ["an empty mode", () => header("X-Service-Mode", "")],
    ["an empty idempotency key", () => header("X-Service-Idempotency-Key", "")],
    ["a key of 255 characters", () => header("X-Service-Idempotency-Key", "k ~".repeat(85))],
    ["a source of the customer's own", () => ({ source: "My_Shop-2.0" })],
    ["a name of 128 characters", () => ({ event: "a".repeat(128) })],
  ])("%s", async (_, options) => {
    expect((await postEvent(gateway, shop, anEvent, options())).status).toBe(200);
  });

  it("an event name in capitals, which is lowercased", async () => {
    expect((await postEvent(gateway, shop, anEvent, { event: "Order.CREATED" })).json).toMatchObject({
      event: "order.created",
      bindings_run: 1,
    });
  });

  it("another event name in the body, which decides nothing", async () => {
    const posted = await postEvent(gateway, shop, { ...anEvent, event: "order.shipped" });
    expect(posted.json).toMatchObject({ event: "order.created", chat: "sent" });
  });

  it.each([
    ["the body's event", { ...anEvent, event: "test" }, {}],
    ["the body's test flag", { ...anEvent, test: true }, {}],
  ])("a test event, by %s, which goes to the site's test phone", async (_, payload, options) => {
    platform.sends.splice(0);
    expect((await postEvent(gateway, shop, payload, options)).json["chat"]).toBe("sent");
    expect(platform.sends.map(({ body }) => body.to)).toEqual(["+15550009999"]);
  });
});

describe("JSON of any content is stored as it came", () => {
  const big = () => openGateway(database.url, platform.url, { maxBodyBytes: 2_000_000 });
  it.each([
    ["deep nesting", `{"a":${"[".repeat(500_000)}${"]".repeat(500_000)}}`],
    ["deep objects", `${'{"a":'.repeat(150_000)}1${"}".repeat(150_000)}`],
    [
      "escaped zero bytes and lone surrogates",
      String.raw`{"order":{"id":"a\u0000b","number":"\ud800"},"customer":{"first_name":"\u0000\udfff","phone_e164":"+15551230001"}}`,
    ],
    [
      "numbers that no double holds",
      `{"order":{"id":12345678901234567890,"total":1e200000},"customer":{"first_name":1e999,"phone_e164":"+15551230001"}}`,
    ],
    ["keys of the prototype", `{"__proto__":{"a":1},"constructor":{"prototype":1},"hasOwnProperty":1,"order":{"__proto__":{"id":"x"}}}`],
    ["40,000 keys", JSON.stringify(Object.fromEntries(Array.from({ length: 40_000 }, (_, i) => [`k${i}`, i])))],
    ["one key twice", `{"order":{"id":"1"},"order":{"id":"2"}}`],
    ["white space around it", ` \n\t{"order" : {"id" : "1"}} \r\n`],
    ["an order id of 400 KB", JSON.stringify({ order: { id: "x".repeat(400_000) } })],
    ["random text", JSON.stringify({ text: randomBytes(50_000).toString("latin1") })],
  ])("%s", async (_, text) => {
    await using roomy = await big();
    const posted = await postEvent(roomy, shop, text, { headers: { "X-Service-Idempotency-Key": newId() } });
    expect(posted.status).toBe(200);
    const rows = await database.sql`select payload from event_payload where id = ${String(posted.json["event_id"])}`;
    expect(rows[0]?.["payload"]).toBe(text);
  });
});
