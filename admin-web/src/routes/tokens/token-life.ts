const dayMs = 86_400_000;

/** How long a token may be good for, by the number of days; empty: until it is revoked. */
export const tokenLives = [
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
  { value: "365", label: "a year" },
  { value: "", label: "until it is revoked" },
];

/** ISO 8601, null for no end. */
export const endOfLife = (days: string, now: number): string | null =>
  days === "" ? null : new Date(now + Number(days) * dayMs).toISOString();
