import { parseJson } from "shared/core/json";
import { findableOf } from "shared/core/search";
import { attempt } from "shared/core/text";
import { enlistSites, readPayloads } from "shared/db/event-kind";
import {
  advanceSearchLearning,
  findSitesToSearch,
  holdSearchLearning,
  readUnfoundEvents,
  type SearchRow,
  type UnfoundEvent,
  writeSearchRows,
} from "shared/db/event/search-rows";
import { type Sql, inTransaction } from "shared/db/statement";
import { readRowCodecsOfSites } from "shared/sealing/account-rows";
import { readValue, type RowCodec } from "shared/secrets/row-codec";
import type { Vault } from "shared/secrets/vault";
import type { Pulse } from "shared/server/retry";
import { chunksOf, startOf, turnPage } from "./kinds.ts";
import { takeTurns } from "./other-work.ts";

interface SearchContext {
  sql: Sql;
  vault: Pick<Vault, "open">;
  stopping: AbortSignal;
  pulse?: Pulse | undefined;
}

/** How much is learned at a time. Constants of the program; tests change them. */
export const searchLimits = {
  freshSeconds: 10,
  settledSeconds: 120,
  /** Sites of one round, and those that are learned in one transaction. */
  dueSites: 1_000,
  sites: 20,
  /** Events of one transaction, and the bytes of their payloads. */
  rows: 1_000,
  bytes: 8 * 1024 * 1024,
  /** Longer payloads are skipped. */
  payloadBytes: 2 * 1024 * 1024,
  /** How long one round may take. */
  runMs: 5_000,
};
export type SearchLimits = typeof searchLimits;

/** Learns the words that new events are found by. Any number of servers may run this; each site's events are read by one at a time, and again after one that died. */
export async function learnToFind(context: SearchContext, limits: SearchLimits = searchLimits): Promise<void> {
  const { sql, stopping } = context;
  const deadline = performance.now() + limits.runMs;
  const isOver = (): boolean => stopping.aborted || performance.now() > deadline;
  await enlistSites(sql, null);
  const due = await findSitesToSearch(sql, limits.settledSeconds, limits.dueSites);
  const failures: Error[] = [];
  const learn = async (siteIds: readonly string[]): Promise<void> => {
    try {
      let reached = new Map<string, string>();
      for (let left = siteIds; left.length > 0 && !isOver(); left = [...reached.keys()])
        reached = await learnPage(context, left, reached, limits);
    } catch (error) {
      // A site that cannot be learned does not stop the others.
      if (siteIds.length > 1) for (const siteId of siteIds) await learn([siteId]);
      else failures.push(error instanceof Error ? error : new Error(String(error)));
    }
  };
  for (let at = 0; at < due.length && !isOver(); at += limits.sites) await learn(due.slice(at, at + limits.sites));
  // More is to be learned: a quiet server does not rest meanwhile.
  if (isOver()) context.pulse?.stir();
  if (failures[0] !== undefined) throw failures[0];
}

/** Answers the last event that was read of each site with more to read. */
const learnPage = async (
  { sql, vault }: SearchContext,
  siteIds: readonly string[],
  reached: ReadonlyMap<string, string>,
  limits: SearchLimits,
): Promise<Map<string, string>> =>
  await inTransaction(sql, async (transaction) => {
    const held = await holdSearchLearning(transaction, siteIds, limits);
    if (held.length === 0) return new Map();
    const starts = held.map((site) => ({ site, after: startOf(site, reached.get(site.site_id)) }));
    const rows = Math.ceil(limits.rows / held.length);
    const asked = starts.map(({ site, after }) => ({ site_id: site.site_id, after }));
    const events = await readUnfoundEvents(transaction, asked, rows);
    const codecs = await readRowCodecsOfSites(transaction, vault, siteIds);
    const accounts = new Map(held.map(({ site_id, account_id }) => [site_id, account_id]));
    const isLearned = ({ site_id, bytes }: UnfoundEvent) =>
      bytes !== null && bytes <= limits.payloadBytes && codecs.get(site_id)?.seals === false;
    for (const chunk of chunksOf(events.filter(isLearned), { bytes: limits.bytes, events: 200 }))
      await learnChunk(transaction, chunk, { accounts, codecs });
    const turned = turnPage(starts, events, rows);
    await advanceSearchLearning(transaction, turned.cursors);
    return turned.reached;
  });

interface Of {
  accounts: ReadonlyMap<string, string>;
  codecs: ReadonlyMap<string, RowCodec>;
}

async function learnChunk(sql: Sql, events: readonly UnfoundEvent[], { accounts, codecs }: Of): Promise<void> {
  const payloads = new Map((await readPayloads(sql, events)).map(({ id, payload }) => [id, payload]));
  const rows: SearchRow[] = [];
  const otherWork = takeTurns();
  for (const { site_id, id } of events) {
    const [account_id, codec] = [accounts.get(site_id), codecs.get(site_id)];
    const payload = codec && readValue(codec, payloads.get(id) ?? null, "event_payload.payload", id, null);
    // Null for a payload that is no JSON.
    const findable = payload == null ? null : attempt(() => findableOf(parseJson(payload)), null);
    if (account_id === undefined || findable === null) continue;
    const { open, personal, customer } = findable;
    rows.push({ site_id, id, account_id, words: [...open, ...personal], open_words: open, customer });
    await otherWork();
  }
  await writeSearchRows(sql, rows);
}
