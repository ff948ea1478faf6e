import { Lucia, TimeSpan } from "lucia";
import type { Sql } from "shared/db/connect";
import { deleteSessionsOfUser, noteSessionUse } from "shared/db/session";
import { createAdapter, type SessionAttributes, sessionId, type UserAttributes, type Visitor } from "./adapter.ts";

/** Everything the rest of the server knows of sessions. */
export interface Sessions {
  /** Signs the user in: `cookie` is the Set-Cookie header's value, `token` the same as a Bearer token. */
  create(userId: string, visitor: Visitor): Promise<{ token: string; cookie: string }>;
  /** Who holds the token, null when nobody does any more. Notes the use, once a minute at most. `cookie` is there when the session was extended. */
  validate(token: string, visitor: Visitor): Promise<{ user: UserAttributes & { id: string }; cookie: string | null } | null>;
  end(token: string): Promise<void>;
  /** Ends all sessions of the user, but that of `keep`. */
  endAll(userId: string, keep: string | null): Promise<void>;
  /** The Set-Cookie value that takes the cookie away. */
  blankCookie(): string;
}

export const sessionCookie = "tidings_session";
const lifeDays = 30;

/** `secure`: whether the cookie may travel over https only. */
export function createSessions(sql: Sql, secure: boolean): Sessions {
  const lucia = new Lucia<SessionAttributes, UserAttributes>(createAdapter(sql), {
    sessionExpiresIn: new TimeSpan(lifeDays, "d"),
    sessionCookie: { name: sessionCookie, attributes: { secure, sameSite: "lax" } },
    getUserAttributes: (attributes) => attributes,
    getSessionAttributes: (attributes) => attributes,
  });
  const cookieOf = (token: string): string => lucia.createSessionCookie(token).serialize();
  return {
    async create(userId, visitor) {
      await lucia.deleteExpiredSessions();
      const { id } = await lucia.createSession(userId, { visitor, isStale: false });
      return { token: id, cookie: cookieOf(id) };
    },
    async validate(token, visitor) {
      const { session, user } = await lucia.validateSession(token);
      if (session === null) return null;
      if ((session as typeof session & SessionAttributes).isStale) await noteSessionUse(sql, sessionId(token), visitor);
      return { user: user as typeof user & UserAttributes, cookie: session.fresh ? cookieOf(token) : null };
    },
    end: async (token) => lucia.invalidateSession(token),
    endAll: async (userId, keep) => void (await deleteSessionsOfUser(sql, userId, keep === null ? null : sessionId(keep))),
    blankCookie: () => lucia.createBlankSessionCookie().serialize(),
  };
}
