import type { Sql } from "../connect.ts";

export interface NewErasure {
  id: string;
  accountId: string;
  requestedBy: string;
  /** Encrypted. */
  phone: string;
  phoneHash: string;
  hint: string;
  steps: ErasureStep[];
}

/** Asks for a person to be forgotten; the request that is under way when there is one. Rows of the next seconds are concerned too: clocks differ. */
export async function requestErasure(sql: Sql, erasure: NewErasure): Promise<ErasureRow> {
  const { id, accountId, requestedBy, phone, phoneHash, hint, steps } = erasure;
  const [row] = await sql<[ErasureRow]>`
    insert into erasure (id, account_id, requested_by, phone, phone_hash, hint, below, steps)
    values (${id}, ${accountId}, ${requestedBy}, ${phone}, ${phoneHash}, ${hint}, uuid_at(now() + interval '5 seconds'), ${JSON.stringify(steps)}::text::json)
    on conflict (account_id, phone_hash) where finished_at is null do update set phone_hash = excluded.phone_hash
    returning ${erasureColumns(sql)}`;
  return row;
}

/** A table and the site whose rows of it are looked through; null for what is the account's. */
export interface ErasureStep {
  table: string;
  siteId: string | null;
}

/** A request to forget a person. */
export interface ErasureRow {
  id: string;
  account_id: string;
  requested_by: string;
  requested_at: Date;
  /** Of the phone, masked. */
  hint: string;
  steps: ErasureStep[];
  pass: number;
  step: number;
  /** A bigint, as text. */
  scanned: string;
  counts: Record<string, number>;
  finished_at: Date | null;
}

const erasureColumns = (sql: Sql) => sql`id, account_id, requested_by, requested_at, hint, steps, pass, step, scanned, counts, finished_at`;

export async function findErasure(sql: Sql, accountId: string, id: string): Promise<ErasureRow | undefined> {
  const [row] = await sql<ErasureRow[]>`select ${erasureColumns(sql)} from erasure where id = ${id} and account_id = ${accountId}`;
  return row;
}

/** A page of the account's requests, newest first. */
export const listErasures = (sql: Sql, accountId: string, page: { before: string | null; limit: number }) =>
  sql<ErasureRow[]>`
    select ${erasureColumns(sql)} from erasure
    where account_id = ${accountId} ${page.before === null ? sql`` : sql`and id < ${page.before}`}
    order by id desc limit ${page.limit}`;

/** An erasure that is ours to work on. */
export interface WorkingErasure extends ErasureRow {
  /** Encrypted. */
  phone: string;
  phone_hash: string;
  below: string;
  /** In later passes: what is older was seen and was not in use. */
  recent: string;
  position: string | null;
  postponed: number;
}

/** How far it has come with one page more. */
export interface ErasureProgress {
  step: number;
  position: string | null;
  scanned: number;
  postponed: number;
  counts: Record<string, number>;
}

/** The one that is due for the longest, ours for `leaseSeconds`; undefined when none is. One whose owner died is due when the lease is over. */
export async function claimErasure(sql: Sql, owner: string, leaseSeconds: number): Promise<WorkingErasure | undefined> {
  const [row] = await sql<WorkingErasure[]>`
    update erasure set owner = ${owner}, lease_until = now() + make_interval(secs => ${leaseSeconds})
    where id = (
      select id from erasure where finished_at is null and due_at <= now() and (lease_until is null or lease_until <= now())
      order by due_at limit 1 for update skip locked)
    returning ${erasureColumns(sql)}, phone, phone_hash, below, position, postponed, uuid_at(requested_at - interval '2 days') as recent`;
  return row;
}

/** Writes down a page that was done, in its transaction; false when another has taken the work over: the page is then to be undone. */
export async function saveErasure(sql: Sql, id: string, owner: string, leaseSeconds: number, progress: ErasureProgress): Promise<boolean> {
  const rows = await sql`
    update erasure set step = ${progress.step}, position = ${progress.position}, scanned = scanned + ${progress.scanned},
      postponed = ${progress.postponed}, counts = ${JSON.stringify(progress.counts)}::text::json,
      lease_until = now() + make_interval(secs => ${leaseSeconds})
    where id = ${id} and owner = ${owner}
    returning id`;
  return rows.length > 0;
}

/** Ends a pass: begins another one after `againIn` seconds, though not before `settleSeconds` have passed since the request. */
export async function beginPass(sql: Sql, id: string, owner: string, againIn: number, settleSeconds: number): Promise<void> {
  await sql`
    update erasure set pass = pass + 1, step = 0, position = null, postponed = 0, owner = null, lease_until = null,
      due_at = greatest(now() + make_interval(secs => ${againIn}), requested_at + make_interval(secs => ${settleSeconds}))
    where id = ${id} and owner = ${owner}`;
}

/** Everything is done: from now on nobody knows whose phone it was. */
export async function finishErasure(sql: Sql, id: string, owner: string): Promise<void> {
  await sql`
    update erasure set phone = null, finished_at = now(), owner = null, lease_until = null, position = null where id = ${id} and owner = ${owner}`;
}

/** Lets go of the work, so that whoever asks next goes on with it. */
export async function releaseErasure(sql: Sql, id: string, owner: string, againIn: number): Promise<void> {
  await sql`
    update erasure set owner = null, lease_until = null, due_at = now() + make_interval(secs => ${againIn}) where id = ${id} and owner = ${owner}`;
}
