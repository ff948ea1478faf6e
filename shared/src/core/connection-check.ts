/** The checks of the platform's connection, in order: a failed check explains the failures of those behind it. */
export const connectionChecks = [
  "access token",
  "phone number",
  "business account",
  "phone number's business account",
  "template access",
  "status updates",
] as const;
export type ConnectionCheck = (typeof connectionChecks)[number];

/** A failed check: which one, why, and what to do. */
export interface FailedCheck {
  check: ConnectionCheck;
  reason: string;
}

export const describeFailedCheck = ({ check, reason }: FailedCheck): string => `Check of the ${check} failed. ${reason}`;
