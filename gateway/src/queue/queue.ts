import { withTimeout } from "shared/db/transaction";
import { type DueSite, listDueSites, takeDue } from "shared/db/waiting/take";
import type { InFlight } from "shared/platform/client";
import { repeat } from "shared/server/retry";
import type { GatewayContext } from "../context.ts";
import type { Dispatch } from "../ingest/dispatch.ts";
import { waveSize } from "../ingest/event.ts";
import type { GatewayLease } from "../ingest/lease.ts";
import type { SiteDirectory } from "../sites/sites.ts";
import type { Pace } from "./pace.ts";
import { createSendWave } from "./wave.ts";

/**
 * Sends the messages that do not leave with their event: scheduled, queued, and tried again. All gateways take them from one table; whoever stores some
 * takes them at once if it has room. Accounts share a gateway evenly, an account's sites take turns, and a recipient gets one message at a time.
 */
export interface Queue {
  /** A site may have messages that are due. */
  signal(site: DueSite): void;
  stop(): Promise<void>;
}

/** An account with messages that are due, and its sites in the order of their turns. */
interface BusyAccount {
  sites: Set<string>;
  waves: number;
  draining: boolean;
}

/** The waves of one account that are under way at once. */
const mostWaves = 16;
/** How often an account without room looks again. */
const noRoomMs = 25;
/** From the take: no request starts later. */
const sendMs = 12_000;
const leaseMarginMs = 500;
/** How many sites with waiting messages one look for due ones passes. */
const sitesAtOnce = 1_000;
const first = "00000000-0000-0000-0000-000000000000";

export function createQueue(
  context: GatewayContext,
  {
    sites,
    dispatch,
    inFlight,
    lease,
    pace,
  }: { sites: SiteDirectory; dispatch: Dispatch; inFlight: InFlight; lease: GatewayLease; pace: Pace },
): Queue {
  const { sql, clock, config, log, instanceId } = context;
  const { statementMs, dueMs } = config.timeLimits;
  const sendWave = createSendWave(context, sites, dispatch);
  const busy = new Map<string, BusyAccount>();
  const running = new Set<Promise<unknown>>();
  let stopping = false;
  let after = first;

  const track = (work: Promise<unknown>): void => {
    running.add(work);
    void work.finally(() => running.delete(work));
  };

  const signal = ({ account_id, site_id }: DueSite): void => {
    if (stopping) return;
    const account = busy.get(account_id) ?? { sites: new Set(), waves: 0, draining: false };
    busy.set(account_id, account);
    account.sites.add(site_id);
    if (!account.draining) track(drain(account_id, account));
  };

  const drain = async (accountId: string, account: BusyAccount): Promise<void> => {
    account.draining = true;
    for (const siteId of turns(account.sites)) {
      const limit = await roomFor(accountId, account, siteId);
      if (limit === 0) break;
      await takeAndSend(accountId, account, siteId, limit).catch((error: unknown) => {
        log.warn({ err: error }, "due messages could not be taken and will be looked for again");
      });
    }
    account.draining = false;
    forgetIdle(accountId, account);
  };

  const forgetIdle = (accountId: string, { draining, waves }: BusyAccount): void => {
    if (!draining && waves === 0) busy.delete(accountId);
  };

  /** How many messages of a site may be taken, as soon as that is some; 0 when the gateway stops. */
  const roomFor = async (accountId: string, account: BusyAccount, siteId: string): Promise<number> => {
    while (!stopping) {
      const site = sites.peek(siteId) ?? (await sites.refresh(siteId).catch(() => null));
      const limit = Math.min(waveSize, site === null ? waveSize : pace.room(site));
      if (limit > 0 && account.waves < mostWaves && inFlight.reserve(accountId, limit)) return limit;
      await new Promise((resolve) => setTimeout(resolve, noRoomMs));
    }
    return 0;
  };

  /** The places are reserved. */
  const takeAndSend = async (accountId: string, account: BusyAccount, siteId: string, limit: number): Promise<void> => {
    const release = (): void => inFlight.release(accountId, limit);
    try {
      const { endsAt } = lease;
      const messages = await withTimeout(takeDue(sql, instanceId, siteId, limit), statementMs);
      // There may be more. Whoever signals meanwhile adds the site again.
      if (messages.length === limit) account.sites.add(siteId);
      if (messages.length === 0) return release();
      const startBy = Math.min(clock.monotonic() + sendMs, endsAt - leaseMarginMs);
      account.waves += 1;
      track(
        sendWave(messages, { startBy, cutAt: endsAt - leaseMarginMs / 2, fromQueue: true })
          .then((due) => due.forEach(signal))
          .catch((error: unknown) => log.error({ err: error }, "what became of waiting messages could not be recorded"))
          .finally(() => {
            account.waves -= 1;
            release();
            forgetIdle(accountId, account);
          }),
      );
    } catch (error) {
      release();
      throw error;
    }
  };

  const look = async (): Promise<void> => {
    const found = await withTimeout(listDueSites(sql, after, sitesAtOnce), statementMs);
    after = found.length === sitesAtOnce ? (found.at(-1)?.site_id ?? first) : first;
    for (const site of found) if (site.is_due) signal(site);
  };
  const stopLooking = repeat(look, dueMs, log);

  return {
    signal,
    stop: async () => {
      stopping = true;
      await stopLooking();
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}

/** The members of a set one by one, each removed before its turn, for as long as others add some. */
function* turns(sites: Set<string>): Generator<string> {
  for (const site of sites) {
    sites.delete(site);
    yield site;
  }
}
