import type { SandboxAccount } from "../../db/tables/sandbox/account.ts";
import { type GraphError, refusal } from "../errors/graph-error.ts";
import { createHourlyCount } from "./hourly-count.ts";
import { createNumberLimit } from "./number-limit.ts";
import { createPairLimit } from "./pair-limit.ts";

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
