import fc from "fast-check";
import { expect, it } from "vitest";
import { scaled } from "../../../../test/faults/harness/scale.ts";
import { data } from "../../../../test/support/data.ts";
import { testDatabase } from "../../../../test/support/database.ts";
import { openShop, type Shop } from "../../../../test/support/gateway.ts";
import { newId } from "../ids.ts";
import { configName } from "../site-for-ingest.ts";
import type { Pool } from "../statement.ts";
import { claimEvents, type EventClaim } from "./claim.ts";
import { listLeft, renewGatewayLease } from "./gateway-lease.ts";

interface Arrival {
  /** The number of one of a few orders. */
  order: number | null;
  number: string | null;
  status: string | null;
  key: boolean;
  dryRun: boolean;
  outdated: boolean;
  payload: string;
  trace: string | null;
  messages: number;
}

const text = fc.string({ unit: fc.constantFrom('"', "\\", "{", ",", "\n", "é", "a"), maxLength: 8 });
const arrival: fc.Arbitrary<Arrival> = fc.record({
  order: fc.option(fc.nat(2)),
  number: fc.option(text),
  status: fc.option(text),
  key: fc.boolean(),
  dryRun: fc.boolean(),
  outdated: fc.boolean(),
  payload: text,
  trace: fc.option(text),
  messages: fc.nat(2),
});

type PlannedShop = Shop & { config: string };

async function openPlanned(sql: Pool): Promise<PlannedShop> {
  const shop = await openShop(sql);
  const [config] = await sql<[Pick<PlannedShop, "config">]>`
    select ${sql.unsafe(configName)} as config from site s join account a on a.id = s.account_id where s.id = ${shop.siteId}`;
  return { ...shop, ...config };
}

/** The rows of an arrival at a shop; those of the nth arrival at two shops differ only in ids. */
function toClaim(
  shop: PlannedShop,
  run: string,
  { order, number, status, key, dryRun, outdated, payload, trace, messages }: Arrival,
  n: number,
): EventClaim {
  const id = newId();
  const of = { site_id: shop.siteId, account_id: shop.accountId };
  const ordered = order !== null && !dryRun;
  const row = { binding_id: shop.bindingId, template_id: shop.templateId, template: "order_created", language: "en", components: "[]" };
  const event = {
    id,
    site_id: shop.siteId,
    config: outdated ? shop.config.replace(/ \d+ /, " -1 ") : shop.config,
    source: "shop",
    name: "order.created",
    test: n % 2 === 0,
    dry_run: dryRun,
    idempotency_key: key ? `${run} ${n}` : null,
    bindings_run: n,
    chat: messages === 0 ? "none" : null,
    unreached: null,
    recipients_failed: 0,
    recipients_sent: 0,
    order_id: ordered ? `00000000-0000-0000-0000-00000000000${order}` : null,
    order_external_id: ordered ? String(order) : null,
    order_number: ordered ? number : null,
    order_status: ordered ? status : null,
    order_total: null,
    order_currency: null,
    payload,
    trace,
    body: dryRun && key ? payload : null,
    id_until: null,
  };
  const notifications = Array.from({ length: messages }, (_, position) => ({
    ...of,
    ...row,
    id: newId(),
    event_id: id,
    event: "order.created",
    to_phone: `+1415555010${position}`,
    position,
    status: "sending" as const,
    error_code: null,
    error_reason: null,
    test: false,
  }));
  return { event, notifications, addressees: [], waiting: [], stops: [], asks: [], hasWebhooks: false };
}

const plain: Arrival = data("db-event-claim", "plain");

/** A gateway with a lease of this many seconds. */
async function openGatewayRow(sql: Pool, seconds = 60): Promise<string> {
  const id = newId();
  await renewGatewayLease(sql, { id, seconds, since: id });
  return id;
}

/** All rows that the claims of a shop have left, in the order of their events. */
async function leftBy(sql: Pool, { siteId }: Shop) {
  const events = await sql`
    select e.source, e.name, e.test, e.dry_run, e.order_id, e.idempotency_key, e.bindings_run, e.chat, e.owner,
      p.payload, p.trace, k.key, k.body
    from event e join event_payload p on p.id = e.id left join idempotency k on k.event_id = e.id where e.site_id = ${siteId} order by e.id`;
  const orders = await sql`
    select o.id, o.external_id, o.number, o.status, o.total, (select count(*) from event e where e.site_id = o.site_id and e.id <= o.last_event_id) as last
    from customer_order o where o.site_id = ${siteId} order by o.id`;
  const messages = await sql`
    select n.template, n.to_phone, n.position, n.status, (select count(*) from event e where e.site_id = n.site_id and e.id <= n.event_id) as of_event
    from notification n where n.site_id = ${siteId} order by n.event_id, n.position`;
  return { events: [...events], orders: [...orders], messages: [...messages] };
}

it("leaves of a batch what its events leave one by one", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  const gateway = await openGatewayRow(sql);
  const [together, alone] = [await openPlanned(sql), await openPlanned(sql)];
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(arrival, { minLength: 1, maxLength: 6 }), async (arrivals) => {
      run += 1;
      const claimsOf = (shop: PlannedShop): EventClaim[] => arrivals.map((each, n) => toClaim(shop, String(run), each, n));
      const outcomes = await claimEvents(sql, claimsOf(together), gateway);
      expect(outcomes).toEqual(arrivals.map(({ outdated }) => (outdated ? "outdated" : "claimed")));
      for (const [n, claim] of claimsOf(alone).entries()) expect(await claimEvents(sql, [claim], gateway)).toEqual([outcomes?.[n]]);
      expect(await leftBy(sql, together)).toEqual(await leftBy(sql, alone));
      for (const { siteId } of [together, alone]) {
        for (const table of ["notification", "idempotency", "customer_order", "event_payload", "event"])
          await sql`delete from ${sql(table)} where site_id = ${siteId}`;
      }
    }),
    { numRuns: scaled(20, 60) },
  );
});

it("answers a key that is taken with nothing written, beside events that are claimed", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  const gateway = await openGatewayRow(sql);
  const shop = await openPlanned(sql);
  expect(await claimEvents(sql, [toClaim(shop, "run", plain, 0)], gateway)).toEqual(["claimed"]);
  const batch = [toClaim(shop, "run", { ...plain, number: "2" }, 0), toClaim(shop, "run", { ...plain, order: 2 }, 1)];
  expect(await claimEvents(sql, batch, gateway)).toEqual(["duplicate", "claimed"]);
  const { events, orders, messages } = await leftBy(sql, shop);
  expect([events.length, messages.length]).toEqual([2, 2]);
  expect(orders.map(({ number }) => number)).toEqual(["1", "1"]);
});

it("stores nothing once the gateway's lease has been ended, and all that it stored before is listed", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  const shop = await openPlanned(sql);
  const gateway = await openGatewayRow(sql, 0);
  const claim = toClaim(shop, "run", plain, 0);
  const listed = async () => (await sql<{ id: string }[]>`select id from event_due`).map(({ id }) => id);
  await sql.begin(async (underWay) => {
    expect(await claimEvents(underWay, [claim], gateway)).toEqual(["claimed"]);
    await listLeft(sql, 120);
    expect(await listed()).toEqual([]);
  });
  await listLeft(sql, 120);
  expect(await listed()).toEqual([claim.event.id]);
  expect(await claimEvents(sql, [toClaim(shop, "run", { ...plain, order: 2 }, 1)], gateway)).toBeNull();
  await listLeft(sql, 120);
  expect(await sql`select id from event`).toEqual([{ id: claim.event.id }]);
});
