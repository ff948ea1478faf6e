import { randomBytes } from "node:crypto";
import type { RefusalName } from "gateway/refusal";
import type { Gateway } from "gateway/start";
import { newId } from "shared/db/ids";
import { signBody } from "shared/secrets/signature";
import { makeSiteKey } from "shared/secrets/site-key";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { testDatabase, type TestDatabase } from "../support/database.ts";
import { documentedRefusals, refusalBody } from "../support/documented-refusals.ts";
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
  refusal: RefusalName;
  sender?: () => Shop;
  payload?: unknown;
  options?: () => PostOptions;
}

const refusals: Refused[] = [
  { name: "no site key", refusal: "missing_site_key", options: () => header(key, null) },
  { name: "an empty site key", refusal: "missing_site_key", options: () => header(key, "") },
  { name: "a key of no shape", refusal: "invalid_site_key", options: () => header(key, "sk_live_x") },
  { name: "a key of no site", refusal: "invalid_site_key", options: () => header(key, makeSiteKey(newId()).key) },
  { name: "another key of the site", refusal: "invalid_site_key", options: () => header(key, makeSiteKey(shop.siteId).key) },
  { name: "no signature", refusal: "invalid_signature", options: () => header(signature, null) },
  {
    name: "another secret's signature",
    refusal: "invalid_signature",
    options: () => header(signature, signBody("other", Buffer.from(JSON.stringify(anEvent)))),
  },
  {
    name: "an upper-case signature",
    refusal: "invalid_signature",
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
    refusal: "invalid_signature",
    options: () => header(signature, signBody(shop.secret, Buffer.from(JSON.stringify(anEvent))).slice(7)),
  },
  { name: "a timestamp that is no integer", refusal: "stale_timestamp", options: () => header(timestamp, "12.5") },
  { name: "a timestamp in words", refusal: "stale_timestamp", options: () => header(timestamp, "now") },
  { name: "an old timestamp", refusal: "stale_timestamp", options: () => header(timestamp, secondsAgo(305)) },
  { name: "a timestamp of the future", refusal: "stale_timestamp", options: () => header(timestamp, secondsAgo(-305)) },
  {
    name: "no timestamp where it is required",
    refusal: "missing_timestamp",
    sender: () => strict,
    options: () => header(timestamp, null),
  },
  {
    name: "an empty timestamp where it is required",
    refusal: "missing_timestamp",
    sender: () => strict,
    options: () => header(timestamp, ""),
  },
  { name: "a disabled site", refusal: "site_disabled", sender: () => disabled },
  { name: "another content type", refusal: "unsupported_content_type", options: () => header("Content-Type", "text/plain") },
  {
    name: "a look-alike content type",
    refusal: "unsupported_content_type",
    options: () => header("Content-Type", "application/json5"),
  },
  { name: "a content encoding", refusal: "unsupported_content_type", options: () => header("Content-Encoding", "gzip") },
  { name: "no JSON", refusal: "malformed_json", payload: "{" },
  { name: "an empty body", refusal: "malformed_json", payload: "" },
  { name: "a byte order mark", refusal: "malformed_json", payload: "\uFEFF{}" },
  { name: "invalid UTF-8", refusal: "malformed_json", payload: Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]) },
  { name: "an array", refusal: "not_an_object", payload: "[]" },
  { name: "null", refusal: "not_an_object", payload: "null" },
  { name: "a text", refusal: "not_an_object", payload: '"x"' },
  { name: "an event name with a space", refusal: "invalid_event_name", options: () => ({ event: "order%20created" }) },
  { name: "an event name with an empty part", refusal: "invalid_event_name", options: () => ({ event: "order..created" }) },
  { name: "an event name that is too long", refusal: "invalid_event_name", options: () => ({ event: "a".repeat(129) }) },
  { name: "a source with a slash", refusal: "invalid_source", options: () => ({ source: "a%2Fb" }) },
  { name: "a source that is too long", refusal: "invalid_source", options: () => ({ source: "a".repeat(65) }) },
  {
    name: "a key that is not ASCII",
    refusal: "invalid_idempotency_key",
    options: () => header("X-Service-Idempotency-Key", "\u00fc"),
  },
  {
    name: "a key that is too long",
    refusal: "invalid_idempotency_key",
    options: () => header("X-Service-Idempotency-Key", "k".repeat(256)),
  },
  { name: "an unknown mode", refusal: "invalid_mode", options: () => header("X-Service-Mode", "tset") },
  { name: "a body over the cap", refusal: "body_too_large", payload: { pad: "x".repeat(2000) } },
  {
    name: "a body over the cap, before the key",
    refusal: "body_too_large",
    payload: { pad: "x".repeat(2000) },
    options: () => header(key, null),
  },
];

describe("is refused", () => {
  it.each(refusals)("$name", async ({ refusal, sender = () => shop, payload = anEvent, options = () => ({}) }) => {
    platform.sends.splice(0);
    const posted = await postEvent(gateway, sender(), payload, options());
    expect([posted.status, posted.body]).toEqual([documentedRefusals[refusal][0], refusalBody(refusal)]);
    expect(posted.headers.get("access-control-allow-origin")).toBe("*");
    expect(posted.headers.get("content-type")).toMatch(/^application\/json/);
    expect(platform.sends).toEqual([]);
  });

  it("what is over a site's rate", async () => {
    const posted = await Promise.all(Array.from({ length: 8 }, () => postEvent(gateway, limited)));
    const refused = posted.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]?.body).toBe(refusalBody("rate_limited"));
    expect(refused[0]?.headers.get("retry-after")).toBe("1");
    expect(posted.some(({ status }) => status === 200)).toBe(true);
  });
});

/** Each request has every fault from its own on, so it shows which is judged first. */
describe("the order of checks", () => {
  const faults: { refusal: RefusalName; sender?: () => Shop; mend: (options: FaultyOptions) => void; payload?: unknown }[] = [
    { refusal: "missing_site_key", mend: ({ headers }) => void (headers[key] = shop.key) },
    { refusal: "invalid_signature", mend: ({ headers }) => delete headers[signature] },
    { refusal: "stale_timestamp", mend: ({ headers }) => delete headers[timestamp] },
    { refusal: "unsupported_content_type", mend: ({ headers }) => delete headers["Content-Type"] },
    { refusal: "malformed_json", mend: () => undefined },
    { refusal: "invalid_event_name", mend: (options) => void (options.event = "order.created"), payload: "{}" },
    { refusal: "invalid_source", mend: (options) => void (options.source = "generic"), payload: "{}" },
    { refusal: "invalid_idempotency_key", mend: ({ headers }) => delete headers["X-Service-Idempotency-Key"], payload: "{}" },
    { refusal: "invalid_mode", mend: ({ headers }) => delete headers["X-Service-Mode"], payload: "{}" },
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
    for (const { refusal, mend, payload = "{" } of faults) {
      expect((await postEvent(gateway, shop, payload, options)).body).toBe(refusalBody(refusal));
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
    ["a timestamp almost 300 s old", () => header(timestamp, secondsAgo(290))],
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
