import type { Schedule } from "shared/core/schedule/schedule";
import { newId } from "shared/db/ids";
import { resumeAfterEnd } from "shared/db/platform-account";
import { insertRequest } from "shared/db/requested-event";
import { signBody } from "shared/secrets/signature";
import type { Shop } from "../../support/gateway.ts";
import { envelope, postMessages, postUpdates, postEvent } from "../../support/requests.ts";
import { openAskedShop, wooOrder } from "../../support/rest-shop.ts";
import { openPostingShop, postPing, postShop } from "../../support/shop-requests.ts";
import { shopBody } from "../../support/shops/bodies.ts";
import { waitFor } from "../../support/wait-for.ts";
import type { Failing } from "./statement-link.ts";
import type { Trip } from "./trips.ts";

export interface Journey {
  /** Prepares the trip; what it answers is done while a statement fails. */
  pack: (trip: Trip) => Promise<() => Promise<unknown>>;
  /** Statements that fail at the same time, by the beginning of their name: without that, what is done about it never happens. */
  besides?: { write: string; how: Failing };
}

const queueOne = async (trip: Trip) => {
  const shop = await trip.open();
  return () => trip.queue(shop);
};

const paidLater: Schedule = { delaySeconds: 1, cancelOn: { events: ["payment.received"], by: "order.id" } };

/** The ways in which a gateway gets something to do, each as short as can be. What a journey does, no earlier one does. */
export const journeys: Record<string, Journey> = {
  queued: { pack: queueOne },
  twice: {
    pack: async (trip) => {
      const shop = await trip.open();
      return () => Promise.all([trip.queue(shop), trip.queue(shop)]);
    },
  },
  "waited for": {
    pack: async (trip) => {
      trip.mayFail("interrupted");
      const shop = await trip.open();
      return () => trip.post(shop);
    },
  },
  keyed: {
    pack: async (trip) => {
      const [shop, order] = [await trip.open(), trip.order()];
      return async () => {
        await trip.postKeyed(shop, order);
        await trip.postKeyed(shop, order);
      };
    },
  },
  waves: {
    pack: async (trip) => {
      trip.mayFail("interrupted");
      const phones = Array.from({ length: 25 }, (_, n) => trip.order(n).customer.phone_e164);
      const shop = await trip.open({ recipient: { strategy: "site_recipients" }, phones });
      return () => trip.postKeyed(shop);
    },
  },
  throttled: {
    pack: async (trip) => {
      trip.mayFail("deadline", "interrupted");
      const shop = await trip.open({ schedule: { throttle: { max: 5, seconds: 60 } } });
      return () => Promise.all([trip.queue(shop), trip.post(shop, trip.order(1))]);
    },
  },
  "throttled in vain": {
    pack: async (trip) => {
      trip.mayFail("131026", "deadline", "interrupted");
      const shop = await trip.open({ schedule: { throttle: { max: 5, seconds: 60 } } });
      const [one, other] = [trip.order(), trip.order(1)];
      refuseTo(trip, [one, other], { status: 400, code: 131026 });
      return () => Promise.all([trip.queue(shop, one), trip.post(shop, other)]);
    },
  },
  retried: {
    pack: async (trip) => {
      const [shop, order] = [await trip.open(), trip.order()];
      refuseTo(trip, [order], { status: 500, code: 131000 });
      return () => trip.queue(shop, order);
    },
  },
  "too fast": {
    pack: async (trip) => {
      const [shop, order] = [await trip.open({ messagesPerSecond: 50 }), trip.order()];
      refuseTo(trip, [order], { status: 429, code: 130429 });
      return () => trip.queue(shop, order);
    },
  },
  "opted out": {
    pack: async (trip) => {
      trip.mayFail("131050");
      const [shop, order] = [await trip.open(), trip.order()];
      refuseTo(trip, [order], { status: 400, code: 131050 });
      return () => trip.queue(shop, order);
    },
  },
  "account refused": {
    pack: async (trip) => {
      trip.mayFail("190", "account_stopped", "interrupted");
      const [shop, order] = [await trip.open(), trip.order()];
      refuseTo(trip, [order], { status: 401, code: 190 });
      return async () => {
        await trip.queue(shop, order);
        await untilTaken(trip, shop);
      };
    },
  },
  "account stopped": {
    pack: async (trip) => {
      trip.mayFail("131042", "account_stopped", "interrupted");
      const shop = await trip.open();
      await trip.post(shop);
      await trip.lane.sql`update platform_account set updated_at = now() - interval '1 minute' where account_id = ${shop.accountId}`;
      const failed = { status: "failed", errors: [{ code: 131042, title: "Payment" }] };
      return async () => {
        await trip.insist("the callback", () => postUpdates(trip.lane.gateway, shop, [statusOf(trip, failed)]));
        await trip.queue(shop, trip.order(1));
        await untilTaken(trip, shop);
      };
    },
  },
  unbound: {
    pack: async (trip) => {
      trip.mayFail("binding_deleted");
      const [{ sql }, shop] = [trip.lane, await trip.open()];
      await sql`update site set hold_messages = true where id = ${shop.siteId}`;
      await trip.queue(shop);
      await sql`delete from binding where id = ${shop.bindingId}`;
      return async () => {
        await sql`update recipient_turn set due_at = now() where account_id = ${shop.accountId}`;
        await sql`update site set hold_messages = false where id = ${shop.siteId}`;
      };
    },
  },
  replaced: {
    pack: async (trip) => {
      trip.mayFail("restarted");
      const schedule: Schedule = { delaySeconds: 1, restartBy: "customer.phone_e164" };
      const shop = await trip.open({ schedule });
      return async () => {
        await trip.postKeyed(shop);
        await trip.postKeyed(shop);
      };
    },
  },
  foreseen: {
    pack: async (trip) => {
      trip.mayFail("cancelled_by_event");
      const [shop, payload] = [await trip.open({ schedule: paidLater }), trip.order()];
      return async () => {
        const paid = { event: "payment.received", headers: { "X-Service-Idempotency-Key": payload.order.id } };
        await trip.insist("the event", () => postEvent(trip.lane.gateway, shop, payload, paid));
        await trip.postKeyed(shop, payload);
      };
    },
  },
  callbacks: {
    pack: async (trip) => {
      const { gateway } = trip.lane;
      const [shop, { customer: stranger }] = [await trip.open(), trip.order(1)];
      await trip.post(shop);
      await trip.lane.sql`delete from platform_callback where account_id = ${shop.accountId}`;
      const word = { from: stranger.phone_e164.slice(1), timestamp: seconds(), type: "text" };
      return async () => {
        await trip.insist("the callback", () => postUpdates(gateway, shop, [statusOf(trip, { status: "delivered" })]));
        await trip.insist("the callback", () => postMessages(gateway, shop, [{ ...word, id: newId(), text: { body: "STOP" } }]));
        await trip.insist("the callback", () =>
          postMessages(gateway, shop, [{ ...word, id: newId(), timestamp: seconds(1), text: { body: "START" } }]),
        );
      };
    },
  },
  "refused for a while": {
    pack: async (trip) => {
      trip.mayFail("interrupted");
      const shop = await trip.open();
      refuseTo(trip, [trip.order()], { status: 400, code: 131064 });
      return () => trip.post(shop).then(() => untilTaken(trip, shop));
    },
  },
  "number limited": {
    pack: async (trip) => {
      trip.mayFail("131048", "interrupted");
      const [shop, ...orders] = [await trip.open(), trip.order(), trip.order(1)] as const;
      refuseTo(trip, orders.slice(0, 1), { status: 400, code: 131048 });
      return async () => {
        for (const order of orders) await trip.queue(shop, order);
        await untilTaken(trip, shop);
      };
    },
  },
  news: {
    pack: async (trip) => {
      const [{ gateway }, shop] = [trip.lane, await trip.open()];
      await trip.post(shop);
      const price = { pricing: { category: "utility", type: "regular", billable: true }, recipient_user_id: "DE.1" };
      const word = { timestamp: seconds(), type: "text", from_user_id: "DE.1", text: { body: "STOP" } };
      return async () => {
        const say = (more: object) => postNews(trip, shop, { field: "messages", value: { messages: [{ ...word, id: newId(), ...more }] } });
        await say({});
        await trip.insist("the callback", () => postUpdates(gateway, shop, [statusOf(trip, { status: "delivered", ...price })]));
        await say({ type: "system", system: { type: "user_changed_user_id", user_id: "DE.2", previous_user_id: "DE.1" } });
        await say({ timestamp: seconds(1), from_user_id: "DE.2", text: { body: "START" } });
        for (const waba_ban_state of ["SCHEDULE_FOR_DISABLE", "DISABLE", "REINSTATE"])
          await postNews(trip, shop, { field: "account_update", value: { event: "DISABLED_UPDATE", ban_info: { waba_ban_state } } });
        await resumeAfterEnd(trip.lane.sql, shop.accountId); // As the check of an admin server does.
      };
    },
  },
  templates: {
    pack: async (trip) => {
      const shop = await trip.open();
      const named = {
        message_template_id: 7,
        message_template_name: `order_created_${shop.siteId.slice(-6)}`,
        message_template_language: "en_US",
      };
      const news = [
        { ...named, new_category: "MARKETING" },
        { ...named, message_template_id: 8, message_template_name: "unknown", event: "APPROVED" },
      ].map((value) => ({ field: "template_category_update", value }));
      return () => postNews(trip, shop, ...news, { ...news[1], field: "message_template_status_update" });
    },
  },
  shops: {
    pack: async (trip) => {
      const { gateway, sql } = trip.lane;
      trip.mayFail("cancelled_by_event");
      const shopify = await trip.adopt((account) => openPostingShop(sql, "shopify", { ...account, country: "US" }));
      const woo = await trip.adopt((account) => openPostingShop(sql, "woocommerce", { ...account, schedule: paidLater }));
      const order = JSON.stringify({ ...wooOrder(1), status: "pending" });
      const changed = JSON.stringify({ ...wooOrder(1), status: "on-hold", date_paid: "2026-03-14" });
      const refunded = JSON.stringify({ ...wooOrder(1, { modifiedAgo: 0 }), status: "cancelled", refunds: [{ id: 1, total: "-1.00" }] });
      const posts = [
        () => postPing(gateway, woo),
        () => postShop(gateway, shopify, shopBody("shopify-orders-create")),
        () =>
          postShop(gateway, shopify, shopBody("shopify-customers-redact").replace("555-625-1199", "+491712345679"), {
            topic: "customers/redact",
          }),
        () => postShop(gateway, woo, order, { id: "a" }),
        () => postShop(gateway, woo, changed, { id: "b", topic: "order.updated" }),
        () => postShop(gateway, woo, refunded, { id: "c", topic: "order.updated" }),
      ];
      return async () => {
        // Shops repeat what has no good answer.
        for (const post of posts) await trip.insist("the shop's request", post);
      };
    },
  },
  limited: {
    pack: async (trip) => {
      trip.mayFail("interrupted");
      const shop = await trip.open();
      await trip.lane.sql`update site set rate_limit_per_second = 100 where id = ${shop.siteId}`;
      const conditions = { match: "all", rules: [{ path: "order.id", op: "exists" }] };
      await trip.lane.sql`update binding set conditions = ${trip.lane.sql.json(conditions)} where id = ${shop.bindingId}`;
      return () => trip.postKeyed(shop);
    },
  },
  refused: {
    pack: async (trip) => {
      const shop = await trip.open();
      return () => trip.post({ ...shop, secret: "wrong" });
    },
  },
  "asked for": { pack: ask },
  "asked for in vain": { besides: { write: "dueWork: update requested_event (3)", how: { code: "XX000" } }, pack: ask },
  fetched: { pack: fetchOrders },
  "fetched in vain": { besides: { write: "dueWork: update reconcile (3)", how: { code: "XX000" } }, pack: fetchOrders },
  "endpoint fails": {
    pack: async (trip) => {
      const shop = await trip.open();
      let failures = 9;
      trip.lane.receiver.script((_, response) => response.writeHead((failures -= 1) >= 0 ? 503 : 204).end());
      return () => addDeliveries(trip, shop, 20);
    },
  },
  "endpoint off": {
    pack: async (trip) => {
      const shop = await trip.open();
      await trip.lane.sql`update webhook set enabled = false where id = ${shop.webhookId}`;
      return () => addDeliveries(trip, shop, 2);
    },
  },
  left: { pack: packLeft },
  "finished in vain": { besides: { write: "finishFromLog: update event", how: { code: "XX000" } }, pack: packLeft },
  unsettled: {
    besides: { write: "settleStatement:", how: { code: "XX000" } },
    pack: async (trip) => {
      trip.mayFail("interrupted");
      const shop = await trip.open();
      return () => Promise.all([trip.post(shop), trip.postKeyed(shop, trip.order(1))]);
    },
  },
  unrecorded: { besides: { write: "endWaiting: delete", how: { code: "XX000" } }, pack: queueOne },
  "taken in vain": { besides: { write: "takeFirst:", how: "lost" }, pack: queueOne },
  "attempt unrecorded": {
    besides: { write: "recordAttempts: update webhook_delivery", how: { code: "XX000" } },
    pack: queueOne,
  },
  "delivery taken in vain": { besides: { write: "takeDeliveries:", how: "lost" }, pack: queueOne },
};

const seconds = (more = 0): string => String(Math.floor(Date.now() / 1000) + more);

/** A status of the message that was taken last. */
const statusOf = ({ lane }: Trip, news: object): object => {
  const { id = "", send } = lane.taken.at(-1) ?? {};
  return {
    id,
    timestamp: seconds(),
    recipient_id: send?.body.to.slice(1),
    biz_opaque_callback_data: send?.body.biz_opaque_callback_data,
    ...news,
  };
};

const postNews = (trip: Trip, { accountId, appSecret }: Shop, ...changes: object[]) => {
  const body = Buffer.from(envelope(...changes));
  const headers = { "Content-Type": "application/json", "X-Hub-Signature-256": signBody(appSecret, body) };
  const url = `${trip.lane.gateway.url}/api/public/platform/webhook/${accountId}`;
  return trip.insist("the callback", () => fetch(url, { method: "POST", headers, body }));
};

function refuseTo(
  { lane }: Trip,
  payloads: readonly { customer: { phone_e164: string } }[],
  refusal: { status: number; code: number },
): void {
  for (const { customer } of payloads) lane.refusals.set(customer.phone_e164, { ...refusal, times: 1 });
}

/** Has a stopped account's pause be over at once, and the hours for which what was refused waits, until nothing waits any more. */
async function untilTaken({ lane: { sql } }: Trip, { accountId }: Shop): Promise<void> {
  await waitFor(
    "the account to be taken again",
    async () => {
      const stopped = await sql`
        update platform_account set probe_after = least(probe_after, now()), limited_probe_after = least(limited_probe_after, now())
        where account_id = ${accountId} and greatest(probe_after, limited_probe_after) > now() returning 1`;
      // Gateways have read when the pause would be over.
      if (stopped.length > 0) await sql`update account set config_version = config_version + 1 where id = ${accountId}`;
      for (const table of ["waiting_message", "recipient_turn"])
        await sql`update ${sql(table)} set due_at = now() where account_id = ${accountId} and due_at > now() + interval '5 minutes'`;
      return (await sql`select from waiting_message where account_id = ${accountId}`).length === 0;
    },
    60_000,
  );
}

const addDeliveries = async ({ lane: { sql } }: Trip, { siteId, webhookId }: Shop & { webhookId: string }, count: number) =>
  sql`
    insert into webhook_delivery (id, webhook_id, type, site_id, phone_hash, payload, occurred_at)
    select gen_random_uuid(), ${webhookId}, 'message.received', ${siteId}, 'p', '{"type":"message.received"}', now() from generate_series(1, ${count})`;

async function ask(trip: Trip) {
  const shop = await trip.open();
  const original = String((await trip.post(shop))?.json["event_id"]);
  const none = { binding_id: null, template_id: null, name: null, payload: null, phone: null };
  const row = { ...none, kind: "replay" as const, replay_of: original, account_id: shop.accountId, site_id: shop.siteId };
  return () => insertRequest(trip.lane.sql, { ...row, id: newId(), request_id: newId() });
}

async function fetchOrders(trip: Trip) {
  const { sql, rest } = trip.lane;
  const shop = await trip.adopt((account) => openAskedShop(sql, rest, { ...account, isDue: false }));
  rest.orders = [wooOrder(Number(trip.order().order.id))];
  return async () => sql`update reconcile set due_at = now() where site_id = ${shop.siteId}`;
}

/** Rows as a gateway leaves them that dies with two events, a queued message and a delivery in its hands; nothing of it had left. */
async function packLeft(trip: Trip): Promise<() => Promise<unknown>> {
  const { sql } = trip.lane;
  trip.mayFail("interrupted");
  const [shop, dead] = [await trip.open(), newId()];
  const [untried, begun] = [trip.order(), trip.order(1)];
  refuseTo(trip, [untried, begun], { status: 400, code: 131026 });
  for (const order of [untried, begun]) await trip.postKeyed(shop, order);
  await waitFor(
    "the deliveries",
    async () => (await sql`select from webhook_delivery where site_id = ${shop.siteId} and status = 'pending'`).length === 0,
  );
  await sql`update webhook_delivery set status = 'pending', owner = ${dead} where site_id = ${shop.siteId}`;
  await sql`
    update notification set status = case when to_phone = ${begun.customer.phone_e164} then 'sending' else 'queued' end::notification_status,
      error_code = null, error_reason = null, error_detail = null, failed_at = null where site_id = ${shop.siteId}`;
  await sql`update site set hold_messages = true where id = ${shop.siteId}`;
  await trip.queue(shop, trip.order(2));
  await sql`update waiting_message set owner = ${dead}, due_at = now(), queued_at = now() where site_id = ${shop.siteId}`;
  await sql`update recipient_turn set owner = ${dead}, due_at = now() where account_id = ${shop.accountId}`;
  await sql`update notification n set status = 'sending' where exists (select from waiting_message w where w.id = n.id and w.owner = ${dead})`;
  await sql`update site set hold_messages = false where id = ${shop.siteId}`;
  await sql`update event set chat = null, owner = ${dead} where site_id = ${shop.siteId} and chat = 'failed'`;
  return () => sql`
    insert into gateway (id, lease_until, since) select ${dead}, now() - interval '1 second', min(id::text)::uuid from event where site_id = ${shop.siteId}`;
}
