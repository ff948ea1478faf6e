import { LRUCache } from "lru-cache";
import { hourMs } from "../core/durations.ts";
import { refusal } from "./graph-error.ts";
import type { SandboxAccount } from "./store.ts";

/** Limits of an account with a registered number: management calls, and created templates. */
const callsPerHour = 5_000;
const creationsPerHour = 100;

/** The platform's rate limits. An account's `limits` names those that are enforced for it. */
export type RateLimits = ReturnType<typeof createRateLimits>;

export function createRateLimits() {
  const mayPair = createPairLimit();
  const mayNumber = createNumberLimit();
  const calls = createHourlyCount();
  const creations = createHourlyCount();
  return {
    /** Throws 130429 or 131056 beyond the limit. */
    countMessage: ({ limits, phoneNumberId, state, throttleStatus }: SandboxAccount, recipient: string, now: number): void => {
      const isFull = limits.includes("number") && !mayNumber(phoneNumberId, now, messagesPerSecond[state.throughput]);
      if (isFull) throw refusal(130429, undefined, throttleStatus);
      if (limits.includes("pair") && !mayPair(`${phoneNumberId}:${recipient}`, now)) throw refusal(131056, undefined, throttleStatus);
    },
    /** Returns the usage header. Throws 80007 beyond the limit. */
    countCall: (account: SandboxAccount, now: number): Record<string, string> => {
      const count = calls(account.wabaId, now);
      checkManagement(account, count > callsPerHour);
      return usageHeader(account.wabaId, count);
    },
    /** Throws 80007 beyond the limit. */
    countCreation: (account: SandboxAccount, now: number) => checkManagement(account, creations(account.wabaId, now) > creationsPerHour),
  };
}

function checkManagement({ limits, throttleStatus }: SandboxAccount, isOver: boolean): void {
  if (isOver && limits.includes("management")) throw refusal(80007, undefined, throttleStatus);
}

function usageHeader(wabaId: string, count: number): Record<string, string> {
  const percent = Math.min(100, Math.ceil((count / callsPerHour) * 100));
  const usage = { type: "whatsapp", call_count: percent, total_cputime: 0, total_time: 0, estimated_time_to_regain_access: 0 };
  return { "x-business-use-case-usage": JSON.stringify({ [wabaId]: [usage] }) };
}

/** Counts calls per key in windows of one hour that begin with a call. Returns the count, this call included. */
function createHourlyCount() {
  const windows = new Map<string, { began: number; count: number }>();
  return (key: string, now: number): number => {
    const last = windows.get(key);
    const window = last !== undefined && now - last.began < hourMs ? last : { began: now, count: 0 };
    window.count += 1;
    windows.set(key, window);
    return window.count;
  };
}

const messagesPerSecond = { STANDARD: 80, HIGH: 1000 } as const;

/** Whether the number may send one more message now; if so, it counts. `perSecond` is the platform's default when left out. */
export function createNumberLimit() {
  const buckets = new Map<string, { tokens: number; at: number }>();
  return (phoneNumberId: string, now: number, perSecond: number = messagesPerSecond.STANDARD): boolean => {
    const bucket = buckets.get(phoneNumberId) ?? { tokens: perSecond, at: now };
    const tokens = Math.min(perSecond, bucket.tokens + ((now - bucket.at) / 1000) * perSecond);
    buckets.set(phoneNumberId, { tokens: tokens >= 1 ? tokens - 1 : tokens, at: now });
    return tokens >= 1;
  };
}

const pairIntervalMs = 6_000;
const pairBurst = 45;

/** Whether the sender may send the recipient one more message now; if so, it counts. Allows one in 6 s. A burst of up to 45 within 6 s borrows from the future: after 20 at once, none may follow for two minutes. */
export function createPairLimit() {
  const bursts = new LRUCache<string, { began: number; count: number; paidAt: number }>({ max: 100_000 });
  return (pair: string, now: number): boolean => {
    const burst = bursts.get(pair);
    if (burst === undefined || now >= burst.paidAt) {
      bursts.set(pair, { began: now, count: 1, paidAt: now + pairIntervalMs });
      return true;
    }
    if (now - burst.began >= pairIntervalMs || burst.count >= pairBurst) return false;
    burst.count += 1;
    burst.paidAt += pairIntervalMs;
    return true;
  };
}
