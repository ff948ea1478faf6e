/** What an event came to, from its recipients' counts. For an event that nobody was to get, see `Plan.skip`. */
export type Outcome = "sent" | "partial" | "failed";

export function outcome(sent: number, failed: number): Outcome {
  if (sent === 0) return "failed";
  return failed === 0 ? "sent" : "partial";
}
