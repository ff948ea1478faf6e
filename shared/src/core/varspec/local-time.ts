/** Making a format is slow, and an installation has few time zones: those of its accounts. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** `YYYY-MM-DD` in the time zone (IANA name; UTC when there is no such zone). */
export function localDate(at: Date, timezone: string): string {
  const { year, month, day } = partsOf(at, timezone);
  return `${year}-${month}-${day}`;
}

/** `YYYY-MM-DD HH:mm`, 00:00 to 23:59. */
export function localMinute(at: Date, timezone: string): string {
  const { year, month, day, hour, minute } = partsOf(at, timezone);
  return `${year}-${month}-${day} ${hour}:${minute}`;
}

type Parts = Record<"year" | "month" | "day" | "hour" | "minute", string>;

function partsOf(at: Date, timezone: string): Parts {
  const parts = Object.fromEntries(
    formatOf(timezone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  ) as Parts;
  return { ...parts, year: parts.year.padStart(4, "0") };
}

function formatOf(timezone: string): Intl.DateTimeFormat {
  let format = formats.get(timezone);
  if (format === undefined) {
    format = makeFormat(timezone);
    formats.set(timezone, format);
  }
  return format;
}

function makeFormat(timezone: string): Intl.DateTimeFormat {
  const digits = { year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
  try {
    return new Intl.DateTimeFormat("en-US", { ...digits, timeZone: timezone });
  } catch {
    return new Intl.DateTimeFormat("en-US", { ...digits, timeZone: "UTC" });
  }
}
