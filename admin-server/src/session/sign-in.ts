import { isIPv6 } from "node:net";
import { TRPCError } from "@trpc/server";
import type { Role } from "shared/core/role";
import type { Sql } from "shared/db/connect";
import { forgetTries, takeTry } from "shared/db/login-try";
import type { UserRow } from "shared/db/user";
import type { CallContext } from "../context.ts";
import { digest } from "./sessions.ts";

export interface SignedIn {
  /** Works as a Bearer token too. */
  token: string;
  user: PresentedUser;
}

export interface PresentedUser {
  id: string;
  email: string;
  name: string;
  role: Role;
}

/** Starts a session and sets its cookie. */
export async function signIn(context: CallContext, user: UserRow): Promise<SignedIn> {
  const { token, cookie } = await context.sessions.create(user.id, context);
  context.setCookie(cookie);
  context.actAs({ accountId: user.account_id, name: user.email, userId: user.id, tokenId: null });
  return { token, user: presentUser(user) };
}

export const presentUser = ({ id, email, name, role }: PresentedUser): PresentedUser => ({ id, email, name, role });

const guessLimit = { most: 10, withinMinutes: 15 };

/** What is guessed, such as the password of an e-mail address, and from where. */
export interface Guess {
  what: string;
  /** The client's address. */
  from: string;
}

/**
 * Runs an attempt that may be wrong 10 times in 15 minutes. `right` judges the result; a right one clears the count.
 * @throws TRPCError TOO_MANY_REQUESTS without an attempt
 */
export async function guarded<T>(sql: Sql, guess: Guess, attempt: () => Promise<T>, right: (result: T) => boolean): Promise<T> {
  const key = digest(JSON.stringify([guess.what, networkOf(guess.from)]));
  // A try counts while it runs, so concurrent right ones would look like wrong ones.
  return oneAtATime(key.toString("hex"), () => takeTurn(sql, key, attempt, right));
}

async function takeTurn<T>(sql: Sql, key: Buffer, attempt: () => Promise<T>, right: (result: T) => boolean): Promise<T> {
  // Counted before it runs: of concurrent tries, on all servers, no more than the limit get through.
  if (!(await takeTry(sql, key, guessLimit))) {
    throw new TRPCError({
      code: "TOO_MANY_REQUESTS",
      message: `Too many wrong tries: wait ${guessLimit.withinMinutes} minutes and try again`,
    });
  }
  const result = await attempt();
  if (right(result)) await forgetTries(sql, key);
  return result;
}

/** The /64 network of an IPv6 address, since one client owns all of it; an IPv4 address as it is. */
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

/** The last task of each key; these promises never reject. */
const tails = new Map<string, Promise<void>>();

/** Runs this process's tasks of one key one after the other, in call order. */
export async function oneAtATime<T>(key: string, act: () => Promise<T>): Promise<T> {
  const turn = (tails.get(key) ?? Promise.resolve()).then(act);
  const leave = (): void => {
    if (tails.get(key) === tail) tails.delete(key);
  };
  const tail = turn.then(leave, leave);
  tails.set(key, tail);
  return turn;
}
