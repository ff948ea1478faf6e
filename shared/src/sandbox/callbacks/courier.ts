import { Agent } from "undici";
import { nextCallbacks } from "../../db/tables/sandbox/callback.ts";
import { deliverDue, type DeliveryContext } from "./deliver-due.ts";

/** Tells every account's callback what is due. `stopping` cuts the calls under way; what is untold then is told after the next start. */
export interface Courier extends AsyncDisposable {
  /** Says that there is something to tell at that time (milliseconds since 1970). */
  expect(wabaId: string, dueAt: number): void;
}

/** One account's round: a slow or dead callback holds up no other account's. */
interface Round {
  wabaId: string;
  /** When to look again; `Infinity` when nothing is expected. */
  nextAt: number;
  timer: NodeJS.Timeout | undefined;
  running: Promise<void> | undefined;
}

const LONGEST_SLEEP_MS = 60_000;
const AFTER_TROUBLE_MS = 1_000;

/** Also takes up what an earlier run left untold. */
export async function startCourier(outer: Omit<DeliveryContext, "dispatcher">): Promise<Courier> {
  const timeout = outer.options.callbackTimeoutMs;
  const dispatcher = new Agent({ connections: 4, headersTimeout: timeout, bodyTimeout: timeout, connect: { timeout } });
  const context: DeliveryContext = { ...outer, dispatcher };
  const rounds = new Map<string, Round>();

  const arm = (round: Round): void => {
    clearTimeout(round.timer);
    if (context.stopping.aborted || round.nextAt === Infinity) return;
    const wait = Math.min(Math.max(round.nextAt - context.options.now(), 0), LONGEST_SLEEP_MS);
    round.timer = setTimeout(() => {
      round.running = walk(context, round).finally(() => {
        round.running = undefined;
        arm(round);
      });
    }, wait);
  };
  const expect = (wabaId: string, dueAt: number): void => {
    const round = rounds.get(wabaId) ?? { wabaId, nextAt: Infinity, timer: undefined, running: undefined };
    rounds.set(wabaId, round);
    if (dueAt >= round.nextAt) return;
    round.nextAt = dueAt;
    if (round.running === undefined) arm(round);
  };

  for (const row of await nextCallbacks(context.sql, null)) expect(row.waba_id, row.due_at.getTime());
  return {
    expect,
    [Symbol.asyncDispose]: async () => {
      for (const round of rounds.values()) clearTimeout(round.timer);
      for (const { running } of rounds.values()) await running;
      await dispatcher.destroy();
    },
  };
}

/** Never rejects. */
async function walk(context: DeliveryContext, round: Round): Promise<void> {
  const { sql, options, log, stopping } = context;
  try {
    // Whatever is announced from here on sets it again.
    round.nextAt = Infinity;
    while (!stopping.aborted && (await deliverDue(context, round.wabaId)));
    const [next] = await nextCallbacks(sql, round.wabaId);
    if (next !== undefined) round.nextAt = Math.min(round.nextAt, next.due_at.getTime());
  } catch (error) {
    if (stopping.aborted) return;
    log.warn({ err: error }, "callbacks could not be looked up, trying again");
    round.nextAt = options.now() + AFTER_TROUBLE_MS;
  }
}
