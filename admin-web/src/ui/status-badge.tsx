import { Badge } from "@mantine/core";
import IconCheck from "@tabler/icons-react/dist/esm/icons/IconCheck.mjs";
import IconChecks from "@tabler/icons-react/dist/esm/icons/IconChecks.mjs";
import type { ReactNode } from "react";
import { hasArrived, isDropped, type NotificationStatus, type ReportedStatus, statusFacts } from "shared/core/message";
import { translated } from "../language.ts";

/** A message's status, with the ticks of the phone: one once WhatsApp has it, two once the phone has it, and filled once it is read. */
export function StatusBadge({ status }: { status: NotificationStatus }) {
  const { color, phase } = statusFacts[status];
  const Ticks = phase !== "accepted" ? null : hasArrived(status) ? IconChecks : IconCheck;
  const ticks = Ticks !== null && { leftSection: <Ticks size={12} stroke={2.5} aria-hidden /> };
  if (status === "read")
    return (
      <Badge variant="filled" color={color} tt="none" fw={500} miw="max-content" {...ticks}>
        {translated(status)}
      </Badge>
    );
  return (
    <LabelBadge color={color} {...ticks}>
      {translated(status)}
    </LabelBadge>
  );
}

/** A small outlined label. Colour is decoration: the text alone must be enough. */
export function LabelBadge({ color = "gray", children, ...more }: { color?: string; leftSection?: ReactNode; children: ReactNode }) {
  return (
    <Badge variant="outline" color={color} c="var(--mantine-color-text)" tt="none" fw={500} miw="max-content" {...more}>
      {children}
    </Badge>
  );
}

/** A step in the life of a message, as the API names it: `made` is the moment when it was queued. */
export type MessageStep = "made" | ReportedStatus;

export const stepFacts = (step: MessageStep) => statusFacts[statusOfStep(step)];

/** The step's name; a message that waits for its time, or waited, was not queued but scheduled. */
export const stepLabel = (step: MessageStep, { status, dueAt }: { status: NotificationStatus; dueAt: string | null }): string =>
  step === "made" && (dueAt !== null || status === "scheduled" || isDropped(status))
    ? translated(statusFacts.scheduled.label)
    : translated(stepFacts(step).label);

export const statusOfStep = (step: MessageStep): NotificationStatus => (step === "made" ? "queued" : step);
