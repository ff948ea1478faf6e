/** How what is shown is written: in the reader's own language and zone. Times come as ISO 8601 text. */

/** The time alone when it is today's, else with its day. */
export function formatTime(at: string): string {
  const date = new Date(at);
  return isToday(date)
    ? date.toLocaleTimeString(undefined, { timeStyle: "short" })
    : date.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}

/** To the second, with the zone's name. */
export const formatExactTime = (at: string): string => new Date(at).toLocaleString(undefined, { dateStyle: "full", timeStyle: "long" });

function isToday(date: Date): boolean {
  return date.toDateString() === new Date().toDateString();
}
