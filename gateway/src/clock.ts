/** The time, so that tests can set it. */
export interface Clock {
  /** The wall clock. */
  now(): Date;
  /** Milliseconds that never go back, the same as `performance.now()`. For deadlines. */
  monotonic(): number;
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonic: () => performance.now(),
};
