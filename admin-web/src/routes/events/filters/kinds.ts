import type { EventFilters } from "../events-search.ts";

type Flags = Pick<EventFilters, "test" | "dryRun">;

/** Which events are meant by what they were sent for. */
export const kinds = {
  any: { label: "Any kind", flags: {} },
  live: { label: "Live", flags: { test: false, dryRun: false } },
  test: { label: "Tests", flags: { test: true } },
  dryRun: { label: "Dry runs", flags: { dryRun: true } },
} satisfies Record<string, { label: string; flags: Flags }>;

export type Kind = keyof typeof kinds;

/** The one that fits the filters best. */
export function kindOf({ test, dryRun }: Flags): Kind {
  if (dryRun === true) return "dryRun";
  if (test === true) return "test";
  return test === false || dryRun === false ? "live" : "any";
}
