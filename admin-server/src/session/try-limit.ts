import { TRPCError } from "@trpc/server";
import type { Sql } from "shared/db/connect";
import { forgetTries, takeTry } from "shared/db/login-try";
import { digest } from "./digest.ts";
import { networkOf } from "./network.ts";
import { oneAtATime } from "./one-at-a-time.ts";

const limit = { most: 10, withinMinutes: 15 };

/** Tries of one thing, such as the password of an e-mail address, from one place. */
export interface Guess {
  what: string;
  /** The client's address. */
  from: string;
}

/**
 * Makes a try that may be wrong 10 times in 15 minutes; `right` tells whether it was. A right one clears the count.
 * @throws TRPCError TOO_MANY_REQUESTS without trying.
 */
export async function guarded<T>(sql: Sql, guess: Guess, attempt: () => Promise<T>, right: (result: T) => boolean): Promise<T> {
  const key = digest(JSON.stringify([guess.what, networkOf(guess.from)]));
  // Tries under way are counted too, and many right ones at once must not look like many wrong ones.
  return oneAtATime(key.toString("hex"), () => takeTurn(sql, key, attempt, right));
}

async function takeTurn<T>(sql: Sql, key: Buffer, attempt: () => Promise<T>, right: (result: T) => boolean): Promise<T> {
  // Counted before it is made: of many at once, at whatever server, no more than the limit are let through.
  if (!(await takeTry(sql, key, limit))) {
    throw new TRPCError({ code: "TOO_MANY_REQUESTS", message: `Too many wrong tries: wait ${limit.withinMinutes} minutes and try again` });
  }
  const result = await attempt();
  if (right(result)) await forgetTries(sql, key);
  return result;
}
