import { lesserRole } from "shared/core/role";
import { takeAccessToken } from "shared/db/access-token";
import type { Sql } from "shared/db/connect";
import { isAccessToken } from "./access-token.ts";
import type { Visitor } from "./adapter.ts";
import type { Caller } from "./caller.ts";
import { digest } from "./digest.ts";
import type { Sessions } from "./sessions.ts";

/** Who holds the token, of either kind; null when nobody does. `cookie`: a Set-Cookie value that extends the session. */
export async function identify(
  { sql, sessions }: { sql: Sql; sessions: Sessions },
  token: string,
  visitor: Visitor,
): Promise<{ caller: Caller; cookie: string | null } | null> {
  if (isAccessToken(token)) return byAccessToken(sql, token);
  const session = await sessions.validate(token, visitor);
  if (session === null) return null;
  const { id: userId, accountId, email, name, role } = session.user;
  return { caller: { userId, accountId, email, name, role, via: { kind: "session", token } }, cookie: session.cookie };
}

async function byAccessToken(sql: Sql, token: string): Promise<{ caller: Caller; cookie: null } | null> {
  const row = await takeAccessToken(sql, digest(token));
  if (row === undefined) return null;
  const caller: Caller = {
    userId: row.user_id,
    accountId: row.account_id,
    email: row.email,
    name: row.name,
    // Its creator may have been given a lesser role since.
    role: lesserRole(row.role, row.user_role),
    via: { kind: "access-token", id: row.id, expiresAt: row.expires_at },
  };
  return { caller, cookie: null };
}
