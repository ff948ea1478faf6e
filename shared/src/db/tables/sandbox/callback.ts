import type { Sql } from "../../connect.ts";

/** One update that the account's callback is still to be told. */
export interface SandboxCallback {
  waba_id: string;
  /** Id of the message or template. */
  subject: string;
  /** The platform's name of the subscription field, such as `messages`. */
  field: string;
  /** The status or event told. */
  kind: string;
  /** JSON: one item of `statuses`, or the field's whole value. */
  value: string;
  due_at: Date;
  created_at: Date;
}

export interface DueCallback {
  /** A bigint, as text. */
  id: string;
  subject: string;
  field: string;
  kind: string;
  value: string;
  created_at: Date;
}

export async function insertCallbacks(sql: Sql, callbacks: SandboxCallback[]): Promise<void> {
  await sql`
    insert into sandbox.callback (waba_id, subject, field, kind, value, due_at, created_at)
    select c.waba_id, c.subject, c.field, c.kind, c.value, c.due_at, c.created_at
    from json_to_recordset(${JSON.stringify(callbacks)}::text::json) as c(
      waba_id text, subject text, field text, kind text, value text, due_at timestamptz, created_at timestamptz)`;
}

/** The account's updates whose time has come, oldest first. */
export const listDueCallbacks = (sql: Sql, wabaId: string, now: Date, limit: number) =>
  sql<DueCallback[]>`
    select id, subject, field, kind, value, created_at from sandbox.callback
    where waba_id = ${wabaId} and due_at <= ${now} order by due_at, id limit ${limit}`;

/** When the next update of each account is due; of one account if it is named. */
export const nextCallbacks = (sql: Sql, wabaId: string | null) =>
  sql<{ waba_id: string; due_at: Date }[]>`
    select waba_id, min(due_at) as due_at from sandbox.callback ${wabaId === null ? sql`` : sql`where waba_id = ${wabaId}`} group by waba_id`;

export async function deleteCallbacks(sql: Sql, ids: string[]): Promise<void> {
  await sql`delete from sandbox.callback where id = any(${ids}::bigint[])`;
}

/** Puts updates off: each waits twice as long as the time before, from `firstMs` up to `mostMs`. */
export async function postponeCallbacks(sql: Sql, ids: string[], now: Date, wait: { firstMs: number; mostMs: number }): Promise<void> {
  await sql`
    update sandbox.callback set attempts = attempts + 1,
      due_at = ${now}::timestamptz + make_interval(secs => least(${wait.firstMs}::float8 * power(2, least(attempts, 30)), ${wait.mostMs}::float8) / 1000)
    where id = any(${ids}::bigint[])`;
}

/** Takes back what was not told yet of a message or template, and answers it; with `dueAfter` only what cannot be under way yet. */
export const withdrawCallbacks = (sql: Sql, subject: string, dueAfter: Date | null = null) =>
  sql<SandboxCallback[]>`
    delete from sandbox.callback where subject = ${subject} ${dueAfter === null ? sql`` : sql`and due_at > ${dueAfter}`}
    returning waba_id, subject, field, kind, value, due_at, created_at`;

export async function countCallbacks(sql: Sql, wabaId: string): Promise<number> {
  const [row] = await sql<[{ count: number }]>`select count(*)::integer as count from sandbox.callback where waba_id = ${wabaId}`;
  return row.count;
}
