import type { TRPCError } from "@trpc/server";
import { createQueues } from "shared/server/queues";
import { tooBusy, tooManyChanges, tooManyPlans } from "../trpc/errors.ts";

interface TurnLimits {
  atOnce: number;
  /** The most tasks that run and wait together; further ones are refused at once. */
  mostPresent: number;
  /** The most tasks of one key. */
  mostOfKey: number;
  busy: () => TRPCError;
}

/** Runs a task when it is its turn. @throws TRPCError SERVICE_UNAVAILABLE when too many wait */
type InTurn = <T>(key: string | null, act: () => Promise<T>) => Promise<T>;

/** Hashing a password takes a core and 19 MiB: two at once leave the server room for everything else. */
export const inTurn = fewAtOnce({ atOnce: 2, mostPresent: 64, mostOfKey: 64, busy: tooBusy });

/** Turns by account. Each takes a connection, perhaps only to wait for another server, so the pool keeps some for everything else. */
export const mutationInTurn = fewAtOnce({ atOnce: 6, mostPresent: 5_000, mostOfKey: 200, busy: tooManyChanges });

/** Set-ups, before their turn as mutations: each may take half a minute of one. */
export const setupInTurn = fewAtOnce({ atOnce: 2, mostPresent: 50, mostOfKey: 10, busy: tooManyChanges });

/** Copies of set-ups, which wait for another server. */
export const copyInTurn = fewAtOnce({ atOnce: 4, mostPresent: 20, mostOfKey: 2, busy: tooManyChanges });

/** Plans of the past: few at once leave the server room for everything else, and one of an account others a turn. */
export const planInTurn = fewAtOnce({ atOnce: 2, mostPresent: 20, mostOfKey: 4, busy: tooManyPlans });

/** Runs this process's tasks a few at a time, those of one key one after the other in call order. */
function fewAtOnce({ atOnce, mostPresent, mostOfKey, busy }: TurnLimits): InTurn {
  let [present, running] = [0, 0];
  const waiting: (() => void)[] = [];
  const queues = createQueues();

  async function oneOfFew<T>(act: () => Promise<T>): Promise<T> {
    if (running < atOnce) running += 1;
    else await new Promise<void>((begin) => waiting.push(begin));
    try {
      return await act();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  }

  return async (key, act) => {
    if (present >= mostPresent || (key !== null && queues.present(key) >= mostOfKey)) throw busy();
    present += 1;
    try {
      return await (key === null ? oneOfFew(act) : queues.run(key, () => oneOfFew(act)));
    } finally {
      present -= 1;
    }
  };
}
