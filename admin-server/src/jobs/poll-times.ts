import { pollPeriodSeconds } from "../templates/sync-account.ts";

/** All in milliseconds. */
export interface PollTimes {
  /** Between two looks at what is due. */
  tickMs: number;
  /** Between two polls of one account. */
  periodMs: number;
  /** After the first failure; doubled with each one that follows, up to the period. */
  retryMs: number;
  /** How long a poll may take before another server takes it for dead. */
  leaseMs: number;
}

export const defaultPollTimes: PollTimes = { tickMs: 30_000, periodMs: pollPeriodSeconds * 1000, retryMs: 60_000, leaseMs: 600_000 };
