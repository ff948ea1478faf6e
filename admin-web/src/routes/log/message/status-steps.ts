import type { statusWords } from "../../../ui/status-words.ts";

interface Life {
  status: string;
  createdAt: string;
  sentAt: string | null;
  deliveredAt: string | null;
  readAt: string | null;
  failedAt: string | null;
}

interface StatusStep {
  what: keyof typeof statusWords;
  /** ISO 8601; null of what has not happened yet, or was never told. */
  at: string | null;
}

/**
 * What happened to a message in its order, then what may still come. The platform tells whole seconds: a message was queued, then taken, whatever
 * the times say.
 */
export function statusSteps({ status, createdAt, sentAt, deliveredAt, readAt, failedAt }: Life): StatusStep[] {
  const begun: StatusStep[] = [
    { what: "made", at: createdAt },
    { what: "sent", at: sentAt },
  ];
  const reported: StatusStep[] = [
    { what: "delivered", at: deliveredAt },
    { what: "read", at: readAt },
    { what: "failed", at: failedAt },
  ];
  const hasHappened = ({ at }: StatusStep) => at !== null;
  const happened = [...begun.filter(hasHappened), ...reported.filter(hasHappened).toSorted((a, b) => timeOf(a) - timeOf(b))];
  if (status === "failed" || status === "read") return happened;
  const steps = [...begun, ...reported.slice(0, 2)];
  return [...happened, ...steps.slice(steps.findLastIndex(hasHappened) + 1)];
}

const timeOf = ({ at }: StatusStep): number => Date.parse(at ?? "");
