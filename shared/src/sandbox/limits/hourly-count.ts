const HOUR_MS = 60 * 60 * 1000;

/** Counts calls within clock hours of their own, one window a key. Answers how many there are, this one included. */
export type HourlyCount = (key: string, now: number) => number;

export function createHourlyCount(): HourlyCount {
  const windows = new Map<string, { began: number; count: number }>();
  return (key, now) => {
    const last = windows.get(key);
    const window = last !== undefined && now - last.began < HOUR_MS ? last : { began: now, count: 0 };
    window.count += 1;
    windows.set(key, window);
    return window.count;
  };
}
