import type { PhonePattern } from "../../../core/phone-pattern.ts";
import type { Sql } from "../../connect.ts";
import { names } from "../erasure/names.ts";
import type { SandboxCallback } from "./callback.ts";

/** A message that the sandbox accepted. The instants are when each thing happens or will happen; null: never. */
export interface SandboxMessageRow {
  id: string;
  waba_id: string;
  phone_number_id: string;
  /** Digits, as addressed. */
  recipient: string;
  at: Date;
  sent_at: Date | null;
  delivered_at: Date | null;
  read_at: Date | null;
  failed_at: Date | null;
  /** JSON. */
  content: string;
}

export interface MessageFilter {
  /** Digits. */
  recipient: string | null;
  phoneNumberId: string | null;
}

/** Stores messages and the callbacks about them in one statement. Safe to repeat: what is there already is left as it is. */
export async function insertSandboxMessages(sql: Sql, messages: SandboxMessageRow[], callbacks: SandboxCallback[]): Promise<void> {
  await sql`
    with stored as (
      insert into sandbox.message (id, waba_id, phone_number_id, recipient, at, sent_at, delivered_at, read_at, failed_at, content)
      select m.id, m.waba_id, m.phone_number_id, m.recipient, m.at, m.sent_at, m.delivered_at, m.read_at, m.failed_at, m.content
      from json_to_recordset(${JSON.stringify(messages)}::text::json) as m(
        id text, waba_id text, phone_number_id text, recipient text, at timestamptz, sent_at timestamptz, delivered_at timestamptz,
        read_at timestamptz, failed_at timestamptz, content text)
      on conflict (id) do nothing
      returning id
    )
    insert into sandbox.callback (waba_id, subject, field, kind, value, due_at, created_at)
    select c.waba_id, c.subject, c.field, c.kind, c.value, c.due_at, c.created_at
    from json_to_recordset(${JSON.stringify(callbacks)}::text::json) as c(
      waba_id text, subject text, field text, kind text, value text, due_at timestamptz, created_at timestamptz)
    join stored on stored.id = c.subject`;
}

/** Newest first. Messages that never reach the phone are left out unless `unreached`. */
export const listSandboxMessages = (sql: Sql, filter: MessageFilter & { unreached: boolean; limit: number }) =>
  sql<SandboxMessageRow[]>`
    select id, waba_id, phone_number_id, recipient, at, sent_at, delivered_at, read_at, failed_at, content from sandbox.message
    where ${matches(sql, filter)} ${filter.unreached ? sql`` : sql`and (failed_at is null or delivered_at is not null)`}
    order by seq desc limit ${filter.limit}`;

export async function deleteSandboxMessages(sql: Sql, filter: MessageFilter): Promise<number> {
  const result = await sql`delete from sandbox.message where ${matches(sql, filter)}`;
  return result.count;
}

/** Whose traces to remove: the messages to any of these numbers (digits), and those whose content names the person. */
export interface SandboxPerson {
  numbers: string[];
  pattern: PhonePattern;
}

/** Removes messages of a business with what its callback was still to be told of them: those of a person, those of before a time, or both. */
export async function forgetSandboxMessages(
  sql: Sql,
  { phoneNumberId, person, before }: { phoneNumberId: string; person: SandboxPerson | null; before: Date | null },
): Promise<number> {
  const rows = await sql<[{ count: number }]>`
    with gone as (
      delete from sandbox.message where phone_number_id = ${phoneNumberId}
        ${person === null ? sql`` : sql`and (recipient = any(${person.numbers}::text[]) or ${names(sql, sql`content`, person.pattern)})`}
        ${before === null ? sql`` : sql`and at < ${before}`}
      returning id
    ), withdrawn as (
      delete from sandbox.callback where subject in (select id from gone)
    )
    select count(*)::integer as count from gone`;
  return rows[0].count;
}

/** `lock`: until the end of the transaction. */
export async function findSandboxMessage(sql: Sql, id: string, lock = false): Promise<SandboxMessageRow | undefined> {
  const [row] = await sql<SandboxMessageRow[]>`
    select id, waba_id, phone_number_id, recipient, at, sent_at, delivered_at, read_at, failed_at, content
    from sandbox.message where id = ${id} ${lock ? sql`for update` : sql``}`;
  return row;
}

export async function updateSandboxMessageTimes(sql: Sql, row: SandboxMessageRow): Promise<void> {
  await sql`
    update sandbox.message set sent_at = ${row.sent_at}, delivered_at = ${row.delivered_at}, read_at = ${row.read_at}
    where id = ${row.id}`;
}

const matches = (sql: Sql, { recipient, phoneNumberId }: MessageFilter) => sql`
  ${recipient === null ? sql`true` : sql`recipient = ${recipient}`} and
  ${phoneNumberId === null ? sql`true` : sql`phone_number_id = ${phoneNumberId}`}`;
