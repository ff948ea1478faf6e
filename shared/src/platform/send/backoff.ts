import type { Attempt } from "./read-send-answer.ts";

const firstMs = 250;
const throttledMs = 1_000;
const longestMs = 4_000;

/** Limits on how much is sent: they need more time than a fault. */
const throttles = new Set(["4", "17", "80007", "130429"]);
const pairLimit = "131056";

/**
 * How long to wait after a try that failed, in milliseconds.
 * @param retry 0 before the first retry.
 * @param chance From 0 up to 1; spreads the retries of messages that failed together.
 */
export function backoff(attempt: Attempt, retry: number, chance: number): number {
  const code = attempt.kind === "refused" ? attempt.code : null;
  // The platform's own rule for one recipient: 4^n seconds, and not a moment less.
  if (code === pairLimit) return 1_000 * 4 ** retry * (1 + chance / 10);
  const base = code !== null && throttles.has(code) ? throttledMs : firstMs;
  return Math.min(longestMs, base * 2 ** retry) * (0.5 + chance / 2);
}
