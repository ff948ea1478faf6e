import type { Adapter, DatabaseSession, DatabaseUser } from "lucia";
import type { Role } from "shared/core/role";
import type { Sql } from "shared/db/connect";
import { newId } from "shared/db/ids";
import { findSession } from "shared/db/session";
import { listSessions } from "shared/db/session";
import { deleteExpiredSessions, deleteSession, deleteSessionsOfUser, extendSession, insertSession } from "shared/db/session";
import { digest } from "./digest.ts";

export interface UserAttributes {
  accountId: string;
  email: string;
  name: string;
  role: Role;
}

/** From where a session is used. */
export interface Visitor {
  address: string;
  userAgent: string;
}

/** `visitor` counts when it is begun. `isStale`: its last use is to be written down again. */
export interface SessionAttributes {
  visitor: Visitor | null;
  isStale: boolean;
}

declare module "lucia" {
  interface Register {
    DatabaseUserAttributes: UserAttributes;
    DatabaseSessionAttributes: SessionAttributes;
  }
}

/** Lucia's sessions in our table, under the digest of their id: what the database holds signs nobody in. */
export const createAdapter = (sql: Sql): Adapter => ({
  getSessionAndUser: async (token) => read(sql, token),
  getUserSessions: async (userId) => {
    const rows = await listSessions(sql, userId, { before: null, limit: 200 });
    return rows.map((row) => present(row.id, { ...row, is_stale: false }));
  },
  setSession: async ({ id: token, userId: user_id, expiresAt: expires_at, attributes: { visitor } }) => {
    const [address, user_agent] = [visitor?.address ?? null, visitor?.userAgent ?? null];
    await insertSession(sql, { id: sessionId(token), handle: newId(), user_id, address, user_agent, expires_at });
  },
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

const present = (id: string, row: { user_id: string; expires_at: Date; is_stale: boolean }): DatabaseSession => ({
  id,
  userId: row.user_id,
  expiresAt: row.expires_at,
  attributes: { visitor: null, isStale: row.is_stale },
});
