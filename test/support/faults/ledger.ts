import type { Posted } from "../gateway/post-event.ts";
import type { Shop } from "../gateway/shop.ts";

/** A shop and whom its events are for; null: the customer that the payload names. */
export interface LoadedShop {
  shop: Shop;
  phones: readonly string[] | null;
}

/** One event of the load, and everything that its client was told. */
export interface LedgerEntry {
  key: string;
  shop: Shop;
  recipients: readonly string[];
  /** Every 200, the original's and the duplicates'. */
  answers: Posted[];
}

/** What the clients know. */
export interface Ledger {
  entries: LedgerEntry[];
  /** Requests in all. */
  requests: number;
  /** Events that have their answer. */
  answered: number;
  /** Answers that ask to come back, and connections that failed. */
  refused: number;
  /** Answers that no client should ever see. */
  unexpected: string[];
}

export const emptyLedger = (): Ledger => ({ entries: [], requests: 0, answered: 0, refused: 0, unexpected: [] });
