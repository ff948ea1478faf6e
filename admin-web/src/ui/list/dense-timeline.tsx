import { Timeline, type TimelineProps } from "@mantine/core";
import { type DroppedStatus, isDropped, type NotificationStatus, type ReportedStatus, statusFacts } from "shared/core/message";
import { sentenceCase } from "shared/core/text";
import { translated } from "../../language.ts";
import classes from "../base/ui.module.css";

/** A timeline with little space between its items. */
export const DenseTimeline = (props: TimelineProps) => <Timeline lineWidth={2} classNames={{ item: classes["item"] ?? "" }} {...props} />;

/** A step in the life of a message, as the API names it: `made` is the moment when it was queued; one that was dropped has no time of that. */
export type MessageStep = "made" | ReportedStatus | DroppedStatus;

export const stepFacts = (step: MessageStep) => statusFacts[statusOfStep(step)];

/** A message's status in words, as it stands alone. */
export const statusLabel = (status: NotificationStatus): string => sentenceCase(translated(statusFacts[status].label));

/** The step's name; a message that waits for its time, or waited, was not queued but scheduled. */
export const stepLabel = (
  step: MessageStep,
  { status, dueAt, resendOf }: { status: NotificationStatus; dueAt: string | null; resendOf: string | null },
): string =>
  step === "made" && (status === "scheduled" || (resendOf === null && (dueAt !== null || isDropped(status))))
    ? statusLabel("scheduled")
    : statusLabel(statusOfStep(step));

export const statusOfStep = (step: MessageStep): NotificationStatus => (step === "made" ? "queued" : step);
