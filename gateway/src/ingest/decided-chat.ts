import { outcome } from "shared/core/event";
import type { Plan } from "shared/core/plan";
import { isSendable } from "./wave.ts";

/** The answer's `chat` when it can be said before the platform is asked, else null. In a dry run: what live would answer if it accepted every message. */
export function decidedChat(planned: Plan, dryRun: boolean): string | null {
  if (planned.skip) return planned.skip;
  const sendable = planned.messages.filter(isSendable).length;
  if (sendable > 0 && !dryRun) return null;
  return outcome(sendable, planned.messages.length - sendable);
}
