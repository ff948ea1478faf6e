import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { signBody } from "shared/signature/sign";
import { newId } from "shared/db/new-id";
import { type TestDatabase, testDatabase } from "../../../test/support/database/test-database.ts";
import { insertNotifications } from "../../../test/support/gateway/insert-notification.ts";
import { openGateway } from "../../../test/support/gateway/open-gateway.ts";
import { postUpdates } from "../../../test/support/gateway/post-callback.ts";
import { openShop, type Shop, vault } from "../../../test/support/gateway/shop.ts";
import type { Gateway } from "../start.ts";

let database: TestDatabase;
let gateway: Gateway;
let shop: Shop;
beforeAll(async () => {
  database = await testDatabase();
  gateway = await openGateway(database.url, "http://127.0.0.1:9");
  shop = await openShop(database.sql);
});
afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]();
  await database?.[Symbol.asyncDispose]();
});

const urlOf = (accountId = shop.accountId): string => `${gateway.url}/api/public/platform/webhook/${accountId}`;
const answer = async (response: Response): Promise<[number, string]> => [response.status, await response.text()];

const post = async (body: string | Uint8Array, headers: Record<string, string> = {}, url = urlOf()): Promise<[number, string]> => {
  const bytes = Buffer.from(body);
  const signature = { "X-Hub-Signature-256": signBody(shop.appSecret, bytes) };
  return answer(await fetch(url, { method: "POST", headers: { "Content-Type": "application/json", ...signature, ...headers }, body: bytes }));
};

const envelope = (...changes: object[]): string => JSON.stringify({ object: "whatsapp_business_account", entry: [{ id: "1001", changes }] });
const ok: [number, string] = [200, '{"ok":true}'];

describe("the handshake", () => {
  const shake = async (query: Record<string, string>, accountId?: string): Promise<[number, string]> =>
    answer(await fetch(`${urlOf(accountId)}?${new URLSearchParams(query).toString()}`));
  const right = { "hub.mode": "subscribe", "hub.challenge": "1158201444", "hub.verify_token": "verify" };

  it("echoes the raw challenge as text", async () => {
    const response = await fetch(`${urlOf()}?${new URLSearchParams(right).toString()}`);
    expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(await answer(response)).toEqual([200, "1158201444"]);
  });

  it.each([{ "hub.verify_token": "wrong" }, { "hub.verify_token": "" }, { "hub.mode": "unsubscribe" }, { "hub.mode": "" }])("refuses %j", async (wrong) => {
    expect(await shake({ ...right, ...wrong })).toEqual([403, '{"error":"Invalid verify token"}']);
  });

  it("knows no other account", async () => {
    for (const accountId of [newId(), "nobody", "..%2f", "%ff"]) expect(await shake(right, accountId)).toEqual([404, '{"error":"Not found"}']);
  });
});

describe("the signature", () => {
  const invalid: [number, string] = [401, '{"error":"Invalid signature"}'];

  it("covers the raw bytes, whatever they say", async () => {
    const escaped = String.raw`{"object":"whatsapp_business_account","entry":[],"note":"caf\u00e9 \/"}`;
    expect(await post(escaped)).toEqual(ok);
    expect(await post(escaped, { "X-Hub-Signature-256": signBody(shop.appSecret, Buffer.from(JSON.stringify(JSON.parse(escaped)))) })).toEqual(invalid);
  });

  it("missing, malformed or of another secret: 401", async () => {
    const body = envelope();
    const good = signBody(shop.appSecret, Buffer.from(body));
    for (const signature of ["", good.slice(7), good.toUpperCase(), `${good}0`, "sha256=", signBody("other", Buffer.from(body))]) {
      expect(await post(body, { "X-Hub-Signature-256": signature })).toEqual(invalid);
    }
    expect(await answer(await fetch(urlOf(), { method: "POST", body }))).toEqual(invalid);
  });

  it("without a stored secret, or without a platform account: 401", async () => {
    const bare = await openShop(database.sql, { platform: null });
    expect(await post(envelope(), {}, urlOf(bare.accountId))).toEqual(invalid);
    const secretless = await openShop(database.sql);
    await database.sql`update platform_account set app_secret = null where account_id = ${secretless.accountId}`;
    expect(await post(envelope(), { "X-Hub-Signature-256": signBody("", Buffer.from(envelope())) }, urlOf(secretless.accountId))).toEqual(invalid);
  });

  it("of a new secret counts at once", async () => {
    const other = await openShop(database.sql);
    await database.sql`update platform_account set app_secret = ${vault.encrypt("fresh")} where account_id = ${other.accountId}`;
    expect(await post(envelope(), { "X-Hub-Signature-256": signBody("fresh", Buffer.from(envelope())) }, urlOf(other.accountId))).toEqual(ok);
    expect(await post(envelope(), { "X-Hub-Signature-256": signBody(other.appSecret, Buffer.from(envelope())) }, urlOf(other.accountId))).toEqual(invalid);
  });

  it("is not asked of an account that does not exist: 404", async () => {
    for (const accountId of [newId(), "x"]) expect(await post(envelope(), {}, urlOf(accountId))).toEqual([404, '{"error":"Not found"}']);
  });
});

describe("a callback", () => {
  it("of up to 3 MB is taken, a larger one is not", async () => {
    const filler = (bytes: number): string => {
      const start = '{"entry":[],"filler":"';
      return `${start}${"x".repeat(bytes - start.length - 2)}"}`;
    };
    expect(await post(filler(3 * 1024 * 1024))).toEqual(ok);
    expect(await post(filler(3 * 1024 * 1024 + 1))).toEqual([413, '{"error":"Body too large"}']);
  });

  it("finds its notification by our reference before the platform's id is known, and by that id without a reference", async () => {
    const [first, second] = await insertNotifications(database.sql, shop, [{ status: "sending" }, { status: "sent", waMessageId: "wamid.second" }]);
    const response = await postUpdates(gateway, shop, [
      { id: "wamid.first", status: "delivered", timestamp: "1790000001", biz_opaque_callback_data: first?.reference },
      { id: "wamid.second", status: "read", timestamp: "1790000002" },
      { id: "wamid.second", status: "sent", timestamp: 1790000000 },
      { id: "wamid.unknown", status: "read", timestamp: "1790000002" },
      { id: "wamid.unknown", status: "read", timestamp: "1790000002", biz_opaque_callback_data: "somebody else's" },
    ]);
    expect(await answer(response)).toEqual(ok);
    const rows = await database.sql`
      select id, status, wa_message_id, sent_at, delivered_at, read_at from notification where id = any(${[first?.id ?? "", second?.id ?? ""]}::uuid[]) order by id`;
    expect(rows).toEqual([
      { id: first?.id, status: "delivered", wa_message_id: "wamid.first", sent_at: null, delivered_at: new Date(1790000001000), read_at: null },
      { id: second?.id, status: "read", wa_message_id: "wamid.second", sent_at: new Date(1790000000000), delivered_at: null, read_at: new Date(1790000002000) },
    ]);
  });

  it("keeps the platform's error", async () => {
    const [row] = await insertNotifications(database.sql, shop, [{ status: "sent" }]);
    const errors = [{ code: 131026, title: "Message undeliverable", message: "Message undeliverable", error_data: { details: "Not on it." } }];
    await postUpdates(gateway, shop, [{ id: "wamid.f", status: "failed", timestamp: "1790000042", biz_opaque_callback_data: row?.reference, errors }]);
    const [stored] = await database.sql`select status, error_code, error_reason, error_detail, failed_at from notification where id = ${row?.id ?? ""}`;
    expect(stored).toEqual({
      status: "failed", error_code: "131026", error_reason: "Message undeliverable: Not on it.", error_detail: JSON.stringify(errors), failed_at: new Date(1790000042000),
    });
  });

  it("that collides with others of the same messages waits its turn: none is lost, none fails", async () => {
    const rows = await insertNotifications(database.sql, shop, Array.from({ length: 200 }, () => ({ status: "sending" as const })));
    const updates = rows.map(({ reference }, i) => ({ id: `wamid.c${i}`, status: "sent", timestamp: "1790000000", biz_opaque_callback_data: reference }));
    const calls = ["sent", "delivered", "read", "failed"].flatMap((status) => [updates, updates.toReversed()].map((list) => list.map((update) => ({ ...update, status }))));
    const responses = await Promise.all([...calls, ...calls].map(async (list) => postUpdates(gateway, shop, list)));
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
    const counts = await database.sql`
      select status, count(*)::integer as n from notification where id = any(${rows.map(({ id }) => id)}::uuid[]) group by status`;
    expect(counts).toEqual([{ status: "read", n: 200 }]);
  });

  it("is noted once a minute, when it carries statuses", async () => {
    const other = await openShop(database.sql);
    const lastAt = async (): Promise<Date | undefined> =>
      (await database.sql<{ last_at: Date }[]>`select last_at from platform_callback where account_id = ${other.accountId}`)[0]?.last_at;
    const status = { id: "wamid.x", status: "sent", timestamp: "1790000000" };
    await postUpdates(gateway, other, []);
    expect(await lastAt()).toBeUndefined();
    await postUpdates(gateway, other, [status]);
    const first = await lastAt();
    expect(first).toBeInstanceOf(Date);
    await postUpdates(gateway, other, [status]);
    expect(await lastAt()).toEqual(first);
    await database.sql`update platform_callback set last_at = now() - interval '61 seconds' where account_id = ${other.accountId}`;
    await postUpdates(gateway, other, [status]);
    expect((await lastAt())?.getTime()).toBeGreaterThanOrEqual(first?.getTime() ?? Infinity);
  });
});

describe("a failure that lies with the account", () => {
  const fail = async (at: Date): Promise<string | null> => {
    const other = await openShop(database.sql);
    const [row] = await insertNotifications(database.sql, other, [{ status: "sent" }]);
    const timestamp = String(Math.floor(at.getTime() / 1000));
    await postUpdates(gateway, other, [{ id: "wamid.p", status: "failed", timestamp, biz_opaque_callback_data: row?.reference, errors: [{ code: 131042, title: "Payment" }] }]);
    const [account] = await database.sql<{ stopped_code: string | null }[]>`select stopped_code from platform_account where account_id = ${other.accountId}`;
    return account?.stopped_code ?? null;
  };

  it("pauses it", async () => {
    expect(await fail(new Date(Date.now() + 2_000))).toBe("131042");
  });

  it("but not when it is old news", async () => {
    expect(await fail(new Date(Date.now() - 120_000))).toBeNull();
  });
});

describe("template updates", () => {
  const update = (value: object): string => envelope({ field: "message_template_status_update", value });
  const statusOf = async (id: string): Promise<unknown> =>
    (await database.sql`select status, reason, category, platform_id from template where id = ${id}`)[0];

  it("find the template by name and language, then by the platform's id", async () => {
    const [{ name } = { name: "" }] = await database.sql<{ name: string }[]>`
      update template set status = 'pending' where id = ${shop.templateId} returning name`;
    const named = { message_template_id: 1234567890123456789n, message_template_name: name, message_template_language: "en_US" };
    const text = update({ ...named, message_template_id: 0, event: "APPROVED", reason: "NONE" }).replace(':0,', ":1234567890123456789,");
    expect(await post(text)).toEqual(ok);
    expect(await statusOf(shop.templateId)).toEqual({ status: "approved", reason: null, category: "UTILITY", platform_id: "1234567890123456789" });
    const paused = update({ message_template_id: 0, event: "PAUSED", other_info: { title: "FIRST_PAUSE" } }).replace(':0,', ":1234567890123456789,");
    expect(await post(paused)).toEqual(ok);
    expect(await statusOf(shop.templateId)).toMatchObject({ status: "paused", reason: "FIRST_PAUSE" });
    expect(await post(update({ message_template_id: "99", message_template_name: name, message_template_language: "en_US", event: "DELETED" }))).toEqual(ok);
    expect(await statusOf(shop.templateId)).toMatchObject({ status: "paused" });
    expect(await post(update({ message_template_name: name, message_template_language: "en_US", previous_category: "UTILITY", new_category: "MARKETING" }))).toEqual(ok);
    expect(await statusOf(shop.templateId)).toMatchObject({ status: "paused", reason: "FIRST_PAUSE", category: "MARKETING" });
  });

  it("bump the account's configuration once, and not at all when they say nothing new", async () => {
    const other = await openShop(database.sql);
    const [{ name } = { name: "" }] = await database.sql<{ name: string }[]>`select name from template where id = ${other.templateId}`;
    const version = async (): Promise<unknown> => (await database.sql`select config_version from account where id = ${other.accountId}`)[0]?.["config_version"];
    const body = Buffer.from(update({ message_template_id: 7, message_template_name: name, message_template_language: "en_US", event: "DISABLED" }));
    const send = async (): Promise<[number, string]> => post(body, { "X-Hub-Signature-256": signBody(other.appSecret, body) }, urlOf(other.accountId));
    const before = Number(await version());
    expect([await send(), await send(), Number(await version()) - before]).toEqual([ok, ok, 1]);
  });

  it("leave a draft and another account's template alone", async () => {
    const other = await openShop(database.sql);
    const [{ name } = { name: "" }] = await database.sql<{ name: string }[]>`
      update template set status = 'draft' where id = ${other.templateId} returning name`;
    const body = Buffer.from(update({ message_template_id: 8, message_template_name: name, message_template_language: "en_US", event: "APPROVED" }));
    expect(await post(body)).toEqual(ok);
    expect(await post(body, { "X-Hub-Signature-256": signBody(other.appSecret, body) }, urlOf(other.accountId))).toEqual(ok);
    expect(await statusOf(other.templateId)).toMatchObject({ status: "draft", platform_id: null });
  });
});

describe("odd content", () => {
  const statusOfPost = async (body: string | Uint8Array): Promise<number> => (await post(body))[0];

  it("that is no JSON is 400", async () => {
    for (const body of ["", "{", "\ufeff{}", randomBytes(40), "a=b"]) expect(await post(body)).toEqual([400, '{"error":"Malformed JSON"}']);
  });

  it("that nests deeper than any stack is fine", async () => {
    expect(await post(`${'{"entry":['.repeat(200_000)}${"]}".repeat(200_000)}`)).toEqual(ok);
    expect(await post("[".repeat(1_000_000) + "]".repeat(1_000_000))).toEqual(ok);
  });

  it("of any JSON at all is 200", async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 6 }), async (value) => {
        expect(await statusOfPost(JSON.stringify(value))).toBe(200);
      }),
      { numRuns: 150 },
    );
  });

  it("in the places where updates stand is 200", async () => {
    const [row] = await insertNotifications(database.sql, shop, [{ status: "sending" }]);
    const odd = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.constantFrom<unknown>("\0", "\ud800", "wamid.\0x", "w".repeat(5_000), -1, 1e300, "99999999999999999999", "1e400", row?.reference, "read", "failed", "sent", "1790000000", "-1"),
    );
    const status = fc.record({ id: odd, status: odd, timestamp: odd, biz_opaque_callback_data: odd, recipient_id: odd, errors: odd }, { requiredKeys: [] });
    const likely = fc.record({
      id: fc.oneof(fc.constant("wamid.1"), odd), status: fc.constantFrom("sent", "delivered", "read", "failed", "played"), timestamp: odd,
      biz_opaque_callback_data: fc.oneof(fc.constant(row?.reference), odd), errors: fc.array(fc.record({ code: odd, title: odd, message: odd, error_data: odd })),
    });
    const template = fc.record({
      event: odd, message_template_id: odd, message_template_name: odd, message_template_language: odd, reason: odd, new_category: odd, new_quality_score: odd,
    });
    const value = fc.oneof(fc.record({ statuses: fc.array(fc.oneof(status, likely, odd)) }), template, odd);
    await fc.assert(
      fc.asyncProperty(fc.array(value), async (values) => {
        expect(await statusOfPost(envelope(...values.map((each) => ({ field: "messages", value: each }))))).toBe(200);
      }),
      { numRuns: 300 },
    );
  });
});
