import { setImmediate as nextTurn } from "node:timers/promises";
import { say } from "shared/core/wording";
import { Refusal, RetryLater } from "./errors.ts";

/** How long all calls of a request may take together. */
const callMs = 30_000;

/** Lets the calls of one request begin one after the other, and ends them together. @param gone Aborts when the client has closed its connection. */
export function createTurns(gone: AbortSignal, ms = callMs) {
  const ended = AbortSignal.timeout(ms);
  let last: Promise<void> = Promise.resolve();
  const requireClient = (): void => {
    if (gone.aborted) throw new Refusal("CLIENT_CLOSED_REQUEST", say("Nobody waits for the answer any more"));
  };
  const check = (): void => {
    requireClient();
    if (ended.aborted) throw tooLate(ms);
  };
  return {
    /**
     * Waits until other requests had their turn too. @throws TRPCError CLIENT_CLOSED_REQUEST when nobody waits for the answer any more, TIMEOUT when the
     * request has had its time
     */
    next: async (): Promise<void> => {
      last = last.then(() => nextTurn());
      await last;
      check();
    },
    /** Lets other requests have their turn, without a bound of time. @throws TRPCError CLIENT_CLOSED_REQUEST */
    pause: async (): Promise<void> => {
      await nextTurn();
      requireClient();
    },
    /** The answer of a call that changes nothing, unless the request's time ends before. @throws TRPCError TIMEOUT */
    inTime: async <T>(answer: Promise<T>): Promise<T> => {
      if (ended.aborted) throw tooLate(ms);
      let end = (): void => undefined;
      const late = new Promise<never>((_, reject) => {
        end = () => reject(tooLate(ms));
        ended.addEventListener("abort", end);
      });
      try {
        return await Promise.race([answer, late]);
      } finally {
        ended.removeEventListener("abort", end);
      }
    },
  };
}

export type Turns = ReturnType<typeof createTurns>;

const tooLate = (ms: number): Refusal =>
  new Refusal(
    "TIMEOUT",
    say("The request took longer than {seconds} seconds: ask for less at once", { seconds: ms / 1000 }),
    new RetryLater(ms / 1000),
  );
