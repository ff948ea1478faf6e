import type { Sql } from "./connect.ts";

interface AccountRow {
  id: string;
  name: string;
  timezone: string;
  verify_token: string;
  /** How many days payloads and the log are kept. */
  payload_days: number;
  log_days: number;
}

export async function findAccount(sql: Sql, id: string): Promise<AccountRow | undefined> {
  const [row] = await sql<AccountRow[]>`
    select id, name, timezone, verify_token, payload_days, log_days from account where id = ${id}`;
  return row;
}

export interface NewAccount {
  id: string;
  name: string;
  /** What the platform echoes in the callback's handshake. */
  verifyToken: string;
}

export const insertAccount = (sql: Sql, account: NewAccount) =>
  sql`insert into account (id, name, verify_token) values (${account.id}, ${account.name}, ${account.verifyToken})`;

export const renameAccount = (sql: Sql, id: string, name: string) => sql`update account set name = ${name} where id = ${id}`;

/** What is left out stays. */
export async function setRetention(
  sql: Sql,
  id: string,
  { payloadDays, logDays }: { payloadDays?: number | undefined; logDays?: number | undefined },
): Promise<void> {
  await sql`
    update account set payload_days = coalesce(${payloadDays ?? null}, payload_days), log_days = coalesce(${logDays ?? null}, log_days)
    where id = ${id}`;
}

export const setTimezone = (sql: Sql, id: string, timezone: string) => sql`update account set timezone = ${timezone} where id = ${id}`;
