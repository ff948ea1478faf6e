import { newId } from "shared/db/ids";
import { insertRequest } from "shared/db/requested-event";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { type Breaking, breakStatements, ownedRows } from "../../../test/support/broken-statements.ts";
import { testDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { openGateway, openShop, type Shop } from "../../../test/support/gateway.ts";
import { newMessageId, type ScriptedPlatform, startScriptedPlatform } from "../../../test/support/platform.ts";
import { addOutboundSecret, addWebhook, type Receiver, startReceiver } from "../../../test/support/receiver.ts";
import { anEvent, postEvent } from "../../../test/support/requests.ts";
import { askAgain, openAskedShop, type RestShop, startRestShop, wooOrder } from "../../../test/support/rest-shop.ts";
import type { Gateway } from "../start.ts";

const limits = {
  dueMs: 20,
  firstRetryMs: 2,
  sweepMs: 50,
  requestedTickMs: 20,
  reconcileTickMs: 20,
  statementMs: 1_000,
  ownedMs: 100,
  refusedMs: 200,
};
/** Nothing is owned ten seconds after a fault that nobody works on. */
const soon = { timeout: 10_000, interval: 20 };
const preferAsync = { headers: { Prefer: "respond-async" } };

let database: TestDatabase;
let platform: ScriptedPlatform;
let receiver: Receiver;
let rest: RestShop;
let gateway: Gateway;
beforeAll(async () => {
  database = await testDatabase();
  [platform, receiver, rest] = await Promise.all([startScriptedPlatform(), startReceiver(), startRestShop()]);
  gateway = await openGateway(database.url, platform.url, { inDoubtSeconds: 1 }, limits);
});
afterEach(() => {
  platform.script(newMessageId);
  platform.sends.splice(0);
  receiver.received.splice(0);
});
afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]();
  await rest?.[Symbol.asyncDispose]();
  await receiver?.[Symbol.asyncDispose]();
  await platform?.[Symbol.asyncDispose]();
  await database?.[Symbol.asyncDispose]();
});

const toPhone = (n: number) => ({ ...anEvent, customer: { phone_e164: `+1555${2_000_000 + n}` } });
const queue = (shop: Shop, n: number) => postEvent(gateway, shop, toPhone(n), preferAsync);
const outcomes = async ({ siteId }: Shop) => [
  ...(await database.sql`select status::text, coalesce(error_code, '') as code, attempt from notification where site_id = ${siteId} order by id`),
];
/** How often the platform got a message for the phone. */
const sendsTo = (n: number) => platform.sends.filter(({ body }) => body.to === toPhone(n).customer.phone_e164).length;
const nothingOwned = () => vi.waitFor(async () => expect(await ownedRows(database.sql)).toEqual({}), soon);

/** Breaks the statements while `act` runs, and until they were refused this often: then the gateway has given up what it was about to record. */
async function whileBroken(breaking: Breaking, act: () => Promise<unknown>, hits = 5): Promise<void> {
  const broken = await breakStatements(database.owner, breaking);
  try {
    await act();
    await vi.waitUntil(async () => (await broken.hits()) >= hits, { timeout: 20_000, interval: 20 });
  } finally {
    await broken.heal();
  }
}

const endsMessage: Breaking = { table: "waiting_message", on: "delete" };
const releasesMessage: Breaking = { table: "waiting_message", on: "update", when: "old.owner is not null and new.owner is null" };
const endsDelivery: Breaking = { table: "webhook_delivery", on: "update", when: "old.owner is not null and new.owner is null" };
/** A refusal that is nobody's fault, one that says that the server goes away, and no answer in time. */
const ways = ["XX000", "57P01", "late"];

describe("what became of a queued message cannot be recorded", () => {
  it.each<[string, Breaking]>([
    ...ways.map((how): [string, Breaking] => ["where it ends", { ...endsMessage, how }]),
    ["where its phone's turn passes on", { table: "recipient_turn", on: "delete" }],
    ["in the log", { table: "notification", on: "update", when: "old.status = 'sending'" }],
  ])("%s (%o): afterwards it is not sent again, and the next message to its phone leaves", async (_, breaking) => {
    const shop = await openShop(database.sql);
    await whileBroken(breaking, async () => queue(shop, 1), breaking.how === "late" ? 1 : 5);
    await nothingOwned();
    await queue(shop, 1);
    await vi.waitFor(async () => {
      expect(sendsTo(1)).toBe(2);
      expect((await outcomes(shop)).at(-1)).toEqual({ status: "sent", code: "", attempt: 1 });
    }, soon);
    // Nobody reports to this account, so that only a person can say whether a message in doubt has arrived.
    await vi.waitFor(async () => expect(["sent ", "failed interrupted"]).toContain(await firstOutcome(shop)), soon);
    await nothingOwned();
    expect(sendsTo(1)).toBe(2);
  });

  const firstOutcome = async (shop: Shop): Promise<string> => {
    const [first] = await outcomes(shop);
    return `${String(first?.["status"])} ${String(first?.["code"])}`;
  };

  it("because of one message's row: the others of its wave are recorded, and it alone is in doubt", async () => {
    const shop = await openShop(database.sql);
    await database.sql`update site set hold_messages = true where id = ${shop.siteId}`;
    for (let n = 10; n < 20; n += 1) await queue(shop, n);
    const [row] = await database.sql`select id from waiting_message where site_id = ${shop.siteId} order by id offset 4 limit 1`;
    const broken = await breakStatements(database.owner, { ...endsMessage, when: `old.id = '${String(row?.["id"])}'` });
    await database.sql`update site set hold_messages = false where id = ${shop.siteId}`;
    await vi.waitFor(async () => {
      const statuses = (await outcomes(shop)).map(({ status }) => String(status));
      expect(statuses).toEqual(Array.from({ length: 10 }, (_, n) => (n === 4 ? "sending" : "sent")));
      expect(await database.sql`select owner, doubts from waiting_message where site_id = ${shop.siteId}`).toEqual([
        { owner: null, doubts: 1 },
      ]);
    }, soon);
    await broken.heal();
    await vi.waitFor(async () => expect((await outcomes(shop))[4]).toMatchObject({ status: "failed", code: "interrupted" }), soon);
    expect(platform.sends).toHaveLength(10);
    await nothingOwned();
  });

  it("nor handed back: it is in doubt as soon as it can be", async () => {
    const shop = await openShop(database.sql);
    const broken = [await breakStatements(database.owner, endsMessage), await breakStatements(database.owner, releasesMessage)];
    await queue(shop, 30);
    await vi.waitUntil(async () => Number(await broken[1]?.hits()) > 2, { timeout: 20_000, interval: 20 });
    expect(await ownedRows(database.sql)).toMatchObject({ waiting_message: 1, recipient_turn: 1 });
    for (const one of broken) await one.heal();
    await nothingOwned();
    await vi.waitFor(async () => expect(await outcomes(shop)).toMatchObject([{ status: "failed", code: "interrupted" }]), soon);
    expect(sendsTo(30)).toBe(1);
  });
});

it.each(ways)("messages that a take brought too late or into the void wait again at once (%s)", async (how) => {
  const shop = await openShop(database.sql);
  await whileBroken(
    { table: "waiting_message", on: "update", when: "old.owner is null and new.owner is not null", how },
    async () => queue(shop, 50),
    2,
  );
  await vi.waitFor(async () => expect(await outcomes(shop)).toEqual([{ status: "sent", code: "", attempt: 1 }]), soon);
  await nothingOwned();
  expect(sendsTo(50)).toBe(1);
});

describe("what became of deliveries cannot be recorded", () => {
  async function openToldShop() {
    const shop = await openShop(database.sql);
    await addOutboundSecret(database.sql, shop);
    return { ...shop, webhookId: await addWebhook(database.sql, shop, { url: receiver.url }) };
  }
  const open = async ({ webhookId }: { webhookId: string }) =>
    (await database.sql`select from webhook_delivery where webhook_id = ${webhookId} and status = 'pending'`).length;

  it.each<Breaking>([...ways.map((how) => ({ ...endsDelivery, how })), { table: "webhook", on: "update" }])(
    "%o: afterwards each is told under the same id",
    async (breaking) => {
      const shop = await openToldShop();
      // What is recorded of an endpoint that failed once also changes the endpoint's row.
      const heard = new Set<string>();
      receiver.script(({ headers }, response) => {
        const id = String(headers["webhook-id"]);
        response.writeHead(heard.has(id) ? 204 : 503).end();
        heard.add(id);
      });
      await whileBroken(
        breaking,
        async () => {
          for (let n = 60; n < 72; n += 1) await queue(shop, n);
        },
        breaking.how === "late" ? 1 : 5,
      );
      await vi.waitFor(async () => expect(await open(shop)).toBe(0), soon);
      expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(12);
      await nothingOwned();
      receiver.script((_, response) => response.writeHead(204).end());
    },
  );

  it.each(ways)("nor what was never posted be handed back (%s): it is told afterwards", async (how) => {
    const shop = await openToldShop();
    receiver.script((_, response) => response.writeHead(503).end());
    // A failing endpoint gets three requests; what else was taken goes back.
    await whileBroken(
      { table: "webhook_delivery", on: "update", when: "old.owner is not null and new.owner is null and new.attempts = old.attempts", how },
      async () => {
        await database.sql`update site set hold_messages = true where id = ${shop.siteId}`;
        for (let n = 80; n < 110; n += 1) await queue(shop, n);
        await database.sql`update webhook set enabled = true`;
        await database.sql`update site set hold_messages = false where id = ${shop.siteId}`;
      },
      2,
    );
    receiver.script((_, response) => response.writeHead(204).end());
    await vi.waitFor(async () => expect(await open(shop)).toBe(0), soon);
    await nothingOwned();
  });
});

describe("what became of a synchronous event cannot be recorded", () => {
  const keyed = (key: string) => ({ headers: { "X-Service-Idempotency-Key": key } });
  const chatOf = async ({ siteId }: Shop) =>
    (await database.sql`select chat from event where site_id = ${siteId}`).map(({ chat }) => chat as string);

  it.each(["XX000", "23503"])("because it is refused (%s): it is handed back, and a retry learns what became of it", async (how) => {
    const shop = await openShop(database.sql);
    await database.sql`insert into platform_callback values (${shop.accountId}, now())`;
    await whileBroken(
      { table: "event", on: "update", when: "old.chat is null and new.chat is not null", how },
      async () => {
        expect((await postEvent(gateway, shop, anEvent, keyed("a"))).status).toBe(500);
      },
      1,
    );
    await vi.waitFor(async () => expect(await chatOf(shop)).toEqual(["sent"]), soon);
    await nothingOwned();
  });

  it("nor handed back because of one site's row: the others go back all the same", async () => {
    const [good, bad] = [await openShop(database.sql), await openShop(database.sql)];
    const settling = await breakStatements(database.owner, {
      table: "event",
      on: "update",
      when: "old.chat is null and new.chat is not null",
    });
    const listing = await breakStatements(database.owner, { table: "event_due", on: "insert", when: `new.site_id = '${bad.siteId}'` });
    await Promise.all([good, bad].map(async (shop) => postEvent(gateway, shop, anEvent, keyed("b"))));
    await vi.waitUntil(async () => (await listing.hits()) > 1, soon);
    await settling.heal();
    await vi.waitFor(async () => expect(await chatOf(good)).not.toEqual([null]), soon);
    expect(await chatOf(bad)).toEqual([null]);
    await listing.heal();
    await nothingOwned();
  });

  it.each(["finishes", "lets go of"])("nor can the gateway that %s it do so: another look follows soon", async (what) => {
    const shop = await openShop(database.sql);
    const settling = await breakStatements(database.owner, {
      table: "event",
      on: "update",
      when: "old.chat is null and new.chat is not null",
    });
    await postEvent(gateway, shop, anEvent, keyed("c"));
    const breaking: Breaking =
      what === "finishes" ? { table: "event_due", on: "delete" } : { table: "event_due", on: "update", when: "new.due_at < old.due_at" };
    const broken = await breakStatements(database.owner, breaking);
    if (what === "finishes") await settling.heal();
    await vi.waitUntil(async () => (await broken.hits()) > 0, soon);
    await broken.heal();
    await settling.heal();
    await vi.waitFor(async () => expect(await chatOf(shop)).toEqual(["failed"]), soon);
    await nothingOwned();
  });
});

describe("what became of an event that somebody asked for cannot be recorded", () => {
  const ask = async (shop: Shop, replayOf: string): Promise<string> => {
    const none = { binding_id: null, template_id: null, name: null, payload: null, phone: null };
    const row = { ...none, kind: "replay" as const, replay_of: replayOf, id: newId(), request_id: newId() };
    return (await insertRequest(database.sql, { ...row, account_id: shop.accountId, site_id: shop.siteId })).id;
  };
  const done = async (id: string) =>
    (await database.sql`select done_at is not null as done from requested_event where id = ${id}`)[0]?.["done"];

  it.each([
    ["where it is finished", { when: "old.owner is not null and new.owner is null" }],
    ["where it is claimed", { when: "old.owner is null and new.owner is not null", how: "late" }],
  ])("%s: it is stored once, and done soon afterwards", async (_, more) => {
    const shop = await openShop(database.sql);
    const original = String((await postEvent(gateway, shop)).json["event_id"]);
    let id = "";
    await whileBroken({ table: "requested_event", on: "update", ...more }, async () => void (id = await ask(shop, original)), 2);
    await vi.waitFor(async () => expect(await done(id)).toBe(true), soon);
    expect(await database.sql`select from event where id = ${id}`).toHaveLength(1);
    await nothingOwned();
  });
});

it.each([
  ["recorded", { when: "old.owner is not null and new.owner is null" }],
  ["claimed", { when: "old.owner is null and new.owner is not null", how: "late" }],
])("a shop whose run could not be %s is asked again soon", async (_, more) => {
  rest.orders = [wooOrder(1)];
  const shop = await openAskedShop(database.sql, rest, { isDue: false });
  await whileBroken(
    { table: "reconcile", on: "update", ...more },
    async () => void (await database.sql`update reconcile set due_at = now() where site_id = ${shop.siteId}`),
    2,
  );
  expect(await askAgain(database.sql, shop)).toMatchObject({ problem: null });
  await nothingOwned();
});
