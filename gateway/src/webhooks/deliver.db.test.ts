import { exampleBody } from "shared/core/webhook";
import { newId } from "shared/db/ids";
import { signBody } from "shared/secrets/signature";
import { Webhook } from "standardwebhooks";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { data } from "../../../test/support/data.ts";
import { testDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { openGateway, openShop, type Shop, type ShopOptions, spawnGateway } from "../../../test/support/gateway.ts";
import { newMessageId, refuse, type ScriptedPlatform, startScriptedPlatform } from "../../../test/support/platform.ts";
import { addOutboundSecret, addWebhook, type Received, type Receiver, startReceiver } from "../../../test/support/receiver.ts";
import { anEvent, postEvent, postMessages, postStatus } from "../../../test/support/requests.ts";

const limits = { dueMs: 20, firstRetryMs: 2, webhookMs: 400 };
const soon = { timeout: 40_000, interval: 50 };
let database: TestDatabase;
let platform: ScriptedPlatform;
let receiver: Receiver;
let gateway: { url: string } & AsyncDisposable;
beforeAll(async () => {
  database = await testDatabase();
  [platform, receiver] = await Promise.all([startScriptedPlatform(), startReceiver()]);
  gateway = await openGateway(database.url, platform.url, {}, limits);
});
afterEach(async () => {
  platform.script(newMessageId);
  receiver.script((_, response) => response.writeHead(204).end());
  await database.sql`delete from webhook`;
  receiver.received.splice(0);
});
afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]();
  await receiver?.[Symbol.asyncDispose]();
  await platform?.[Symbol.asyncDispose]();
  await database?.[Symbol.asyncDispose]();
});

interface ToldShop extends Shop {
  outboundSecret: string;
  webhookId: string;
}
/** A shop with an endpoint that hears of every status. */
async function openToldShop(options: ShopOptions = {}, url = receiver.url): Promise<ToldShop> {
  const shop = await openShop(database.sql, options);
  return { ...shop, outboundSecret: await addOutboundSecret(database.sql, shop), webhookId: await addWebhook(database.sql, shop, { url }) };
}
const typesOf = (some: readonly Received[] = receiver.received) => some.map(({ json }) => String(json["type"]));
const until = (check: () => boolean | Promise<boolean>) => vi.waitUntil(check, soon);
const pending = async () => (await database.sql`select from webhook_delivery where status = 'pending'`).length;
/** Waits until every delivery has arrived or is given up. */
const quiet = () => until(async () => (await pending()) === 0);
const deliveries = async ({ webhookId }: ToldShop) => [
  ...(await database.sql`select id, type, status, attempts, last_status_code, last_error from webhook_delivery where webhook_id = ${webhookId} order by id`),
];
/** Sends an event and reports these statuses of its message. */
async function sendAndReport(shop: Shop, ...statuses: string[]): Promise<void> {
  const before = platform.sends.length;
  await postEvent(gateway, shop, anEvent);
  const send = platform.sends[before]?.body;
  if (send === undefined) throw new Error("nothing was sent");
  const [row] = await database.sql`select wa_message_id from notification where site_id = ${shop.siteId} order by id desc limit 1`;
  for (const status of statuses) expect((await postStatus(gateway, shop, send, status, String(row?.["wa_message_id"]))).status).toBe(200);
}

describe("an endpoint", () => {
  it.each([false, true])(
    "is told of each status once, with the specification's members and two signatures (encrypted: %s)",
    async (encrypted) => {
      const shop = await openToldShop({ encrypted });
      await sendAndReport(shop, "sent", "delivered", "delivered", "read", "read", "sent");
      await quiet();
      expect(typesOf().toSorted()).toEqual(["message.delivered", "message.read", "message.sent"]);
      const [message] =
        await database.sql`select event_id, template, delivered_at, read_at from notification where site_id = ${shop.siteId}`;
      for (const { body, json, headers } of receiver.received) {
        expect(Object.entries(json)).toEqual([
          ["type", json["type"]],
          ["event_id", message?.["event_id"]],
          ["site_id", shop.siteId],
          ["binding_id", shop.bindingId],
          ["template", message?.["template"]],
          ["to_phone", "+15551230001"],
          ["wa_message_id", expect.stringMatching(/^wamid\.test/)],
          ["status", String(json["type"]).slice(8)],
          ["occurred_at", expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)],
        ]);
        expect(headers["content-type"]).toBe("application/json");
        expect(headers["x-service-signature"]).toBe(signBody(shop.outboundSecret, Buffer.from(body)));
        expect(headers["x-service-timestamp"]).toMatch(/^\d{10}$/);
        expect(new Webhook(shop.outboundSecret).verify(body, headers as Record<string, string>)).toEqual(json);
        expect(() => new Webhook(shop.outboundSecret).verify(`${body} `, headers as Record<string, string>)).toThrow(
          "No matching signature",
        );
      }
      const times = new Map(receiver.received.map(({ json }) => [json["type"], new Date(String(json["occurred_at"]))]));
      expect(times.get("message.delivered")).toEqual(message?.["delivered_at"]);
      expect(times.get("message.read")).toEqual(message?.["read_at"]);
    },
  );

  it("that asks for updates gets one for each status, with the order, the attempt and the error", async () => {
    const shop = await openToldShop({ encrypted: true });
    await addWebhook(database.sql, shop, { url: receiver.url, types: ["message.updated"] });
    await sendAndReport(shop, "sent", "delivered", "read", "read");
    platform.script((_, response) => refuse(response, 400, 131026));
    await postEvent(gateway, shop, { ...anEvent, order: { number: "#7" } }).then(quiet);
    const updates = receiver.received.filter(({ json }) => json["type"] === "message.updated").map(({ json }) => json);
    expect(
      updates
        .map(({ status }) => String(status))
        .toSorted()
        .join(),
    ).toBe("delivered,failed,read,sent");
    const [failed, sent] = ["failed", "sent"].map((of) => updates.find(({ status }) => status === of));
    expect(Object.keys(sent ?? {})).toEqual(Object.keys(exampleBody("message.updated", "", new Date())));
    const [{ id, order }] = await database.sql<[{ id: string; order: string }]>`
      select n.id, o.id as order from notification n join customer_order o on o.site_id = n.site_id where n.event_id = ${String(sent?.["event_id"])}`;
    expect(sent).toMatchObject({ notification_id: id, order_id: order, order_number: null, attempt: 1, error_code: null });
    expect(failed).toMatchObject({ order_number: "#7", error_code: "131026", error_reason: expect.stringMatching(/./u) });
  });

  it("is told of what fails, here, at the platform, and after it was sent", async () => {
    const shop = await openToldShop();
    platform.script((_, response) => refuse(response, 400, 131026));
    await postEvent(gateway, shop, anEvent);
    platform.script(newMessageId);
    await sendAndReport(shop, "failed");
    await database.sql`update template set status = 'rejected' where id = ${shop.templateId}`;
    await postEvent(gateway, shop, anEvent);
    await postEvent(gateway, shop, anEvent, { headers: { Prefer: "respond-async" } });
    await quiet();
    expect(typesOf().toSorted()).toEqual(["message.failed", "message.failed", "message.failed", "message.failed", "message.sent"]);
    const ids = receiver.received.filter(({ json }) => json["type"] === "message.failed").map(({ json }) => String(json["wa_message_id"]));
    expect(ids.toSorted()).toEqual(["", "", "", expect.stringMatching(/^wamid/)]);
  });

  it("is told of what waited: sent later, and refused again until its time was over", async () => {
    const shop = await openToldShop();
    await postEvent(gateway, shop, anEvent, { headers: { Prefer: "respond-async" } });
    await quiet();
    await until(() => receiver.received.length === 1);
    await database.sql`update account set retry_hours = 0 where id = ${shop.accountId}`;
    platform.script((_, response) => refuse(response, 400, 131049));
    await postEvent(gateway, shop, anEvent, { headers: { Prefer: "respond-async" } });
    await until(() => receiver.received.length === 2);
    expect(typesOf()).toEqual(["message.sent", "message.failed"]);
  });

  it("hears nothing of tests, dry runs and cancelled messages, of other sites, of types that it did not ask for, and while it is off", async () => {
    const shop = await openToldShop();
    const other = { ...(await openShop(database.sql, { accountId: shop.accountId })), appSecret: shop.appSecret };
    await database.sql`update webhook set types = '{message.read}'`;
    await addWebhook(database.sql, shop, { url: receiver.url, enabled: false });
    await postEvent(gateway, shop, { ...anEvent, test: true }, { event: "order.created" });
    await postEvent(gateway, shop, anEvent, { headers: { "X-Service-Dry-Run": "1" } });
    await sendAndReport(other, "delivered", "read");
    await sendAndReport(shop, "delivered", "read");
    await quiet();
    expect(receiver.received.map(({ json }) => [json["type"], json["site_id"]])).toEqual([["message.read", shop.siteId]]);
    expect(await database.sql`select from webhook_delivery`).toHaveLength(1);
  });

  it("gets signatures of the secret before too while that counts", async () => {
    const shop = await openToldShop();
    const next = await addOutboundSecret(database.sql, shop);
    await sendAndReport(shop);
    await quiet();
    const [{ body, headers } = {} as Received] = receiver.received;
    expect(headers["x-service-signature"]).toBe(signBody(next, Buffer.from(body)));
    for (const secret of [next, shop.outboundSecret]) new Webhook(secret).verify(body, headers as Record<string, string>);
    await database.sql`update site_secret set expires_at = now() where kind = 'outbound_secret' and expires_at is not null`;
    await sendAndReport(shop);
    await until(() => receiver.received.length === 2);
    expect(String(receiver.received[1]?.headers["webhook-signature"]).split(" ")).toHaveLength(1);
  });
});

describe("what people write", () => {
  const write = (shop: Shop, ...messages: object[]) => postMessages(gateway, shop, messages);
  const from = "4915100000001";
  const text = (body: string, id: string, seconds = 1_790_000_000) => ({
    id,
    from,
    timestamp: String(seconds),
    type: "text",
    text: { body },
  });

  it("is told once to endpoints that ask, of whichever site, and kept by nobody", async () => {
    const shop = await openToldShop({ encrypted: true });
    const sibling = { ...(await openToldShop({ accountId: shop.accountId })), appSecret: shop.appSecret };
    await database.sql`update webhook set types = '{message.received}' where site_id = ${sibling.siteId}`;
    const answered = { ...text("Where is it?", "wamid.in.1"), context: { from: "1", id: "wamid.out" } };
    const image = { id: "wamid.in.2", from, timestamp: "1790000001", type: "image", image: { id: "1" } };
    for (let n = 0; n < 3; n += 1) expect((await write(shop, answered, image)).status).toBe(200);
    await quiet();
    const received = { from: `+${from}`, type: "message.received" };
    expect(
      receiver.received.map(({ json }) => json).toSorted((a, b) => (String(a["received_at"]) < String(b["received_at"]) ? -1 : 1)),
    ).toEqual([
      {
        ...received,
        text: "Where is it?",
        message_type: "text",
        received_at: "2026-09-21T14:13:20.000Z",
        context_wa_message_id: "wamid.out",
      },
      { ...received, text: "", message_type: "image", received_at: "2026-09-21T14:13:21.000Z", context_wa_message_id: null },
    ]);
    expect(await database.sql`select payload, answer is null as silent from webhook_delivery`).toEqual([
      { payload: null, silent: false },
      { payload: null, silent: false },
    ]);
  });

  it.each([false, true])("as an answer is told to the site alone whose message it answers (encrypted: %s)", async (encrypted) => {
    const shop = await openToldShop({ encrypted });
    const sibling = { ...(await openToldShop({ accountId: shop.accountId })), appSecret: shop.appSecret };
    await database.sql`update webhook set types = '{message.received}'`;
    platform.script(() => `wamid.asked.${String(encrypted)}`);
    await postEvent(gateway, shop, anEvent);
    const answer = (id: string, context: string) => ({ ...text(id, id), from: "15551230001", context: { from: "1", id: context } });
    await write(shop, answer("known", `wamid.asked.${String(encrypted)}`), answer("unknown", "wamid.of.nobody"));
    await quiet();
    const told = await database.sql`select webhook_id from webhook_delivery order by webhook_id`;
    expect(told.map(({ webhook_id }) => webhook_id as string)).toEqual([shop, shop, sibling].map(({ webhookId }) => webhookId).toSorted());
    expect(receiver.received.map(({ json }) => String(json["text"])).toSorted()).toEqual(["known", "unknown", "unknown"]);
  });

  it("and what they no longer want, or want again, when that changes", async () => {
    const shop = await openToldShop();
    await database.sql`update webhook set types = '{customer.opted_out,customer.opted_in}'`;
    await write(shop, text("start", "wamid.w.0", 1_790_000_000));
    await write(shop, text("STOP", "wamid.w.1", 1_790_000_010), text("stop", "wamid.w.2", 1_790_000_020));
    await write(shop, text("STOP", "wamid.w.1", 1_790_000_010));
    await write(shop, text("Start", "wamid.w.3", 1_790_000_030));
    await quiet();
    await until(() => receiver.received.length >= 2);
    const word = { phone: `+${from}`, scope: "all", source: "keyword" };
    expect(
      receiver.received.map(({ json }) => json).toSorted((a, b) => (String(a["occurred_at"]) < String(b["occurred_at"]) ? -1 : 1)),
    ).toEqual([
      { type: "customer.opted_out", ...word, occurred_at: "2026-09-21T14:13:40.000Z" },
      { type: "customer.opted_in", ...word, occurred_at: "2026-09-21T14:13:50.000Z" },
    ]);
  });

  it("costs a callback nothing where nobody asks", async () => {
    const shop = await openShop(database.sql);
    await write(shop, text("hello", "wamid.n.1"));
    expect(await database.sql`select from webhook_delivery`).toEqual([]);
  });
});

describe("a delivery that fails", () => {
  it("is repeated under its id until it arrives, and the log has the attempts", async () => {
    const shop = await openToldShop();
    const replies = [500, 302, 429, 200];
    receiver.script((_, response) => response.writeHead(replies.shift() ?? 200, { location: "http://127.0.0.1:1/" }).end("hello"));
    await sendAndReport(shop);
    await quiet();
    expect(new Set(receiver.received.map(({ headers, body }) => `${String(headers["webhook-id"])} ${body}`)).size).toBe(1);
    expect(await deliveries(shop)).toMatchObject([
      { id: receiver.received[0]?.headers["webhook-id"], status: "delivered", attempts: 4, last_status_code: 200, last_error: null },
    ]);
    const [row] = await database.sql`select tries, answer from webhook_delivery where webhook_id = ${shop.webhookId}`;
    expect(row?.["tries"]).toMatchObject(data<object>("gateway-webhooks-deliver", "is repeated under its id until it arrives, and t"));
    expect(JSON.parse(String(row?.["answer"]))).toMatchObject({ body: "hello", isCut: false });
    expect(await database.sql`select failing_since from webhook`).toEqual([{ failing_since: null }]);
  });

  it("is given up after eight attempts", async () => {
    const shop = await openToldShop();
    await database.owner`create function fast() returns trigger language plpgsql as 'begin new.due_at := least(new.due_at, now()); return new; end'`;
    await database.owner`create trigger fast before update on webhook_delivery for each row execute function fast()`;
    receiver.script((_, response) => response.writeHead(503).end());
    await sendAndReport(shop);
    await quiet();
    await database.owner`drop function fast cascade`;
    expect(await deliveries(shop)).toMatchObject([{ status: "failed", attempts: 8, last_status_code: 503, last_error: "refused" }]);
    expect(receiver.received).toHaveLength(8);
  });

  it("waits as long as the endpoint asks", async () => {
    const shop = await openToldShop();
    receiver.script((_, response) => response.writeHead(503, { "retry-after": "100000000" }).end());
    await sendAndReport(shop);
    await until(async () => (await deliveries(shop))[0]?.["attempts"] === 1);
    // The pause is a day, shortened like all waits of these tests.
    const [row] = await database.sql`select extract(epoch from due_at - now())::double precision as wait from webhook_delivery`;
    expect(row?.["wait"]).toBeGreaterThan(30);
    expect(row?.["wait"]).toBeLessThanOrEqual(86_400 * 0.0004);
  });

  it.each([
    ["an answer that never comes", async () => receiver.script(() => undefined), () => receiver.url, "timeout"],
    ["nobody there", async () => undefined, () => "http://127.0.0.1:1/", "unreachable"],
    ["an address inside", async () => undefined, () => "https://10.0.0.1/", "address_private"],
    ["an address inside, as IPv6", async () => undefined, () => "https://[::ffff:10.0.0.1]/", "address_private"],
    ["a public address without TLS", async () => undefined, () => "http://192.0.0.9/", "address_private"],
    ["a name that is none", async () => undefined, () => "https://no-such-name.invalid/", "unknown_host"],
  ])("says why: %s", async (_, prepare, url, error) => {
    await prepare();
    const shop = await openToldShop({}, url());
    await sendAndReport(shop);
    await until(async () => Number((await deliveries(shop))[0]?.["attempts"]) > 0);
    expect(await deliveries(shop)).toMatchObject([{ last_status_code: null, last_error: error }]);
  });

  it("switches the endpoint off at once with 410, and after five days without a success; what waits is given up", async () => {
    const gone = await openToldShop();
    receiver.script((_, response) => response.writeHead(410).end());
    await sendAndReport(gone, "delivered");
    await quiet();
    expect(await database.sql`select enabled, disabled_because from webhook`).toEqual([{ enabled: false, disabled_because: "gone" }]);
    await sendAndReport(gone);
    expect(new Set((await deliveries(gone)).map(({ status }) => status as string))).toEqual(new Set(["failed"]));
    expect((await deliveries(gone)).length).toBeLessThanOrEqual(2);

    const failing = await openToldShop();
    receiver.script((_, response) => response.writeHead(500).end());
    await sendAndReport(failing);
    await until(async () => (await deliveries(failing)).some(({ attempts }) => Number(attempts) > 0));
    await database.sql`update webhook set failing_since = now() - interval '5 days 1 minute' where id = ${failing.webhookId}`;
    await sendAndReport(failing);
    await quiet();
    expect(await database.sql`select enabled, disabled_because from webhook where id = ${failing.webhookId}`).toEqual([
      { enabled: false, disabled_because: "failing" },
    ]);
    expect(new Set((await deliveries(failing)).map(({ status }) => status as string))).toEqual(new Set(["failed"]));
  });
});

describe("endpoints", () => {
  it("that hang keep no other waiting", async () => {
    const hanging = await startReceiver();
    hanging.script(() => undefined);
    const shop = await openToldShop({}, hanging.url);
    const sibling = await openToldShop({ accountId: shop.accountId });
    await fill(shop, 300);
    await fill(sibling, 300);
    await until(async () => (await deliveries(sibling)).every(({ status }) => status === "delivered"));
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(300);
    // The endpoint gets a batch at first, then one delivery at a time.
    expect(hanging.received.length).toBeLessThan(60);
    await database.sql`delete from webhook`;
    await hanging[Symbol.asyncDispose]();
  });

  it("are told once by however many gateways", async () => {
    await using second = await openGateway(database.url, platform.url, {}, limits);
    await using third = await openGateway(database.url, platform.url, {}, limits);
    expect(second.url).not.toBe(third.url);
    const shop = await openToldShop();
    await fill(shop, 200);
    await quiet();
    // A delivery that is answered too late is tried again.
    const tried = (await deliveries(shop)).reduce((all, { attempts }) => all + Number(attempts), 0);
    expect(receiver.received).toHaveLength(tried);
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(200);
  });

  it("are told again, under the same id, what a gateway told them when it was killed", async () => {
    const shop = await openToldShop();
    await gateway[Symbol.asyncDispose]();
    const dying = await spawnGateway({
      databaseUrl: database.url,
      platformApiUrl: platform.url,
      timeLimits: { ...limits, webhookMs: 10_000, leaseMs: 1_000 },
    });
    receiver.script(() => undefined);
    await postEvent(dying, shop, anEvent);
    await until(() => receiver.received.length === 1);
    dying.kill("SIGKILL");
    await dying.ended;
    receiver.script((_, response) => response.writeHead(204).end());
    gateway = await openGateway(database.url, platform.url, {}, { ...limits, sweepMs: 50 });
    await quiet();
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(await deliveries(shop)).toMatchObject([{ status: "delivered" }]);
  });
});

/** Writes this many statuses to tell. */
async function fill(shop: ToldShop, count: number): Promise<void> {
  await sendAndReport(shop);
  const [row] = await database.sql`select event_id from notification where site_id = ${shop.siteId}`;
  const ids = Array.from({ length: count - 1 }, newId);
  await database.sql`
    with made as (
      insert into notification (id, site_id, account_id, event_id, event, binding_id, template_id, template, language, to_phone, position, status, components)
      select id, ${shop.siteId}, ${shop.accountId}, ${String(row?.["event_id"])}, 'order.created', ${shop.bindingId}, ${shop.templateId}, 't', 'en', '+15551230001', 0,
        'delivered', '[]' from unnest(${ids}::uuid[]) id returning id
    )
    insert into webhook_delivery (id, webhook_id, type, site_id, event_id, notification_id, occurred_at)
    select id, ${shop.webhookId}, 'message.delivered', ${shop.siteId}, ${String(row?.["event_id"])}, id, now() from made`;
}
