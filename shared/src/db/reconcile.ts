import type { ReconcileProblem } from "../core/reason.ts";
import { dueWork, type Lease } from "./owned.ts";
import { endSiteSecrets, insertSiteSecret } from "./site-secret.ts";
import { type RowOf, type Sql, asJson, columns, of } from "./statement.ts";

const claimedColumns = columns({
  site_id: of<string>(),
  /** The site's URL when the key was entered. */
  url: of<string>(),
  key_id: of<string>(),
  /** Encrypted. */
  key: of<string>({ read: "(select secret from site_secret k where k.id = reconcile.key_id)" }),
  /** The number of days that the account keeps its log. */
  log_days: of<number>({ read: "(select log_days from site s join account a on a.id = s.account_id where s.id = reconcile.site_id)" }),
});

/** A site whose shop is due to be asked for its orders. */
export type ClaimedReconcile = RowOf<typeof claimedColumns>;

/** The runs: each asks one site's shop. */
export const reconciles = dueWork<ClaimedReconcile>({ table: "reconcile", key: "site_id", columns: claimedColumns });

export interface ReconcileOutcome {
  /** The problem; null if all orders were looked at. */
  problem: ReconcileProblem | null;
  /** The number of orders that came in. */
  taken: number;
  /** Seconds until the next run. */
  nextIn: number;
}

/** Ends a run and makes the next one due in `nextIn` seconds. */
export const finishReconcile = (sql: Sql, siteId: string, lease: Lease, { problem, taken, nextIn }: ReconcileOutcome): Promise<void> =>
  reconciles.release(
    sql,
    siteId,
    lease,
    sql`last_at = now(), taken = ${taken}, due_at = now() + make_interval(secs => ${nextIn}), problem = ${asJson(sql, problem)},
      problem_since = case when ${problem === null} then null when problem->>'code' = ${problem?.code ?? null} then problem_since else now() end`,
  );

/** Stores a site's key in place of the former one; the first run is due at once. Lock the site first. */
export async function setReconcile(sql: Sql, siteId: string, key: { id: string; secret: string; hint: string }): Promise<void> {
  await removeReconcile(sql, siteId);
  await insertSiteSecret(sql, { ...key, site_id: siteId, kind: "rest_key" });
  await sql`insert into reconcile (site_id, key_id, url) select id, ${key.id}, url from site where id = ${siteId}`;
}

/** Deletes a site's key, and with it its turn. */
export const removeReconcile = (sql: Sql, siteId: string) => endSiteSecrets(sql, siteId, "rest_key");

/** Makes the site's run due at once, unless it is under way; changes nothing at a site without a key. */
export const makeReconcileDue = (sql: Sql, siteId: string) =>
  sql`update reconcile set due_at = now() where site_id = ${siteId} and owner is null and due_at > now()`;

/** The known facts of a shop's order. */
export interface KnownOrder {
  id: string;
  /** The history, as it is stored; null without one. */
  history: string | null;
  /** The status in its stored form; null if the order is not known, or its status is not. */
  status: string | null;
  /** Whether there is an order or an event of it. */
  known: boolean;
}

/** The known facts of orders. */
export const findKnownOrders = (sql: Sql, siteId: string, orderIds: readonly string[]) =>
  sql<KnownOrder[]>`
    select wanted.id, h.history, o.status,
      o.id is not null or exists (select from event e where e.site_id = ${siteId} and e.order_id = wanted.id) as known
    from unnest(${[...orderIds]}::uuid[]) as wanted (id)
    left join customer_order o on o.site_id = ${siteId} and o.id = wanted.id
    left join shop_history h on h.site_id = ${siteId} and h.id = wanted.id`;
