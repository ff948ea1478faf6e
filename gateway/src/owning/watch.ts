import { isAnythingDue } from "shared/db/due";
import { withTimeout } from "shared/db/transaction";
import { repeat } from "shared/server/retry";
import type { GatewayContext } from "../context.ts";

/** Messages that others queue leave about a second after their time at the latest, also while this gateway is quiet. */
const lookMs = 1_000;

/** Looks for all loops while they rest, and wakes them when something is due. The returned function stops it. */
export function watchForDue({ sql, config, log, pulse, instanceId }: GatewayContext): () => Promise<void> {
  const look = async (): Promise<void> => {
    if (pulse?.isQuiet() === true && (await withTimeout(isAnythingDue(sql, instanceId), config.timeLimits.statementMs))) pulse.stir();
  };
  return repeat(look, lookMs, log);
}
