import type { Said, Write } from "./wording.ts";

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

/** The names of the checks on pages. */
export const checkNames: Record<ConnectionCheck, (t: Write) => string> = {
  "access token": (t) => t("access token"),
  "phone number": (t) => t("phone number"),
  "business account": (t) => t("business account"),
  "phone number's business account": (t) => t("phone number's business account"),
  "template access": (t) => t("template access"),
  "status updates": (t) => t("status updates"),
};

/** A failed check, with the reason and the remedy. */
export interface FailedCheck {
  check: ConnectionCheck;
  reason: string;
  /** The reason as data. */
  said: Said;
}

export const describeFailedCheck = ({ check, reason }: Pick<FailedCheck, "check" | "reason">): string =>
  `Check of the ${check} failed. ${reason}`;
