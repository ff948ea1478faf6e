import type { Role } from "../../../core/input/role.ts";
import type { Sql } from "../../connect.ts";
import { accessTokenColumns, type AccessTokenRow } from "./row.ts";

export interface NewAccessToken {
  id: string;
  accountId: string;
  createdBy: string;
  name: string;
  role: Role;
  /** SHA-256 of the token. */
  hash: Buffer;
  /** Its last characters, to tell tokens apart by. */
  hint: string;
  expiresAt: Date | null;
}

export async function insertAccessToken(sql: Sql, token: NewAccessToken): Promise<AccessTokenRow> {
  const [row] = await sql<[AccessTokenRow]>`
    insert into access_token (id, account_id, created_by, name, role, token_hash, hint, expires_at)
    values (${token.id}, ${token.accountId}, ${token.createdBy}, ${token.name}, ${token.role}, ${token.hash}, ${token.hint}, ${token.expiresAt})
    returning ${accessTokenColumns(sql)}`;
  return row;
}
