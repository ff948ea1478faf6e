import names from "./check-names.json" with { type: "json" };
import type { Said, Write } from "./wording.ts";

/** The checks of the platform's connection, in order. One that fails ends them where those behind it could only fail for the same reason. */
export const connectionChecks = Object.keys(names) as ConnectionCheck[];
export type ConnectionCheck = keyof typeof names;

/** The name of a check on pages. */
export const checkName = (check: ConnectionCheck, write: Write): string => write(names[check]);

/** The fields of the app's webhook that tell of the account. */
export const accountFields: readonly string[] = (
  "account_update account_alerts account_review_update business_capability_update phone_number_quality_update phone_number_name_update " +
  "template_correct_category_detection"
).split(" ");

/** The fields of the app's webhook to subscribe to. */
export const webhookFields: readonly string[] = (
  "messages user_preferences message_template_status_update message_template_quality_update message_template_components_update " +
  "template_category_update"
)
  .split(" ")
  .concat(accountFields);

/** `skipped`: not made, or the platform does not say. */
export type CheckState = "passed" | "warning" | "failed" | "skipped";

export interface CheckResult {
  check: ConnectionCheck;
  state: CheckState;
  /** What was found, with the remedy where something is wrong; in English, and as data. */
  reason?: string;
  said?: Said;
}

/** A failed check, with the reason and the remedy. */
export type FailedCheck = Required<Omit<CheckResult, "state">>;

/** What the platform says of the number, in its own words; null where it does not say. */
export interface NumberHealth {
  /** `GREEN`, `YELLOW` or `RED`. */
  quality: string | null;
  /** The people that may be written to in 24 hours, such as `TIER_250`. */
  limit: string | null;
  /** `STANDARD` or `HIGH`. */
  throughput: string | null;
  nameStatus: string | null;
  /** The address to which callbacks of this number, or of its business account, go instead of the app's; the more specific one. */
  override: string | null;
  /** The platform's remarks on a number that may send, but not freely. */
  notes: string[];
}

export const unknownHealth: NumberHealth = { quality: null, limit: null, throughput: null, nameStatus: null, override: null, notes: [] };

/** The people of a limit such as `TIER_2K`; null where there is none, or none is known. */
export function peopleOf(limit: string | null): number | null {
  const [, digits, thousand] = /^(?:TIER_)?(\d{1,9})(K?)$/.exec(limit ?? "") ?? [];
  return digits === undefined ? null : Number(digits) * (thousand === "K" ? 1_000 : 1);
}

/** The part of its limit from which a number is near it. */
export const nearShare = 0.8;

export const describeFailedCheck = ({ check, reason }: Pick<FailedCheck, "check" | "reason">) => `Check of the ${check} failed. ${reason}`;
