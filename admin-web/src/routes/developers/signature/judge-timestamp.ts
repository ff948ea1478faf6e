const toleranceSeconds = 300;

/** What is wrong with a timestamp header; undefined when nothing is. `now`: milliseconds. */
export function judgeTimestamp(timestamp: string, now: number): string | undefined {
  if (!/^-?\d+$/u.test(timestamp)) return "The timestamp has to be a whole number: the seconds since 1970.";
  if (/^\d{13}$/u.test(timestamp)) return "The timestamp is in milliseconds. Send seconds: divide by 1000 and cut off the rest.";
  const off = Math.round(now / 1000) - Number(timestamp);
  if (Math.abs(off) <= toleranceSeconds) return undefined;
  return `The timestamp is ${inWords(Math.abs(off))} ${off > 0 ? "old" : "ahead"} by this device's clock. More than 5 minutes either way is refused as stale.`;
}

function inWords(seconds: number): string {
  if (seconds < 7200) return `${Math.round(seconds / 60)} minutes`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} hours` : `${Math.round(seconds / 86_400)} days`;
}
