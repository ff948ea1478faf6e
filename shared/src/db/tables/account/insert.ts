import type { Sql } from "../../connect.ts";

export interface NewAccount {
  id: string;
  name: string;
  /** What the platform echoes in the callback's handshake. */
  verifyToken: string;
}

export const insertAccount = (sql: Sql, account: NewAccount) =>
  sql`insert into account (id, name, verify_token) values (${account.id}, ${account.name}, ${account.verifyToken})`;
