import type { Sql } from "../../connect.ts";
import { forgetSamples } from "../event-kind/forget-samples.ts";
import { names } from "./names.ts";
import { nextOf, type PageOf, type PageResult, type Person, readIds } from "./page.ts";

/**
 * Removes the payloads that name the person, and what was made of them: what was sent because of the event, the order, samples, answers kept for duplicates.
 * An event that is still being worked on is left for later.
 */
export async function erasePayloads(sql: Sql, person: Person, page: PageOf): Promise<PageResult> {
  const { siteId, after, limit } = page;
  const ids = await readIds(sql, "event_payload", page, person.below);
  const found = await findPayloads(sql, person, siteId, after, ids.at(-1) ?? after);
  const free = found.filter(({ in_use }) => !in_use);
  const counts = free.length === 0 ? {} : await forgetEvents(sql, siteId, free);
  return { next: nextOf(ids, limit), scanned: ids.length, counts, postponed: found.length - free.length };
}

interface FoundPayload {
  id: string;
  order_id: string | null;
  in_use: boolean;
}

const findPayloads = (sql: Sql, { pattern }: Person, siteId: string, after: string, last: string) =>
  sql<FoundPayload[]>`
    select p.id, e.order_id, e.lease_until is not null or exists (
      select from notification n where n.site_id = p.site_id and n.event_id = p.id and n.status in ('queued', 'sending')) as in_use
    from event_payload p left join event e on e.site_id = p.site_id and e.id = p.id
    where p.site_id = ${siteId} and p.id > ${after} and p.id <= ${last} and (${names(sql, sql`p.payload`, pattern)} or ${names(sql, sql`p.trace`, pattern)})`;

async function forgetEvents(sql: Sql, siteId: string, events: readonly FoundPayload[]): Promise<Record<string, number>> {
  const ids = events.map(({ id }) => id);
  const orders = events.flatMap(({ order_id }) => order_id ?? []);
  const payloads = await sql`delete from event_payload where site_id = ${siteId} and id = any(${ids}::uuid[])`;
  const notifications = await sql`
    update notification set components = '[]', error_detail = null
    where site_id = ${siteId} and event_id = any(${ids}::uuid[]) and (components <> '[]' or error_detail is not null)`;
  const customerOrders = await sql`delete from customer_order where site_id = ${siteId} and id = any(${orders}::uuid[])`;
  const kept = await sql`delete from idempotency where site_id = ${siteId} and event_id = any(${ids}::uuid[]) and body is not null`;
  const own = new Set(ids);
  await forgetSamples(sql, [siteId], ({ sampled }) => own.has(sampled));
  return {
    event_payload: payloads.count,
    notification: notifications.count,
    customer_order: customerOrders.count,
    idempotency: kept.count,
  };
}
