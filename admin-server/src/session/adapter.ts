import type { Adapter, DatabaseSession, DatabaseUser } from "lucia";
import type { Role } from "shared/core/input/role";
import type { Sql } from "shared/db/connect";
import { findSession, listSessions } from "shared/db/tables/session/find";
import { deleteExpiredSessions, deleteSession, deleteSessionsOfUser, extendSession, insertSession } from "shared/db/tables/session/write";
import { digest } from "./digest.ts";

export interface UserAttributes {
  accountId: string;
  email: string;
  name: string;
  role: Role;
}

declare module "lucia" {
  interface Register {
    DatabaseUserAttributes: UserAttributes;
  }
}

/** Lucia's sessions in our table, under the digest of their id: what the database holds signs nobody in. */
export const createAdapter = (sql: Sql): Adapter => ({
  getSessionAndUser: async (token) => read(sql, token),
  getUserSessions: async (userId) => (await listSessions(sql, userId)).map((row) => present(row.id, row)),
  setSession: async ({ id, userId, expiresAt }) => void (await insertSession(sql, { id: sessionId(id), userId, expiresAt })),
  updateSessionExpiration: async (token, expiresAt) => void (await extendSession(sql, sessionId(token), expiresAt)),
  deleteSession: async (token) => void (await deleteSession(sql, sessionId(token))),
  deleteUserSessions: async (userId) => void (await deleteSessionsOfUser(sql, userId, null)),
  deleteExpiredSessions: async () => void (await deleteExpiredSessions(sql)),
});

/** How the session of a token is called in the database. */
export const sessionId = (token: string): string => digest(token).toString("hex");

async function read(sql: Sql, token: string): Promise<[DatabaseSession | null, DatabaseUser | null]> {
  const row = await findSession(sql, sessionId(token));
  if (row === undefined) return [null, null];
  const { account_id: accountId, email, name, role } = row;
  return [present(token, row), { id: row.user_id, attributes: { accountId, email, name, role } }];
}

const present = (id: string, row: { user_id: string; expires_at: Date }): DatabaseSession => ({
  id,
  userId: row.user_id,
  expiresAt: row.expires_at,
  attributes: {},
});
