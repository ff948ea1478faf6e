import { renewGatewayLease } from "shared/db/event/gateway-lease";
import { newId } from "shared/db/ids";
import { withTimeout } from "shared/db/statement";
import { repeat } from "shared/server/retry";
import type { GatewayContext } from "../context.ts";

/** The last request of a message starts this long before the lease ends: the database's clock and ours may drift apart. */
export const leaseMarginMs = 500;

/** How often a lease is renewed while it lasts, and while its gateway is quiet. */
const [renewals, quietRenewals] = [10, 4];

export type GatewayLease = ReturnType<typeof createLease>;

/** This gateway's hold on everything that it works on. It begins with the first renewal, and reaches back to the first open event, so that whoever ends it finds all. */
export function createLease(
  { events: sql, clock, config, log, instanceId, pulse }: GatewayContext,
  events: { oldest(): string | undefined },
) {
  const { leaseMs, statementMs } = config.timeLimits;
  let endsAt = 0;
  /** The database's time at 0 of our monotonic clock. */
  let origin: number | undefined;
  let tellRenewed = (): void => undefined;

  const renewFor = async (ms: number): Promise<void> => {
    const since = events.oldest() ?? newId();
    // Counts from before the statement, so that our end comes before the database's.
    const began = clock.monotonic();
    const now = await withTimeout(renewGatewayLease(sql, { id: instanceId, seconds: ms / 1000, since }), statementMs);
    endsAt = began + ms;
    if (now !== undefined) origin = now - (began + clock.monotonic()) / 2;
    tellRenewed();
  };
  let renewing: Promise<void> | undefined;
  /** Callers share a renewal that is under way. */
  const renew = (): Promise<void> => (renewing ??= renewFor(leaseMs).finally(() => (renewing = undefined)));
  const stopRenewing = repeat(renew, leaseMs / renewals, log, { pulse, quietMs: leaseMs / quietRenewals });

  return {
    /** Nobody else takes what is this gateway's until then, as far as we know (monotonic ms). Work that is begun now must end by then, whatever is renewed later. */
    get endsAt() {
      return endsAt;
    },
    /** The time by the database's clock, by which messages are due and which all gateways share; by our own clock until it is known. */
    now: (): Date => (origin === undefined ? clock.now() : new Date(origin + clock.monotonic())),
    renew,
    onRenewed: (tell: () => void): void => void (tellRenewed = tell),
    /** Leaves what is still ours to other gateways at once. */
    stop: async (): Promise<void> => {
      await stopRenewing();
      await renewFor(0).catch((error: unknown) => log.debug({ err: error }, "the lease ends by itself"));
    },
  };
}
