import type { SandboxOptions } from "../options.ts";
import type { Behaviour } from "./magic-numbers.ts";

export type ReportedStatus = "sent" | "delivered" | "read" | "failed";

/** One status that the callback will be told: when it happened, and when it is told. Milliseconds since 1970. */
export interface Report {
  status: ReportedStatus;
  at: number;
  dueAt: number;
}

/** All that will happen to a message, known when it is accepted. A null instant never comes. */
export interface ReportPlan {
  sentAt: number | null;
  deliveredAt: number | null;
  readAt: number | null;
  failedAt: number | null;
  reports: Report[];
}

/** The second copy of a status comes that much later, so that it travels in a call of its own. */
const COPY_AFTER_MS = 300;

export function planReports(reports: Behaviour["reports"], acceptedAt: number, options: SandboxOptions): ReportPlan {
  const begin = reports === "held" ? acceptedAt + options.slowMs : acceptedAt;
  const haste = reports === "at_once" ? 0 : 1;
  const sentAt = begin + options.sentAfterMs * haste;
  const deliveredAt = begin + options.deliveredAfterMs * haste;
  const readAt = begin + options.readAfterMs * haste;
  const plan: ReportPlan = { sentAt, deliveredAt, readAt, failedAt: null, reports: [] };
  const tell = (status: ReportedStatus, at: number, dueAt = at): Report => ({ status, at, dueAt });
  const [sent, delivered, read] = [tell("sent", sentAt), tell("delivered", deliveredAt), tell("read", readAt)];
  switch (reports) {
    case "usual":
    case "held":
    case "at_once":
      return { ...plan, reports: [sent, delivered, read] };
    case "none":
      return plan;
    case "unread":
      return { ...plan, readAt: null, reports: [sent, delivered] };
    case "undelivered_read":
      return { ...plan, deliveredAt: readAt, reports: [sent, read] };
    case "sent_last":
      return { ...plan, reports: [delivered, read, tell("sent", sentAt, readAt + COPY_AFTER_MS)] };
    case "twice":
      return { ...plan, reports: [sent, delivered, read].flatMap((one) => [one, tell(one.status, one.at, one.dueAt + COPY_AFTER_MS)]) };
    case "failed":
      return { sentAt: null, deliveredAt: null, readAt: null, failedAt: sentAt, reports: [tell("failed", sentAt)] };
    case "failed_then_delivered":
      return { ...plan, readAt: null, failedAt: sentAt, reports: [tell("failed", sentAt), delivered] };
  }
}
