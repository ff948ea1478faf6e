import { type GivenUpEvent, handBack, renewGatewayLease } from "shared/db/event/gateway-lease";
import { newId } from "shared/db/ids";
import { withTimeout } from "shared/db/transaction";
import { repeat } from "shared/server/retry";
import type { GatewayContext } from "../context.ts";

/** This gateway's hold on the events that it works on. */
export interface GatewayLease {
  /** Nobody else takes this gateway's events until then, as far as we know (monotonic ms). Work that is claimed now must end by then, whatever is renewed later. */
  readonly endsAt: number;
  /** The time by the database's clock, by which messages are due and which all gateways share; by our own clock until it is known. */
  now(): Date;
  /** Notes that the event may be stored from now on. To be called before another id is made. */
  open(eventId: string): void;
  /** Notes that the event is finished, that we shall never store it, or that another gateway has it. */
  close(eventId: string): void;
  /**
   * Closes the event once another gateway can take it. Its claim may have been stored after all, or may be stored later, and it would look like an event
   * whose messages are being sent: so the database is searched for it in the background.
   */
  giveBack(event: GivenUpEvent): void;
  renew(): Promise<void>;
  /** Leaves the events that are still open to other gateways at once. */
  stop(): Promise<void>;
}

/** The last request of a message starts this long before the lease ends: the database's clock and ours may drift apart. */
export const leaseMarginMs = 500;
/** Nobody waits for messages that were taken over or taken from the queue: their last request starts this long after the take. */
export const takenSendMs = 12_000;

/** How often a lease is renewed while it lasts. */
const renewals = 10;
const lookMs = 1000;
/** An event that is not stored after this many looks never will be. */
const maxLooks = 20;
/** How many events one statement looks for. */
const looksAtOnce = 1_000;
/** The most given-up events, many times the number that can be under way when a database goes away; later requests are refused before they get here. */
const maxGivenUp = 100_000;

/** The lease begins with the first renewal. */
export function createLease({ sql, events, clock, config, log, instanceId }: GatewayContext): GatewayLease {
  const { leaseMs, statementMs } = config.timeLimits;
  /** The ids in the order in which they were opened, which is also their own order. */
  const open = new Set<string>();
  const givenUp = new Map<string, GivenUpEvent & { absent: number }>();
  let endsAt = 0;
  /** The database's time at 0 of our monotonic clock. */
  let origin: number | undefined;

  const renewFor = async (ms: number): Promise<void> => {
    const [since = newId()] = open;
    // Counts from before the statement, so that our end comes before the database's.
    const began = clock.monotonic();
    const now = await withTimeout(renewGatewayLease(events, { id: instanceId, seconds: ms / 1000, since }), statementMs);
    endsAt = began + ms;
    if (now !== undefined) origin = now - (began + clock.monotonic()) / 2;
  };
  let renewing: Promise<void> | undefined;
  /** Callers share a renewal that is under way. */
  const renew = (): Promise<void> => (renewing ??= renewFor(leaseMs).finally(() => (renewing = undefined)));

  const handOver = async (): Promise<void> => {
    if (givenUp.size === 0) return;
    const some = [...givenUp.values()].slice(0, looksAtOnce);
    const stored = await withTimeout(handBack(sql, some, instanceId), statementMs);
    for (const event of some) {
      givenUp.delete(event.id);
      // Moves the event behind the others.
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
