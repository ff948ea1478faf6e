/** What a test of the platform's connection looks at, in the order in which a failure explains those behind it. */
export const connectionChecks = [
  "access token",
  "phone number",
  "business account",
  "phone number's business account",
  "template access",
  "status updates",
] as const;
export type ConnectionCheck = (typeof connectionChecks)[number];

/** A failed check in words: which one, why, and what to do. */
export const describeFailedCheck = (check: ConnectionCheck, reason: string): string => `Check of the ${check} failed. ${reason}`;

/** The check and the reason that such words name; null for other words. */
export function readFailedCheck(error: string): { check: ConnectionCheck; reason: string } | null {
  const [, name, reason] = /^Check of the (.+?) failed\. ([^]*)$/.exec(error) ?? [];
  const check = connectionChecks.find((each) => each === name);
  return check === undefined || reason === undefined ? null : { check, reason };
}
