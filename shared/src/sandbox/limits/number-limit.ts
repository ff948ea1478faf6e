const PER_SECOND = 80;

/** Whether the number may send one more message now; if so it counts. 80 a second, the platform's default (platform facts, section 6). */
export type NumberLimit = (phoneNumberId: string, now: number) => boolean;

export function createNumberLimit(): NumberLimit {
  const buckets = new Map<string, { tokens: number; at: number }>();
  return (phoneNumberId, now) => {
    const bucket = buckets.get(phoneNumberId) ?? { tokens: PER_SECOND, at: now };
    const tokens = Math.min(PER_SECOND, bucket.tokens + ((now - bucket.at) / 1000) * PER_SECOND);
    buckets.set(phoneNumberId, { tokens: tokens >= 1 ? tokens - 1 : tokens, at: now });
    return tokens >= 1;
  };
}
