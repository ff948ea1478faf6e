const hourMs = 3_600_000;
/** A pace is known once a site was busy in so many hours, and for so long. */
const fewestBusyHours = 5;
const shortestSpanHours = 48;
/** Below this nobody is alarmed; and a site that has been away for longer did not go silent just now. */
export const shortestSilenceMs = 2 * hourMs;
export const longestSilenceMs = 30 * 24 * hourMs;

/**
 * How long the longest pause was between two events, in hours: nights and weekends are pauses too. Null while that is not known.
 * @param busyHours The hours in which there were events, counted back from the last one, in order.
 */
export function longestPause(busyHours: readonly number[]): number | null {
  const span = (busyHours.at(-1) ?? 0) - (busyHours[0] ?? 0);
  if (busyHours.length < fewestBusyHours || span < shortestSpanHours) return null;
  return busyHours.reduce((longest, hour, index) => Math.max(longest, hour - (busyHours[index - 1] ?? hour)), 1);
}

/** Whether a site is quiet for clearly longer than it ever was in its last week. */
export const isSilent = (quietMs: number, longestPauseHours: number): boolean => quietMs > (longestPauseHours * 1.5 + 1) * hourMs;
