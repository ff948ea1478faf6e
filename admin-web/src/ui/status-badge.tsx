import { Badge } from "@mantine/core";
import type { ReactNode } from "react";
import { type NotificationStatus, type ReportedStatus, statusFacts } from "shared/core/message";

export function StatusBadge({ status }: { status: NotificationStatus }) {
  return <LabelBadge color={statusFacts[status].color}>{status}</LabelBadge>;
}

/** A small outlined label. Colour is decoration: the text alone must be enough. */
export function LabelBadge({ color = "gray", children }: { color?: string; children: ReactNode }) {
  return (
    <Badge variant="outline" color={color} c="var(--mantine-color-text)" tt="none" fw={500} miw="max-content">
      {children}
    </Badge>
  );
}

/** A step in the life of a message, as the API names it: `made` is the moment when it was queued. */
export type MessageStep = "made" | ReportedStatus;

export const stepFacts = (step: MessageStep) => statusFacts[statusOfStep(step)];

/** The step's name; a message that waits for its time, or waited, was not queued but scheduled. */
export const stepLabel = (step: MessageStep, { status, dueAt }: { status: NotificationStatus; dueAt: string | null }): string =>
  step === "made" && (dueAt !== null || status === "scheduled" || status === "cancelled")
    ? statusFacts.scheduled.label
    : stepFacts(step).label;

export const statusOfStep = (step: MessageStep): NotificationStatus => (step === "made" ? "queued" : step);
