import { LRUCache } from "lru-cache";
import { type GraphError, refusal } from "./graph-error.ts";
import type { SandboxAccount } from "./store.ts";

/** Management calls an hour of an account with a registered number, and how many templates it may create. */
const CALLS = 5_000;
const CREATIONS = 100;

/** The platform's rate limits. Each is enforced only for accounts that ask for it: see `limits` of an account. */
export interface RateLimits {
  /** Counts a message; throws 130429 or 131056 when there were too many. */
  countMessage(account: SandboxAccount, recipient: string, now: number): void;
  /** Counts a management call and answers the usage header; throws 80007 when there were too many. */
  countCall(account: SandboxAccount, now: number): Record<string, string>;
  /** Counts a created template; throws 80007 when there were too many. */
  countCreation(account: SandboxAccount, now: number): void;
}

export function createRateLimits(): RateLimits {
  const mayPair = createPairLimit();
  const mayNumber = createNumberLimit();
  const calls = createHourlyCount();
  const creations = createHourlyCount();
  return {
    countMessage: (account, recipient, now) => {
      const { limits, phoneNumberId } = account;
      if (limits.includes("number") && !mayNumber(phoneNumberId, now)) throw throttle(account, 130429);
      if (limits.includes("pair") && !mayPair(`${phoneNumberId}:${recipient}`, now)) throw throttle(account, 131056);
    },
    countCall: (account, now) => {
      const count = calls(account.wabaId, now);
      if (account.limits.includes("management") && count > CALLS) throw throttle(account, 80007);
      return usageHeader(account.wabaId, count);
    },
    countCreation: (account, now) => {
      const count = creations(account.wabaId, now);
      if (account.limits.includes("management") && count > CREATIONS) throw throttle(account, 80007);
    },
  };
}

function throttle(account: SandboxAccount, code: number): GraphError {
  return refusal(code, undefined, account.throttleStatus);
}

function usageHeader(wabaId: string, count: number): Record<string, string> {
  const percent = Math.min(100, Math.ceil((count / CALLS) * 100));
  const usage = { type: "whatsapp", call_count: percent, total_cputime: 0, total_time: 0, estimated_time_to_regain_access: 0 };
  return { "x-business-use-case-usage": JSON.stringify({ [wabaId]: [usage] }) };
}

const HOUR_MS = 60 * 60 * 1000;

/** Counts calls within clock hours of their own, one window a key. Answers how many there are, this one included. */
export type HourlyCount = (key: string, now: number) => number;

function createHourlyCount(): HourlyCount {
  const windows = new Map<string, { began: number; count: number }>();
  return (key, now) => {
    const last = windows.get(key);
    const window = last !== undefined && now - last.began < HOUR_MS ? last : { began: now, count: 0 };
    window.count += 1;
    windows.set(key, window);
    return window.count;
  };
}

const PER_SECOND = 80;

/** Whether the number may send one more message now; if so it counts. 80 a second, the platform's default (platform facts, section 6). */
export type NumberLimit = (phoneNumberId: string, now: number) => boolean;

export function createNumberLimit(): NumberLimit {
  const buckets = new Map<string, { tokens: number; at: number }>();
  return (phoneNumberId, now) => {
    const bucket = buckets.get(phoneNumberId) ?? { tokens: PER_SECOND, at: now };
    const tokens = Math.min(PER_SECOND, bucket.tokens + ((now - bucket.at) / 1000) * PER_SECOND);
    buckets.set(phoneNumberId, { tokens: tokens >= 1 ? tokens - 1 : tokens, at: now });
    return tokens >= 1;
  };
}

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
