import { hourMs } from "../durations.ts";
import type { RefusedBecause } from "../refused.ts";

/** The refusals of requests that do not prove who sends them. */
export const proofRefusals = [
  "invalid_signature",
  "secret_empty",
  "signed_timestamp_required",
  "missing_timestamp",
  "stale_timestamp",
] as const satisfies readonly RefusedBecause[];

/** How a site's requests prove who sends them. */
export interface ProofFacts {
  /** The last valid request; null before the first. */
  validAt: Date | null;
  /** Requests of the last ten minutes: refused ones, valid ones, and valid ones that came between refused ones. */
  refused: number;
  valid: number;
  between: number;
  /** Refused requests since the last valid one, and the first of them. */
  since: number;
  firstSince: Date | null;
  /** The last refused request. */
  lastRefused: Date;
  /** Whether an alert of the site's ended within the hour. */
  endedLately: boolean;
}

/** The fewest refused requests in ten minutes, and over an hour or more. */
const fewestAtOnce = 5;
const fewestInHour = 3;

const mostlyRefused = ({ refused, valid }: ProofFacts): boolean => refused >= fewestAtOnce && refused > valid;

/**
 * Whether people are alerted: of at least five refused requests in ten minutes, and more than half, or three over an hour with none valid between. It ends
 * with the first valid request after them; if valid ones came between, once they are half. Within an hour of its end it takes five in a row, so that
 * somebody who posts rubbish between a shop's requests makes no alert again and again.
 */
export function isProofAlert(facts: ProofFacts, wasAlert: boolean): boolean {
  const { refused, valid, between, since, firstSince, lastRefused, endedLately } = facts;
  if (wasAlert) return since > 0 || (between > 0 && refused > valid);
  const isLong = since >= fewestInHour && firstSince !== null && lastRefused.getTime() - firstSince.getTime() >= hourMs;
  return isLong || (endedLately ? Math.min(since, refused) >= fewestAtOnce : mostlyRefused(facts));
}

/** Whether to tell those who ask: of a site that was never connected, from the first refused request on; not after what mends it. */
export const isProofProblem = (facts: ProofFacts): boolean =>
  facts.since >= (facts.validAt === null ? 1 : fewestInHour) || (mostlyRefused(facts) && facts.since + facts.between > 0);
