import { LRUCache } from "lru-cache";

const EACH_MS = 6_000;
const BURST = 45;

/** Whether one more message may go from a sender to a recipient now; if so it counts. */
export type PairLimit = (pair: string, now: number) => boolean;

/**
 * One message to one user in 6 s. Within 6 s up to 45 may go at once, borrowed from the future: after a burst of 20 comes silence for two minutes
 * (platform facts, section 6).
 */
export function createPairLimit(): PairLimit {
  const bursts = new LRUCache<string, { began: number; count: number; paidAt: number }>({ max: 100_000 });
  return (pair, now) => {
    const burst = bursts.get(pair);
    if (burst === undefined || now >= burst.paidAt) {
      bursts.set(pair, { began: now, count: 1, paidAt: now + EACH_MS });
      return true;
    }
    if (now - burst.began >= EACH_MS || burst.count >= BURST) return false;
    burst.count += 1;
    burst.paidAt += EACH_MS;
    return true;
  };
}
