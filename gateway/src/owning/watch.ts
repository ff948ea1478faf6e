import { isAnythingDue } from "shared/db/due";
import { firstId, type Pool, withTimeout } from "shared/db/statement";
import { repeat } from "shared/server/retry";
import type { GatewayContext } from "../context.ts";

/** How many rows one look passes. */
const rowsAtOnce = 1_000;

/** Steps through rows that may be due, from an id on, again and again, and tells of each that is. The returned function stops it. */
export function lookForDue<Row extends { is_due: boolean }>(
  { sql, config, log, pulse }: GatewayContext,
  list: (sql: Pool, after: string, limit: number) => Promise<readonly Row[]>,
  idOf: (row: Row) => string,
  tell: (row: Row) => void,
): () => Promise<void> {
  const { statementMs, dueMs, restMs } = config.timeLimits;
  let after: string | undefined;
  const look = async (): Promise<void> => {
    const rows = await withTimeout(list(sql, after ?? firstId, rowsAtOnce), statementMs);
    const last = rows[rowsAtOnce - 1];
    after = last && idOf(last);
    for (const row of rows) {
      if (!row.is_due) continue;
      pulse?.stir();
      tell(row);
    }
  };
  return repeat(look, dueMs, log, { pulse, quietMs: restMs });
}

/** Messages that others queue leave about a second after their time at the latest, also while this gateway is quiet. */
const lookMs = 1_000;

/** Looks for all loops while they rest, and wakes them when something is due. The returned function stops it. */
export function watchForDue({ sql, config, log, pulse, instanceId }: GatewayContext): () => Promise<void> {
  const look = async (): Promise<void> => {
    if (pulse?.isQuiet() === true && (await withTimeout(isAnythingDue(sql, instanceId), config.timeLimits.statementMs))) pulse.stir();
  };
  return repeat(look, lookMs, log);
}
