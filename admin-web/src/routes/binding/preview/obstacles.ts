import type { Outputs } from "../../../trpc.ts";

/** What stands in the way of sending, each once: what the binding lacks is told as the binding itself tells it, and not again as what came of it. */
export function obstacles({
  reasons,
  unresolved,
  problems,
}: Pick<Outputs["bindings"]["preview"], "reasons" | "unresolved" | "problems">): string[] {
  const others = reasons.filter((reason) => !reason.startsWith("The template ") && !unresolved.some((slot) => reason.startsWith(slot)));
  return [...others, ...unresolved.filter((slot) => !slot.endsWith(": not in the variable map")), ...problems];
}
