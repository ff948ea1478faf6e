import type { TimeLimits } from "gateway/time-limits";

/** The real limits, about four times as short, in the same order among themselves. */
export const shortLimits: Partial<TimeLimits> = {
  attemptMs: 3000,
  handOverMs: 3500,
  answerMs: 4000,
  leaseMs: 5000,
  duplicateWaitMs: 5000,
  statementMs: 800,
  claimMs: 2500,
  sweepMs: 100,
  databaseCheckMs: 300,
};
