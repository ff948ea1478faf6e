import { isIPv6 } from "node:net";
import { TRPCError } from "@trpc/server";
import type { Sql } from "shared/db/connect";
import { forgetTries, takeTry } from "shared/db/login-try";
import { digest } from "./sessions.ts";

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

/** What one client can have many of counts as one: of an IPv6 address its network of 64 bits. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = "", tail] = address.split("::");
  const groups = head === "" ? [] : head.split(":");
  const missing = tail === undefined ? 0 : 8 - groups.length - (tail === "" ? 0 : tail.split(":").length);
  const full = [...groups, ...Array.from({ length: missing }, () => "0"), ...(tail ?? "").split(":")];
  return full
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, "").toLowerCase())
    .join(":");
}

/** What the next one of each key waits for; it never rejects. */
const tails = new Map<string, Promise<void>>();

/** Runs what this process is asked to do under one key one after the other, in the order of asking. */
export async function oneAtATime<T>(key: string, act: () => Promise<T>): Promise<T> {
  const turn = (tails.get(key) ?? Promise.resolve()).then(act);
  const leave = (): void => {
    if (tails.get(key) === tail) tails.delete(key);
  };
  const tail = turn.then(leave, leave);
  tails.set(key, tail);
  return turn;
}
