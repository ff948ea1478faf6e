import { randomBytes } from "node:crypto";
import { uuidv7 } from "shared/db/ids";
import { parseReference } from "shared/platform/client";
import { describe, expect, it, vi } from "vitest";
import { data } from "../../../test/support/data.ts";
import { gatewayWorld } from "../../../test/support/gateway-world.ts";
import { openGateway, openShop, type Shop } from "../../../test/support/gateway.ts";
import { newMessageId, refuse } from "../../../test/support/platform.ts";
import { anEvent, postEvent } from "../../../test/support/requests.ts";
import { gate } from "../../../test/support/wait-for.ts";
import { systemClock } from "../context.ts";

const world = gatewayWorld({ dueMs: 20 });

const soon = { timeout: 20_000, interval: 50 };
const preferAsync = { headers: { Prefer: "wait=10, Respond-Async; x=1" } };
const messagesOf = async ({ siteId }: Shop) => [
  ...(await world.sql`
    select n.id, n.status, n.error_code, n.error_reason, n.attempt, n.due_at, n.tries, n.to_phone, n.wa_message_id is not null as accepted
    from notification n where n.site_id = ${siteId} order by n.id`),
];
const statusesOf = async (shop: Shop) => (await messagesOf(shop)).map(({ status }) => status as string);
const waitingOf = async ({ siteId }: Shop) => [
  ...(await world.sql`select owner, again, due_at from waiting_message where site_id = ${siteId}`),
];
const cart = (id: string, more: object = {}) => ({ ...anEvent, cart: { id }, ...more });
/** Shifts the times of waiting messages, as if this many seconds had passed. */
const passes = async ({ siteId, accountId }: Shop, seconds: number) => {
  await world.sql`
    update waiting_message set due_at = due_at - make_interval(secs => ${seconds}), queued_at = queued_at - make_interval(secs => ${seconds}),
      expires_at = expires_at - make_interval(secs => ${seconds}) where site_id = ${siteId}`;
  await world.sql`
    update recipient_turn set due_at = due_at - make_interval(secs => ${seconds}), paused_until = paused_until - make_interval(secs => ${seconds})
    where account_id = ${accountId}`;
};

describe("an event that nobody waits for", () => {
  it("is answered before anything is sent, and its messages follow at once", async () => {
    const shop = await openShop(world.sql);
    const { opened, open } = gate();
    world.platform.script(async () => opened.then(newMessageId));
    const posted = await postEvent(world.gateway, shop, anEvent, preferAsync);
    expect(posted.status).toBe(202);
    expect(posted.headers.get("preference-applied")).toBe("respond-async");
    expect(posted.json).toEqual({
      ok: true,
      event: "order.created",
      event_id: expect.any(String),
      order_id: expect.any(String),
      chat: "accepted",
      bindings_run: 1,
      recipients_sent: 0,
      recipients_failed: 0,
    });
    await vi.waitFor(() => expect(world.platform.sends).toHaveLength(1), soon);
    expect(await statusesOf(shop)).toEqual(["sending"]);
    open();
    await vi.waitFor(async () => expect(await statusesOf(shop)).toEqual(["sent"]), soon);
    expect(await waitingOf(shop)).toEqual([]);
  });

  it("has the same answer for its duplicate, byte for byte", async () => {
    const shop = await openShop(world.sql);
    const headers = { ...preferAsync.headers, "X-Service-Idempotency-Key": "once" };
    const first = await postEvent(world.gateway, shop, anEvent, { headers });
    await vi.waitFor(async () => expect(await statusesOf(shop)).toEqual(["sent"]), soon);
    const second = await postEvent(world.gateway, shop, anEvent, { headers: { "X-Service-Idempotency-Key": "once" } });
    expect([second.status, second.body, second.headers.get("x-service-idempotent-replay")]).toEqual([202, first.body, "true"]);
    expect(world.platform.sends).toHaveLength(1);
  });

  it("is answered as ever where nothing waits: a dry run, a skip, a message that cannot be right", async () => {
    const shop = await openShop(world.sql);
    const dry = await postEvent(world.gateway, shop, anEvent, { headers: { ...preferAsync.headers, "X-Service-Mode": "test" } });
    expect([dry.status, dry.json["chat"]]).toEqual([200, "sent"]);
    const skipped = await postEvent(world.gateway, shop, { order: { id: "1" } }, preferAsync);
    expect([skipped.status, skipped.json["chat"]]).toEqual([200, "skipped_no_phone"]);
    await world.sql`update template set status = 'rejected' where id = ${shop.templateId}`;
    const failed = await postEvent(world.gateway, shop, anEvent, preferAsync);
    expect([failed.status, failed.json["chat"], failed.json["recipients_failed"]]).toEqual([200, "failed", 1]);
  });

  it("keeps the order of one phone's messages, and nobody waits for that phone", async () => {
    const shop = await openShop(world.sql);
    const order = (n: number, phone: string) => ({ customer: { first_name: "Ada", phone_e164: phone }, order: { id: `${n}` } });
    await world.sql`update site set hold_messages = true where id = ${shop.siteId}`;
    for (let n = 0; n < 12; n += 1) await postEvent(world.gateway, shop, order(n, "+15551230001"), preferAsync);
    await postEvent(world.gateway, shop, order(99, "+15551230002"), preferAsync);
    world.platform.script(async ({ body }) => {
      // The crowded phone's request stays open until the other's message has come.
      if (body.to === "+15551230001") await vi.waitUntil(() => world.platform.sends.some((send) => send.body.to === "+15551230002"), soon);
      return newMessageId();
    });
    await world.sql`update site set hold_messages = false where id = ${shop.siteId}`;
    await vi.waitFor(async () => expect(new Set(await statusesOf(shop))).toEqual(new Set(["sent"])), soon);
    const orders = world.platform.sends
      .filter(({ body }) => body.to === "+15551230001")
      .map(
        ({ body }) =>
          (body as unknown as { template: { components: { parameters: { text: string }[] }[] } }).template.components[0]?.parameters[1]
            ?.text,
      );
    expect(orders).toEqual(Array.from({ length: 12 }, (_, n) => `${n}`));
  });
});

describe("a message that is refused for a while", () => {
  it("is tried again later, and the log tells of each try", async () => {
    const shop = await openShop(world.sql);
    let tries = 0;
    world.platform.script((_, response) => ((tries += 1) <= 2 ? refuse(response, 500, 131000) : newMessageId()));
    await postEvent(world.gateway, shop, anEvent, preferAsync);
    for (const seconds of [5, 30]) {
      await vi.waitFor(() => expect(world.platform.sends).toHaveLength(seconds === 5 ? 1 : 2), soon);
      await vi.waitFor(async () => expect(await waitingOf(shop)).toMatchObject([{ owner: null, again: true }]), soon);
      const [[waiting], [message]] = await Promise.all([waitingOf(shop), messagesOf(shop)]);
      const tries = message?.["tries"] as { at: string }[];
      const wait = (Number(waiting?.["due_at"]) - Date.parse(tries.at(-1)?.at ?? "")) / 1000;
      // The wait varies by a fifth.
      expect(Math.abs(wait - seconds)).toBeLessThanOrEqual(seconds / 5 + 0.1);
      await passes(shop, seconds * 1.3);
    }
    await vi.waitFor(async () => expect(await statusesOf(shop)).toEqual(["sent"]), soon);
    expect(await messagesOf(shop)).toMatchObject([{ attempt: 3, tries: [{ code: "131000" }, { code: "131000" }], error_code: null }]);
    expect(tries).toBe(3);
  });

  it("fails for good once the time for that is over", async () => {
    const shop = await openShop(world.sql);
    await world.sql`update account set retry_hours = 0 where id = ${shop.accountId}`;
    world.platform.script((_, response) => refuse(response, 500, 131000));
    await postEvent(world.gateway, shop, anEvent, preferAsync);
    await vi.waitFor(async () => expect(await statusesOf(shop)).toEqual(["failed"]), soon);
    expect(await messagesOf(shop)).toMatchObject([{ error_code: "131000", attempt: 1 }]);
    expect(await waitingOf(shop)).toEqual([]);
  });

  it("waits with all for its phone after 131056, in their order, and holds nobody else back", async () => {
    const shop = await openShop(world.sql);
    const refused = new Set<string>();
    world.platform.script(({ body }, response) => {
      if (body.to !== "+15551230001" || refused.has(body.to)) return newMessageId();
      refused.add(body.to);
      return refuse(response, 400, 131056);
    });
    const first = await postEvent(world.gateway, shop, anEvent, preferAsync);
    await vi.waitFor(async () => expect(await waitingOf(shop)).toMatchObject([{ again: true, owner: null }]), soon);
    const second = await postEvent(world.gateway, shop, anEvent, preferAsync);
    await postEvent(world.gateway, shop, { customer: { phone_e164: "+15551230002" } }, preferAsync);
    await vi.waitFor(() => expect(world.platform.sends).toHaveLength(2), soon);
    const [turn] = await world.sql`
      select extract(epoch from r.paused_until - (n.tries->0->>'at')::timestamptz) as wait
      from recipient_turn r join notification n on n.account_id = r.account_id and n.tries is not null where r.account_id = ${shop.accountId}`;
    expect(Number(turn?.["wait"])).toBe(6);
    await passes(shop, 10);
    await vi.waitFor(async () => expect(await waitingOf(shop)).toEqual([]), soon);
    const sent = world.platform.sends.slice(2).map(({ body }) => body.biz_opaque_callback_data);
    expect(sent).toHaveLength(2);
    const events = await Promise.all(
      [first, second].map(
        async ({ json }) =>
          (await world.sql`select id from notification where event_id = ${String(json["event_id"])}`)[0]?.["id"] as string,
      ),
    );
    expect(sent.map((reference) => events.findIndex((id) => parseReference(reference ?? "")?.notificationId === id))).toEqual([0, 1]);
  });

  it("is tried again at once as the same attempt after 130429", async () => {
    const shop = await openShop(world.sql);
    let tries = 0;
    world.platform.script((_, response) => ((tries += 1) === 1 ? refuse(response, 400, 130429) : newMessageId()));
    await postEvent(world.gateway, shop, anEvent, preferAsync);
    await vi.waitFor(async () => expect(await statusesOf(shop)).toEqual(["sent"]), soon);
    expect(await messagesOf(shop)).toMatchObject([{ attempt: 1, tries: null }]);
  });
});

describe("a scheduled message", () => {
  const delayed = { delaySeconds: 3600 };

  it("waits, is counted apart in the answer, and leaves when it is due", async () => {
    const shop = await openShop(world.sql, { schedule: delayed });
    const posted = await postEvent(world.gateway, shop);
    expect(posted.json).toMatchObject(data<object>("gateway-queue-queue", "waits, is counted apart in the answer, and leaves when it is"));
    expect(posted.status).toBe(200);
    const [message] = await messagesOf(shop);
    expect(message?.["status"]).toBe("scheduled");
    expect(Math.abs(Number(message?.["due_at"]) - Date.now() - 3_600_000)).toBeLessThan(60_000);
    await passes(shop, 3600);
    await vi.waitFor(async () => expect(await statusesOf(shop)).toEqual(["sent"]), soon);
    expect(world.platform.sends).toHaveLength(1);
  });

  it("is due by the database's clock, whatever the gateway's says", async () => {
    const shop = await openShop(world.sql, { schedule: delayed });
    const clock = { ...systemClock, now: () => new Date(Date.now() + 3_600_000) };
    const gateways = (await world.sql`select from gateway`).length;
    await using fast = await openGateway(world.databaseUrl, world.platform.url, {}, {}, undefined, { clock });
    await vi.waitUntil(async () => (await world.sql`select from gateway`).length > gateways, soon);
    await postEvent(fast, shop, anEvent, { headers: { "X-Service-Timestamp": null } });
    const [message] = await messagesOf(shop);
    expect(Math.abs(Number(message?.["due_at"]) - Date.now() - 3_600_000)).toBeLessThan(60_000);
  });

  it("is judged again when it is due: template, site, opt-out, time", async () => {
    const cases: [string, (shop: Shop) => Promise<unknown>, object?][] = [
      ["template_not_approved", ({ templateId }) => world.sql`update template set status = 'rejected' where id = ${templateId}`.execute()],
      ["site_disabled", ({ siteId }) => world.sql`update site set enabled = false where id = ${siteId}`.execute()],
      ["expired", (shop) => passes(shop, 60), { expiresSeconds: 30 }],
    ];
    for (const [code, change, more] of cases) {
      const shop = await openShop(world.sql, { schedule: { ...delayed, ...more } });
      await postEvent(world.gateway, shop);
      await change(shop);
      await passes(shop, 3600);
      await vi.waitFor(async () => expect(await statusesOf(shop)).toEqual(["failed"]), soon);
      expect(await messagesOf(shop)).toMatchObject([{ error_code: code }]);
    }
    expect(world.platform.sends).toEqual([]);
  });

  it("is cancelled with its binding, and keeps waiting when that is only disabled", async () => {
    const shop = await openShop(world.sql, { schedule: delayed });
    await postEvent(world.gateway, shop);
    await world.sql`update binding set enabled = false where id = ${shop.bindingId}`;
    expect(await statusesOf(shop)).toEqual(["scheduled"]);
    await world.sql`delete from binding where id = ${shop.bindingId}`;
    await passes(shop, 3600);
    await vi.waitFor(async () => expect(await statusesOf(shop)).toEqual(["cancelled"]), soon);
    expect(await messagesOf(shop)).toMatchObject([{ error_code: "binding_deleted" }]);
  });

  it("is replaced by a later event of its binding with the same value", async () => {
    const shop = await openShop(world.sql, { schedule: { ...delayed, restartBy: "cart.id" } });
    await postEvent(world.gateway, shop, cart("1"));
    await postEvent(world.gateway, shop, cart("2"));
    await postEvent(world.gateway, shop, cart("1.0"));
    await postEvent(world.gateway, shop, anEvent);
    await postEvent(world.gateway, shop, anEvent);
    await postEvent(world.gateway, shop, cart("1"), { headers: { "X-Service-Mode": "test" } });
    expect(await messagesOf(shop)).toMatchObject(
      data<object>("gateway-queue-queue", "is replaced by a later event of its binding with the same va"),
    );
  });

  it("of two at the very same moment only the later one leaves", async () => {
    const shop = await openShop(world.sql, { schedule: { ...delayed, restartBy: "cart.id" } });
    await using second = await openGateway(world.databaseUrl, world.platform.url, {}, { dueMs: 20 });
    await Promise.all(Array.from({ length: 20 }, (_, n) => postEvent(n % 2 === 0 ? world.gateway : second, shop, cart("same"))));
    await passes(shop, 3600);
    await vi.waitFor(async () => expect(await waitingOf(shop)).toEqual([]), soon);
    const statuses = await statusesOf(shop);
    expect(statuses.filter((status) => status === "sent")).toHaveLength(1);
    expect(statuses.filter((status) => status === "cancelled")).toHaveLength(19);
  });

  it("is cancelled by an event with the same value, of its own binding's rule", async () => {
    const shop = await openShop(world.sql, {
      event: "cart.updated",
      schedule: { ...delayed, cancelOn: { events: ["order.created"], by: "cart.id" } },
    });
    await postEvent(world.gateway, shop, cart("a"), { event: "cart.updated" });
    await postEvent(world.gateway, shop, cart("b"), { event: "cart.updated" });
    await world.sql`update binding set enabled = false where id = ${shop.bindingId}`;
    await postEvent(world.gateway, shop, cart("a"), { event: "order.paid" });
    await postEvent(world.gateway, shop, cart("c"));
    await postEvent(world.gateway, shop, cart("a"), { headers: { "X-Service-Mode": "test" } });
    expect(await statusesOf(shop)).toEqual(["scheduled", "scheduled"]);
    await postEvent(world.gateway, shop, cart("a"));
    expect(await messagesOf(shop)).toMatchObject(
      data<object>("gateway-queue-queue", "is cancelled by an event with the same value, of its own bin"),
    );
    await passes(shop, 3600);
    await vi.waitFor(async () => expect(await statusesOf(shop)).toEqual(["cancelled", "sent"]), soon);
  });

  it("is cancelled by an event that came up to an hour before it, each event one message of the binding, and a test none of the others", async () => {
    const shop = await openShop(world.sql, {
      event: "cart.updated",
      schedule: { ...delayed, cancelOn: { events: ["order.created"], by: "cart.id" } },
    });
    const updated = (id: string, body = {}) => postEvent(world.gateway, shop, { ...cart(id), ...body }, { event: "cart.updated" });
    await postEvent(world.gateway, shop, cart("a"));
    expect((await updated("a")).json).toMatchObject({ chat: "scheduled", recipients_sent: 0, recipients_failed: 0 });
    expect(await messagesOf(shop)).toMatchObject(
      data<object>("gateway-queue-queue", "is cancelled by an event that came up to an hour before it,"),
    );
    expect(await waitingOf(shop)).toEqual([]);
    await updated("a");
    await postEvent(world.gateway, shop, cart("a"));
    await updated("a");
    // Of two events each cancels one, and one of a test none that is live.
    await postEvent(world.gateway, shop, cart("c"));
    await postEvent(world.gateway, shop, cart("c"));
    await postEvent(world.gateway, shop, { ...cart("c"), test: true });
    for (let n = 0; n < 3; n += 1) await updated("c");
    expect((await updated("c", { test: true })).json).not.toHaveProperty("recipients_scheduled");
    await postEvent(world.gateway, shop, cart("b"));
    await world.sql`update idempotency set expires_at = now() where site_id = ${shop.siteId}`;
    await updated("b");
    const [gone, waits] = ["cancelled", "scheduled"];
    expect(await statusesOf(shop)).toEqual([gone, gone, waits, gone, gone, waits, gone, waits]);
  });

  it.each(["cancelled", "queued"])("is told to the statistics when it is %s on a later day", async (status) => {
    const shop = await openShop(world.sql, {
      event: "cart.updated",
      schedule: { ...delayed, cancelOn: { events: ["order.created"], by: "cart.id" } },
    });
    await postEvent(world.gateway, shop, cart("a"), { event: "cart.updated" });
    const earlier = uuidv7(Date.now() - 30 * 3_600_000, randomBytes(10));
    for (const table of ["waiting_message", "notification"])
      await world.sql`update ${world.sql(table)} set id = ${earlier} where site_id = ${shop.siteId}`;
    world.platform.script((_, response) => refuse(response, 400, 131064));
    await (status === "queued" ? passes(shop, 7200) : postEvent(world.gateway, shop, cart("a")));
    await vi.waitFor(async () => expect(await statusesOf(shop)).toEqual([status]), soon);
    expect(await world.sql`select from notification_late where site_id = ${shop.siteId}`).toHaveLength(1);
  });
});

describe("a throttled binding", () => {
  it("lets so many messages leave for a phone, at once or later, and counts no failed one", async () => {
    const shop = await openShop(world.sql, { schedule: { throttle: { max: 2, seconds: 3600 } } });
    let tries = 0;
    world.platform.script((_, response) => ((tries += 1) === 1 ? refuse(response, 400, 131026) : newMessageId()));
    const answers = [];
    for (let n = 0; n < 4; n += 1) answers.push((await postEvent(world.gateway, shop)).json["chat"]);
    expect(answers).toEqual(["failed", "sent", "sent", "failed"]);
    expect((await messagesOf(shop)).at(-1)).toMatchObject({ error_code: "throttled" });
    expect((await postEvent(world.gateway, shop, { customer: { phone_e164: "+15551230002" } })).json["chat"]).toBe("sent");
    await postEvent(world.gateway, shop, anEvent, preferAsync);
    await vi.waitFor(async () => expect(await waitingOf(shop)).toEqual([]), soon);
    expect((await messagesOf(shop)).at(-1)).toMatchObject({ status: "failed", error_code: "throttled" });
  });

  it("holds over all gateways, and for a person over the forms of the number", async () => {
    const shop = await openShop(world.sql, { schedule: { throttle: { max: 3, seconds: 3600 } } });
    await using second = await openGateway(world.databaseUrl, world.platform.url);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => {
        const customer = { phone_e164: n % 4 < 2 ? "+525512345678" : "+5215512345678" };
        return postEvent(n % 2 === 0 ? world.gateway : second, shop, { customer });
      }),
    );
    expect(answers.filter(({ json }) => json["chat"] === "sent")).toHaveLength(3);
    expect(world.platform.sends).toHaveLength(3);
  });
});

describe("a site that holds its messages", () => {
  it("takes events, sends nothing, and sends all in their order when the hold ends", async () => {
    const shop = await openShop(world.sql);
    await world.sql`update site set hold_messages = true where id = ${shop.siteId}`;
    const posted = await postEvent(world.gateway, shop);
    expect(posted.json).toMatchObject({ chat: "scheduled", recipients_scheduled: 1 });
    await postEvent(world.gateway, shop, anEvent, preferAsync);
    expect(await messagesOf(shop)).toMatchObject([{ status: "scheduled" }, { status: "scheduled" }]);
    expect(world.platform.sends).toEqual([]);
    await world.sql`update site set hold_messages = false where id = ${shop.siteId}`;
    await vi.waitFor(async () => expect(await statusesOf(shop)).toEqual(["sent", "sent"]), soon);
  });
});

it("an account without a platform waits for one", async () => {
  const shop = await openShop(world.sql, { schedule: { delaySeconds: 60 } });
  await postEvent(world.gateway, shop);
  await world.sql`delete from platform_account where account_id = ${shop.accountId}`;
  await passes(shop, 60);
  await vi.waitFor(async () => expect(await statusesOf(shop)).toEqual(["queued"]), soon);
  await passes(shop, 25 * 3600);
  await vi.waitFor(async () => expect(await messagesOf(shop)).toMatchObject([{ status: "failed", error_code: "interrupted" }]), soon);
});
