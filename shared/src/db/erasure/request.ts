import { type DueWork, dueWork, type Lease } from "../owned.ts";
import { type IdPage, type RowOf, type Sql, asJson, columns, countRows, newestFirst, of, one, scalar, valuesOf } from "../statement.ts";

/** A table and the site whose rows of it are gone through; null for rows of the account. */
export interface StoredPart {
  table: string;
  siteId: string | null;
}

/** The tables of a site that may hold a phone, in the order in which they are searched. */
export const siteTables = ["event_payload", "notification", "event", "customer_order", "site"] as const;
export type ErasedSiteTable = (typeof siteTables)[number];

/** Every part of an account that may hold a phone. */
export const erasureSteps = (siteIds: readonly string[]): StoredPart[] => [
  ...siteIds.flatMap((siteId) => siteTables.map((table) => ({ table, siteId }))),
  { table: "account", siteId: null },
  { table: "sandbox", siteId: null },
];

const shownColumns = {
  ...of.texts("id", "account_id", "requested_by"),
  requested_at: of<Date>(),
  /** The phone, masked. */
  hint: of<string>(),
  steps: of<StoredPart[]>(),
  ...of.each(of<number>(), "pass", "step"),
  /** A bigint, as text. */
  scanned: of<string>(),
  counts: of<Record<string, number>>(),
  finished_at: of<Date | null>(),
};

const erasureColumns = columns(shownColumns);

/** A request to forget a person. */
export type ErasureRow = RowOf<typeof erasureColumns>;

const workingColumns = columns({
  ...shownColumns,
  /** Encrypted. */
  phone: of<string>(),
  ...of.texts("phone_hash", "below"),
  position: of<string | null>(),
  postponed: of<number>(),
  /** The id at which later passes begin: older rows were seen and were not in use. */
  recent: of<string>({ read: "uuid_at(requested_at - interval '2 days')", stored: false }),
});

/** An erasure that this process works on. */
export type WorkingErasure = RowOf<typeof workingColumns>;

export type NewErasure = Pick<WorkingErasure, "id" | "account_id" | "requested_by" | "phone" | "phone_hash" | "hint" | "steps">;

/** Asks for a person to be forgotten; answers the open request when there is one. Rows of the next seconds are included, since clocks differ. */
export async function requestErasure(sql: Sql, { steps, ...erasure }: NewErasure): Promise<ErasureRow> {
  const row = { ...erasure, below: sql`uuid_at(now() + interval '5 seconds')`, steps: asJson(sql, steps) };
  return one(sql<[ErasureRow]>`
    insert into erasure ${valuesOf(sql, row)}
    on conflict (account_id, phone_hash) where finished_at is null do update set phone_hash = excluded.phone_hash
    returning ${erasureColumns.read(sql)}`);
}

/** The most open requests of an account. */
export const mostOpenErasures = 200;

export const countOpenErasures = (sql: Sql, accountId: string) =>
  countRows(sql, sql`select from erasure where account_id = ${accountId} and finished_at is null`);

export const findErasure = (sql: Sql, accountId: string, id: string) =>
  one(sql<ErasureRow[]>`select ${erasureColumns.read(sql)} from erasure where id = ${id} and account_id = ${accountId}`);

/** In how many seconds the request is due, or its server is looked for again; null once it has finished. */
export const findErasureDue = async (sql: Sql, id: string) =>
  (await scalar(sql<{ seconds: number }[]>`
    select case when lease_until > now() then 1 else greatest(0, extract(epoch from due_at - now())) end::double precision as seconds
    from erasure where id = ${id} and finished_at is null`)) ?? null;

/** A page of the account's requests, newest first. */
export const listErasures = (sql: Sql, accountId: string, page: IdPage) =>
  sql<ErasureRow[]>`
    select ${erasureColumns.read(sql)} from erasure
    where account_id = ${accountId} ${newestFirst(sql, page)}`;

/** The progress of a request after a page; `scanned` counts the rows of that page. */
export type ErasureProgress = Pick<WorkingErasure, "step" | "position" | "postponed" | "counts"> & { scanned: number };

/** The work on requests, page by page. `askedAt`: the column of when they were asked for. `ending`: what their end assigns, so that they too forget who was meant (SQL). */
export const pagedErasure = <Row extends object>(work: DueWork<Row>, askedAt: string, ending: string) => ({
  ...work,
  /** Records a finished page, in its transaction; false when another has taken the work over, and the page must be rolled back. */
  save: (sql: Sql, id: string, lease: Lease, { step, position, scanned, postponed, counts }: ErasureProgress) =>
    work.extend(
      sql,
      id,
      lease,
      sql`step = ${step}, position = ${position}, scanned = scanned + ${scanned}, postponed = ${postponed}, counts = ${asJson(sql, counts)}`,
    ),
  /** Ends a pass. The next begins after `againIn` seconds, and not before `settleSeconds` have passed since the request. */
  beginPass: (sql: Sql, id: string, lease: Lease, againIn: number, settleSeconds: number) =>
    work.release(
      sql,
      id,
      lease,
      sql`pass = pass + 1, step = 0, position = null, postponed = 0,
        due_at = greatest(now() + make_interval(secs => ${againIn}), ${sql.unsafe(askedAt)} + make_interval(secs => ${settleSeconds}))`,
    ),
  finish: (sql: Sql, id: string, lease: Lease) =>
    work.release(sql, id, lease, sql`${sql.unsafe(ending)}, finished_at = now(), position = null`),
});

export const erasures = pagedErasure(
  dueWork<WorkingErasure>({ table: "erasure", key: "id", columns: workingColumns, isOpen: "finished_at is null" }),
  "requested_at",
  "phone = null",
);
