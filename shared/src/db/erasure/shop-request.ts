import { dueWork } from "../owned.ts";
import { type IdPage, type RowOf, type Sql, columns, newestFirst, of, one, valuesOf } from "../statement.ts";
import { pagedErasure } from "./request.ts";

const shownColumns = {
  ...of.texts("id", "account_id", "site_id"),
  site: of<string>({ read: "(select s.name from site s where s.id = erasure_request.site_id)", stored: false }),
  /** Encrypted; null once it was refused or done. */
  person: of<string | null>(),
  /** The phone, masked. */
  hint: of<string>(),
  asked_at: of<Date>(),
  /** When it confirms itself. */
  confirms_at: of<Date>({ read: "asked_at + interval '14 days'", stored: false }),
  state: of<"asked" | "confirmed" | "refused" | "done">(),
  decided_by: of<string | null>(),
  ...of.each(of<Date | null>(), "decided_at", "finished_at"),
  counts: of<Record<string, number>>(),
};

const requestColumns = columns(shownColumns);

/** A shop's request to erase a person. */
export type ShopErasureRow = RowOf<typeof requestColumns>;

const workingColumns = columns({
  ...shownColumns,
  below: of<string>(),
  ...of.each(of<number>(), "pass", "step"),
  position: of<string | null>(),
  postponed: of<number>(),
  /** The id at which later passes begin: older rows were seen and were not in use. */
  recent: of<string>({ read: "uuid_at(asked_at - interval '2 days')", stored: false }),
});

/** A request that this process works on. */
export type WorkingShopErasure = RowOf<typeof workingColumns>;

export type NewShopErasure = Pick<ShopErasureRow, "id" | "account_id" | "site_id" | "hint"> & { person: string; person_hash: string };

/** The open requests of a site, of which there can be this many. */
const mostOpenRequests = 1_000;

const isOpen = "state in ('asked', 'confirmed')";

/** Notes the request, which confirms itself after two weeks; an open one for the same person stays as it is. False if the site has too many open ones. */
export async function insertShopErasure(sql: Sql, row: NewShopErasure): Promise<boolean> {
  const [open] = await sql<[{ count: number }]>`
    select count(*)::integer as count from (
      select from erasure_request where site_id = ${row.site_id} and ${sql.unsafe(isOpen)} limit ${mostOpenRequests}) o`;
  if (open.count >= mostOpenRequests) return false;
  await sql`
    insert into erasure_request ${valuesOf(sql, { ...row, below: sql`uuid_at(now() + interval '5 seconds')`, due_at: sql`now() + interval '14 days'` })}
    on conflict (site_id, person_hash) where state in ('asked', 'confirmed') do nothing`;
  return true;
}

/** A page of the account's requests, newest first. */
export const listShopErasures = (sql: Sql, accountId: string, page: IdPage) =>
  sql<ShopErasureRow[]>`
    select ${requestColumns.read(sql)} from erasure_request
    where account_id = ${accountId} ${newestFirst(sql, page)}`;

export const lockShopErasure = (sql: Sql, accountId: string, id: string) =>
  one(sql<ShopErasureRow[]>`
    select ${requestColumns.read(sql)} from erasure_request where id = ${id} and account_id = ${accountId} for update`);

/** Decides a request that was asked; a refused one forgets who was meant. `by`: null for the time. */
export const decideShopErasure = (sql: Sql, id: string, state: "confirmed" | "refused", by: string | null) => sql`
  update erasure_request set state = ${state}, decided_by = ${by}, decided_at = now(), due_at = now(),
    person = ${state === "refused" ? sql`null` : sql`person`}, owner = null, lease_until = null
  where id = ${id} and state = 'asked'`;

/** How many requests wait for an owner, and how many the time has confirmed in the last week; with the newest of each. */
export const readShopErasureNotices = (sql: Sql, accountId: string) =>
  one(sql<[{ asked: number; asked_at: Date | null; by_time: number; by_time_at: Date | null }]>`
    select count(*) filter (where state = 'asked')::integer as asked, max(asked_at) filter (where state = 'asked') as asked_at,
      count(*) filter (where by_time)::integer as by_time, max(decided_at) filter (where by_time) as by_time_at
    from (select state, asked_at, decided_at, decided_at > now() - interval '7 days' and decided_by is null as by_time from erasure_request where account_id = ${accountId}) r`);

/** Those that are due: confirmed or asked two weeks ago; of the account that has waited for longest. */
export const shopErasures = pagedErasure(
  dueWork<WorkingShopErasure>({
    table: "erasure_request",
    key: "id",
    columns: workingColumns,
    isOpen,
    order: "(select max(o.served_at) from erasure_request o where o.account_id = erasure_request.account_id) nulls first, due_at",
    onClaim: ", served_at = clock_timestamp()",
  }),
  "asked_at",
  "state = 'done', person = null",
);

/**
 * Takes an erasure of the whole account that a gateway of an earlier version asked for in a shop's name, so that it becomes a request of the site whose shop
 * it was; null: unknown. The phone is encrypted. `sql` is a transaction.
 */
export const takeHeldErasure = (sql: Sql) =>
  one(sql<{ id: string; account_id: string; phone: string | null; site_id: string | null }[]>`
    with held as (
      select id from erasure where due_at = 'infinity' and finished_at is null order by id limit 1 for update skip locked)
    delete from erasure e using held where e.id = held.id
    returning e.id, e.account_id, e.phone, (
      select s.id from audit_entry a join site s on s.id::text = a.subject and s.account_id = e.account_id
      where a.account_id = e.account_id and a.action = 'shopify.customers/redact' and a.changes::text like '%' || e.id || '%' limit 1) as site_id`);
