import { isIPv6 } from "node:net";
import { forgetTries, takeBackTry, takeTries, type TryCount } from "shared/db/login-try";
import type { Sql } from "shared/db/statement";
import { networkOf } from "shared/server/networks";
import { tooManyTries } from "../trpc/errors.ts";
import { digest } from "./sessions.ts";
import { inTurn } from "./turns.ts";

const window = 15;
/**
 * The most wrong tries in 15 minutes: of one thing from one address or one known device; of anything from one address (of IPv6: a /64), or of one thing
 * from all known devices; of anything from a /48.
 */
const most = { ofOne: 10, ofAddress: 100, ofNetwork: 300 };
/** The most wrong tries of one thing in a day, from all places together, before the pauses between them grow. */
const quick = { most: 30, withinMinutes: 1440, slows: true };

/** The thing that is guessed, such as the password of an e-mail address, and the place from where. */
export interface Guess {
  what: string;
  /** The client's address. */
  from: string;
  /** A device on which that person has signed in before: tries of strangers and of its neighbours do not hold it up. */
  device?: string | null;
  /** True if the next tries have to wait after 30 wrong ones, from all places together. */
  slows?: boolean;
  /** True if wrong tries count together, wherever they come from. */
  anywhere?: boolean;
}

/**
 * Runs an attempt that may be wrong as often as the limits say. `right` judges the result; a right one does not count, and clears the count of that guess.
 * @throws TRPCError TOO_MANY_REQUESTS without an attempt; SERVICE_UNAVAILABLE when too many wait
 */
export async function guarded<T>(sql: Sql, guess: Guess, attempt: () => Promise<T>, right: (result: T) => boolean): Promise<T> {
  // A refusal would roll the count of the try back.
  if ("savepoint" in sql) throw new TypeError("a try is counted outside of the transaction that its refusal rolls back");
  const [first, ...rest] = countsOf(guess);
  // A try counts while it runs, so concurrent right ones would look like wrong ones.
  return inTurn(first.key.toString("hex"), () => takeTurn(sql, [first, ...rest], attempt, right));
}

type Counts = [TryCount, ...TryCount[]];

function countsOf({ what, from, device = null, slows = false, anywhere = false }: Guess): Counts {
  const ofOne = { most: most.ofOne, withinMinutes: window };
  if (anywhere) return [{ ...ofOne, key: keyOf(what, "anywhere") }];
  if (device !== null) {
    // Devices also count together: somebody who once knew the password may have kept many marks.
    return [
      { ...ofOne, key: keyOf(what, "device", device) },
      { key: keyOf(what, "devices"), most: most.ofAddress, withinMinutes: window },
    ];
  }
  const network = networkOf(from);
  return [
    { ...ofOne, key: keyOf(what, network) },
    ...(slows ? [{ ...quick, key: keyOf(what, "anywhere") }] : []),
    { key: keyOf("address", network), most: most.ofAddress, withinMinutes: window },
    ...(isIPv6(from) ? [{ key: keyOf("network", networkOf(from, 3)), most: most.ofNetwork, withinMinutes: window }] : []),
  ];
}

const keyOf = (...parts: string[]): Buffer => digest(JSON.stringify(parts));

async function takeTurn<T>(sql: Sql, counts: Counts, attempt: () => Promise<T>, right: (result: T) => boolean): Promise<T> {
  // Tries count before they run, so that concurrent ones, on all servers, stay within the limits.
  const taken = await takeTries(sql, counts);
  if ("waitSeconds" in taken) throw tooManyTries(taken.waitSeconds);
  const result = await attempt();
  if (right(result)) {
    await forgetTries(sql, counts[0].key);
    for (const counted of taken.tries.slice(1)) await takeBackTry(sql, counted);
  }
  return result;
}

/** The network that one subscriber or company has: of IPv4 the /24, of IPv6 the /48. */
export const wideNetworkOf = (address: string): string =>
  isIPv6(address) ? networkOf(address, 3) : address.split(".").slice(0, 3).join(".");
