import { setTimeout as sleep } from "node:timers/promises";
import { retry } from "../server/retry.ts";
import { type ChainedRow, listAuditHeads, listChainedEntries } from "./audit.ts";
import type { Sql } from "./connect.ts";
import { isDatabaseAway } from "./transaction.ts";

export interface FollowOptions {
  /** Null: all accounts, also those that are opened meanwhile. */
  accountId: string | null;
  /** By account the number of the last entry that is known already; it is moved on once the entries after it were taken. */
  cursors: Map<string, number>;
  /** False: ends when there are no more. */
  goesOn: boolean;
  /** Ends it. */
  ended: AbortSignal;
  /** The database is away, which is waited out for some minutes where it goes on. */
  onAway?: ((error: unknown) => void) | undefined;
}

/** Bounds what is in memory. */
const entriesAtOnce = 100;
const pollMs = 500;
/** Five minutes; a database that is somewhere else by then is found by a new start. */
const mostAttempts = 600;

/**
 * Each account's entries in the order of its chain, a few at a time, without a gap: `missing` is the number of the first entry that should stand before them
 * and does not, as only the database's owner can bring about. Throws a RangeError when a cursor lies beyond its chain.
 */
export async function* followAudit(
  sql: Sql,
  { accountId, cursors, goesOn, ended, onAway }: FollowOptions,
): AsyncGenerator<{ entries: readonly ChainedRow[]; missing: number | null }> {
  const again = (error: unknown, attempt: number): boolean => {
    if (!goesOn || ended.aborted || attempt > mostAttempts || !isDatabaseAway(error)) return false;
    if (attempt === 1) onAway?.(error);
    return true;
  };
  const patiently = async <T>(read: () => PromiseLike<T>): Promise<T> => retry(async () => read(), { again, pauseMs: () => pollMs });
  for (let isBusy = true; isBusy || goesOn;) {
    isBusy = false;
    for (const { account_id: account, seq: last } of await patiently(() => listAuditHeads(sql, accountId))) {
      const after = cursors.get(account) ?? 0;
      if (after > last) throw new RangeError(`account ${account} has ${last} entries, and ${after} were to be there`);
      if (after === last) continue;
      const entries = await patiently(() => listChainedEntries(sql, account, { after, limit: entriesAtOnce }));
      const at = entries.findIndex(({ seq }, index) => seq !== after + 1 + index);
      const isWhole = at === -1 && entries.length > 0;
      yield { entries, missing: isWhole ? null : after + 1 + Math.max(at, 0) };
      if (ended.aborted) return;
      cursors.set(account, entries.at(-1)?.seq ?? last);
      isBusy = true;
    }
    if (!isBusy && goesOn) await sleep(pollMs, undefined, { signal: ended }).catch(() => undefined);
    if (ended.aborted) return;
  }
}
