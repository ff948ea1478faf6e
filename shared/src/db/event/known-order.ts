import { type Sql, one, inTransaction } from "../statement.ts";
import { eventOfIds } from "./answer.ts";

/** What is known before a shop's delivery. */
export interface KnownDelivery {
  /** The key among the given ones that an event has taken; null when none has. */
  key: string | null;
  /** The history of its thing, as it is stored; null without one. */
  history: string | null;
  /** The last known status of its order, as it is stored; null when none is known. */
  status: string | null;
}

export interface AskedDelivery {
  keys: readonly string[];
  /** The thing's id. */
  thing: string | null;
  order: string | null;
}

export const findKnown = (sql: Sql, siteId: string, { keys, thing, order }: AskedDelivery) =>
  one(sql<[KnownDelivery]>`
    select (select history from shop_history where site_id = ${siteId} and id = ${thing}) as history,
      (select status from customer_order where site_id = ${siteId} and id = ${order}) as status,
      (select key from idempotency
        where site_id = ${siteId} and event = ${eventOfIds} and key = any(${[...keys]}::text[]) and not dry_run and expires_at > now() limit 1) as key`);

/** A change of a thing's history, by a delivery that was decided upon with the former one. */
export interface HistoryChange {
  site_id: string;
  id: string;
  /** The former history, as it is stored; empty for none. */
  before: string;
  /** Null: it stays as it is, but must still be so. */
  after: string | null;
}

/**
 * Waits for changes of these things that are under way at any gateway, and holds others off until the transaction's end. The next statement then sees their
 * histories. Hashes in order cannot deadlock.
 */
export const lockHistories = (sql: Sql, ids: readonly string[]) => sql`
  select pg_advisory_xact_lock(hash)
  from (select distinct hashtextextended('order ' || o, 0) as hash from unnest(${[...ids]}::text[]) o order by 1) as locks`;

/** Changes the history of a thing of which nothing is told; false, and nothing changes, when it has become another. */
export const changeHistory = async (sql: Sql, { site_id, id, before, after }: HistoryChange): Promise<boolean> =>
  await inTransaction(sql, async (transaction) => {
    await lockHistories(transaction, [id]);
    const { count } = await transaction`
      insert into shop_history as h (site_id, id, history)
      select ${site_id}, ${id}, ${after} where ${before} = coalesce((select history from shop_history where site_id = ${site_id} and id = ${id}), '')
      on conflict (site_id, id) do update set history = excluded.history, updated_at = now()`;
    return count > 0;
  });

/** The payload of an order's last event, as it is stored; undefined when it is not kept. */
export const findOrderPayload = (sql: Sql, siteId: string, orderId: string) =>
  one(sql<{ id: string; payload: string }[]>`
    select p.id, p.payload from customer_order o join event_payload p on p.site_id = o.site_id and p.id = o.last_event_id
    where o.site_id = ${siteId} and o.id = ${orderId}`);
