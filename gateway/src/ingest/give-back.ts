import { freeUnsent } from "shared/db/event/take-over";
import { within } from "shared/db/transaction";
import { repeat } from "shared/server/startup";
import type { GatewayContext } from "../context.ts";

/**
 * Takes claims that were given up without knowing what became of them. Such a claim may be stored after all, also later, and would pass for an event
 * whose messages are being sent; so it is looked for in the background and set free as what it is: unsent.
 */
export interface GiveBack {
  (event: { site_id: string; id: string }): void;
  stop(): Promise<void>;
}

const lookMs = 1000;
/** What the database has not got after so many looks, it will not get any more. */
const looks = 20;
/** More than can be under way when a database goes away; what comes later is refused before it gets there. */
const most = 10_000;

export function createGiveBack({ sql, config, instanceId, log }: GatewayContext): GiveBack {
  const sought = new Map<string, { site_id: string; id: string; absent: number }>();

  const look = async (): Promise<void> => {
    if (sought.size === 0) return;
    const events = [...sought.values()];
    const found = await within(config.timeLimits.statementMs, freeUnsent(sql, events, instanceId));
    for (const event of events) if (found.has(event.id) || (event.absent += 1) === looks) sought.delete(event.id);
  };

  const giveBack = ({ site_id, id }: { site_id: string; id: string }): void => {
    if (sought.size < most) sought.set(id, { site_id, id, absent: 0 });
  };
  return Object.assign(giveBack, { stop: repeat(look, lookMs, log) });
}
