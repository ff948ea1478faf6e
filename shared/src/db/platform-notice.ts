import type { Sql } from "./statement.ts";

export interface PlatformNoticeRow {
  subject: string;
  words: string;
  until: Date | null;
  told_at: Date;
}

/** The most notices of an account, the newest. */
const mostNotices = 50;

/** Keeps what the platform tells of the account: of each subject the newest. */
export async function keepNotices(sql: Sql, accountId: string, notices: readonly PlatformNoticeRow[]): Promise<void> {
  const newest = new Map(notices.toSorted((a, b) => a.told_at.getTime() - b.told_at.getTime()).map((notice) => [notice.subject, notice]));
  const rows = [...newest.values()].slice(-mostNotices);
  if (rows.length === 0) return;
  await sql`
    insert into platform_notice as p (account_id, subject, words, until, told_at)
    select ${accountId}, n.subject, n.words, n.until, n.told_at
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as n(subject text, words text, until timestamptz, told_at timestamptz) order by n.subject
    on conflict (account_id, subject) do update set words = excluded.words, until = excluded.until, told_at = excluded.told_at
    where p.told_at <= excluded.told_at`;
  await sql`
    delete from platform_notice where account_id = ${accountId} and subject = any(array(
      select subject from platform_notice where account_id = ${accountId} order by told_at desc offset ${mostNotices}))`;
}

/** The notices that still matter: until the end that the platform names, else for a week. */
export const listNotices = (sql: Sql, accountId: string) =>
  sql<PlatformNoticeRow[]>`
    select subject, words, until, told_at from platform_notice
    where account_id = ${accountId} and coalesce(until, told_at + interval '7 days') > now() order by told_at desc`;
