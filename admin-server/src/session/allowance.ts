import { say } from "shared/core/wording";
import { tooMany } from "../trpc/errors.ts";

/** Requests: so many a second, and as many more at once after a pause. Each server counts for itself. */
const ofToken = { perSecond: 20, atOnce: 600 };
const ofAccount = { perSecond: 20, atOnce: 3_000 };
const most = 10_000;

/** When each allowance is whole again (ms). */
const wholeAt = new Map<string, number>();

/** Takes a request off an access token's allowance. @throws TRPCError TOO_MANY_REQUESTS when nothing is left of it */
export function spendOfToken(tokenId: string): void {
  const seconds = secondsUntil(tokenId, ofToken);
  if (seconds > 0) throw tooMany(seconds, say("This access token makes too many requests: try again in {seconds} s", { seconds }));
}

/** Takes a change by people of the account off its allowance. @throws TRPCError TOO_MANY_REQUESTS when nothing is left of it */
export const spendOfAccount = (accountId: string): void => spendChanges(accountId, 1);

/** A set-up that is tried is taken back. */
export type SetupWay = "tried" | "made";

/**
 * Takes the changes of one set-up off an allowance of the account's set-ups, which may owe the rest of it: further ones wait until it is paid.
 * @throws TRPCError TOO_MANY_REQUESTS when nothing is left of it
 */
export function spendOfSetups(accountId: string, way: SetupWay, changes: number): void {
  if (changes > 0) spendChanges(`set-ups ${way} of ${accountId}`, changes);
}

function spendChanges(id: string, count: number): void {
  const seconds = secondsUntil(id, ofAccount, count);
  if (seconds > 0) throw tooMany(seconds, say("This account changes too much at once: try again in {seconds} s", { seconds }));
}

/** Takes requests off the allowance, or tells after how many seconds there is one again. */
function secondsUntil(id: string, { perSecond, atOnce }: typeof ofAccount, count = 1): number {
  const now = performance.now();
  const [whole, each] = [Math.max(now, wholeAt.get(id) ?? 0), 1_000 / perSecond];
  const seconds = Math.ceil((whole + each - now) / 1_000 - atOnce / perSecond);
  if (seconds > 0) return seconds;
  if (wholeAt.size >= most) for (const [former, at] of wholeAt) if (at <= now) wholeAt.delete(former);
  wholeAt.set(id, whole + count * each);
  return 0;
}
