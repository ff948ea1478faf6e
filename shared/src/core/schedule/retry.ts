const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/** How long to wait after the first try, the second and so on; after all others as long as the last says. */
const waits = [5 * secondMs, 30 * secondMs, 2 * minuteMs, 10 * minuteMs, hourMs, 4 * hourMs, 12 * hourMs];

/** Each wait is shortened or prolonged by at most this part, so that what failed together is not tried again together. */
const jitter = 0.2;

/**
 * When a message is tried again after its `attempt`th try, 1 for the first, has failed; null when that is later than `retryHours` (0: never) after
 * `firstAt`.
 * @param random From 0 to 1
 * @param scale Shortens the waits, for tests
 */
export function nextAttempt(attempt: number, now: Date, firstAt: Date, retryHours: number, random: number, scale = 1): Date | null {
  const wait = waits[Math.min(attempt, waits.length) - 1] ?? 0;
  const next = now.getTime() + Math.round(scale * wait * (1 - jitter + 2 * jitter * random));
  return next > firstAt.getTime() + retryHours * hourMs ? null : new Date(next);
}
