import type { Sql } from "../../connect.ts";
import { names } from "./names.ts";
import { nextOf, type PageOf, type PageResult, type Person, readIds } from "./page.ts";

/** Empties what of an event's line names the person: its client chose key, name and source freely, of ASCII. */
export async function eraseEvents(sql: Sql, { pattern: { ascii }, below }: Person, page: PageOf): Promise<PageResult> {
  const ids = await readIds(sql, "event", page, below);
  const within = sql`site_id = ${page.siteId} and id > ${page.after} and id <= ${ids.at(-1) ?? page.after}`;
  const isNamed = sql`(idempotency_key ~ ${ascii} or name ~ ${ascii} or source ~ ${ascii})`;
  const open = await sql`select from event where ${within} and lease_until is not null and ${isNamed}`;
  const changed = await sql`
    update event set idempotency_key = case when idempotency_key ~ ${ascii} then 'erased' else idempotency_key end,
      name = case when name ~ ${ascii} then 'erased' else name end, source = case when source ~ ${ascii} then 'erased' else source end
    where ${within} and lease_until is null and ${isNamed}`;
  return { next: nextOf(ids, page.limit), scanned: ids.length, counts: { event: changed.count }, postponed: open.length };
}

/** Removes the orders that name the person. */
export async function eraseOrders(sql: Sql, { pattern }: Person, page: PageOf): Promise<PageResult> {
  const ids = await readIds(sql, "customer_order", page, null);
  // A line each: none of them goes on in the next.
  const texts = sql`concat_ws(E'\\n', external_id, number, status, total, currency)`;
  const changed = await sql`
    delete from customer_order where site_id = ${page.siteId} and id > ${page.after} and id <= ${ids.at(-1) ?? page.after}
      and ${names(sql, texts, pattern)}`;
  return { next: nextOf(ids, page.limit), scanned: ids.length, counts: { customer_order: changed.count }, postponed: 0 };
}
