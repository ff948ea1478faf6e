import { TRPCError } from "@trpc/server";
import { lesserRole } from "shared/core/role";
import { findLiveToken } from "shared/db/access-token";
import type { Sql } from "shared/db/connect";
import { findSession } from "shared/db/session";
import type { Logger } from "shared/server/logger";
import { repeat } from "shared/server/retry";
import type { Caller } from "./caller.ts";
import { sessionId } from "./sessions.ts";

/** Of one user on this server at the same time. */
const mostStreams = 20;
const lookMs = 1_000;

const open = new Map<string, number>();

/**
 * Passes on what `read` yields for as long as the caller is let in with the same role, which is looked up every second.
 * @throws TRPCError UNAUTHORIZED when that ends, TOO_MANY_REQUESTS when the user has too many streams
 */
export async function* whileLetIn<T>(
  { sql, log }: { sql: Sql; log: Logger },
  caller: Caller,
  read: (ended: AbortSignal) => AsyncIterable<T>,
): AsyncGenerator<T> {
  const count = open.get(caller.userId) ?? 0;
  if (count >= mostStreams) {
    throw new TRPCError({ code: "TOO_MANY_REQUESTS", message: `You have ${mostStreams} live views open: close one and try again` });
  }
  open.set(caller.userId, count + 1);
  const ended = new AbortController();
  const stop = repeat(async () => (await isLetIn(sql, caller)) || ended.abort(), lookMs, log);
  try {
    yield* read(ended.signal);
    if (ended.signal.aborted) throw new TRPCError({ code: "UNAUTHORIZED", message: "Your access has ended or changed: sign in again" });
  } finally {
    void stop();
    const left = (open.get(caller.userId) ?? 1) - 1;
    if (left > 0) open.set(caller.userId, left);
    else open.delete(caller.userId);
  }
}

async function isLetIn(sql: Sql, { via, role }: Caller): Promise<boolean> {
  if (via.kind === "session") {
    const session = await findSession(sql, sessionId(via.token));
    return session !== undefined && session.expires_at > new Date() && session.role === role;
  }
  const token = await findLiveToken(sql, via.id);
  return token !== undefined && lesserRole(token.role, token.user_role) === role;
}
