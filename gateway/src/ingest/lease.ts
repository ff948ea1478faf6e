import { type GivenUpEvent, handBack, renewGatewayLease } from "shared/db/event/gateway-lease";
import { newId } from "shared/db/ids";
import { withTimeout } from "shared/db/transaction";
import { repeat } from "shared/server/retry";
import type { GatewayContext } from "../context.ts";

/** This gateway's hold on the events that it works on. */
export interface GatewayLease {
  /** Until then nobody else takes them, as far as we know (monotonic ms). What is claimed now must be over by then, whatever is renewed later. */
  readonly endsAt: number;
  /** By the database's clock, which all gateways share: messages are due by it. By our own until it is known. */
  now(): Date;
  /** From now on the event may be stored. To be called before another id is made. */
  open(eventId: string): void;
  /** It is finished, or never will be stored by us, or somebody else has it. */
  close(eventId: string): void;
  /**
   * Closes it once another gateway can take it. A claim whose outcome is unknown may be stored after all, also later, and would pass for an event whose
   * messages are being sent: so it is looked for in the background.
   */
  giveBack(event: GivenUpEvent): void;
  renew(): Promise<void>;
  /** Leaves what is still open to others at once. */
  stop(): Promise<void>;
}

/** The last request of a message starts this long before the lease ends: the database's clock and ours may drift apart. */
export const leaseMarginMs = 500;
/** Nobody waits for messages that were taken over or taken from the queue: their last request starts this long after the take. */
export const takenSendMs = 12_000;

/** How often a lease is renewed while it lasts. */
const renewals = 10;
const lookMs = 1000;
/** An event that is not stored after so many looks never will be. */
const maxLooks = 20;
/** How many are looked for in one statement. */
const looksAtOnce = 1_000;
/** Many times what can be under way when a database goes away; later requests are refused before they get here. */
const maxGivenUp = 100_000;

/** It begins with the first renewal. */
export function createLease({ sql, events, clock, config, log, instanceId }: GatewayContext): GatewayLease {
  const { leaseMs, statementMs } = config.timeLimits;
  /** In the order in which they were opened, which is that of their ids. */
  const open = new Set<string>();
  const givenUp = new Map<string, GivenUpEvent & { absent: number }>();
  let endsAt = 0;
  /** The database's time at 0 of our monotonic clock. */
  let origin: number | undefined;

  const renewFor = async (ms: number): Promise<void> => {
    const [since = newId()] = open;
    // Counted from before the statement, so that ours ends before the database's.
    const began = clock.monotonic();
    const now = await withTimeout(renewGatewayLease(events, { id: instanceId, seconds: ms / 1000, since }), statementMs);
    endsAt = began + ms;
    if (now !== undefined) origin = now - (began + clock.monotonic()) / 2;
  };
  let renewing: Promise<void> | undefined;
  /** Who asks while a renewal is under way shares it. */
  const renew = (): Promise<void> => (renewing ??= renewFor(leaseMs).finally(() => (renewing = undefined)));

  const handOver = async (): Promise<void> => {
    if (givenUp.size === 0) return;
    const some = [...givenUp.values()].slice(0, looksAtOnce);
    const stored = await withTimeout(handBack(sql, some, instanceId), statementMs);
    for (const event of some) {
      givenUp.delete(event.id);
      // Behind the others.
      if (!stored.has(event.id) && (event.absent += 1) < maxLooks) givenUp.set(event.id, event);
      else open.delete(event.id);
    }
  };

  const stops = [repeat(renew, leaseMs / renewals, log), repeat(handOver, lookMs, log)];
  return {
    get endsAt() {
      return endsAt;
    },
    now: () => (origin === undefined ? clock.now() : new Date(origin + clock.monotonic())),
    open: (eventId) => void open.add(eventId),
    close: (eventId) => void open.delete(eventId),
    giveBack(event) {
      if (givenUp.size < maxGivenUp) givenUp.set(event.id, { ...event, absent: 0 });
    },
    renew,
    stop: async () => {
      await Promise.all(stops.map((stop) => stop()));
      await renewFor(0).catch((error: unknown) => log.debug({ err: error }, "the lease ends by itself"));
    },
  };
}
