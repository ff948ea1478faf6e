import type { NewEvent } from "shared/db/event-kind";
import type { LearningLimits } from "./limits.ts";

/** What a run may still learn in full. */
export type Budget = Pick<LearningLimits, "payloads" | "bytes">;

export const isSpent = (budget: Budget): boolean => budget.payloads <= 0 || budget.bytes <= 0;

/**
 * The events whose payloads are read, and takes them off the budget. The newest of each name come first, and of those the shortest: one site's flood of
 * long ones takes nothing from the others.
 */
export function choosePayloads(events: readonly NewEvent[], budget: Budget, limits: LearningLimits): NewEvent[] {
  let bytes = Math.max(budget.bytes, limits.sampleBytes);
  const chosen = events
    .filter((event) => event.bytes !== null && event.bytes <= limits.payloadBytes)
    .toSorted((a, b) => a.newest - b.newest || (a.bytes ?? 0) - (b.bytes ?? 0))
    .filter((event, place) => place < budget.payloads || event.newest <= limits.samples)
    .filter((event) => (bytes -= event.bytes ?? 0) >= 0);
  budget.payloads -= chosen.length;
  budget.bytes = Math.min(budget.bytes, bytes);
  return chosen;
}
