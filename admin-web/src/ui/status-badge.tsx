import { Badge } from "@mantine/core";
import type { CSSProperties, ReactNode } from "react";
import { isDropped, type NotificationStatus, type ReportedStatus, statusFacts, type Tone } from "shared/core/message";
import { translated } from "../language.ts";
import classes from "./status.module.css";

/** The status of a message. */
export const StatusBadge = ({ status }: { status: NotificationStatus }) => (
  <Status tone={statusFacts[status].tone}>{translated(status)}</Status>
);

/** The one badge of every list: a dot, and a word in sentence case, which alone must be enough. */
export const Status = ({ tone, children }: { tone: Tone; children: ReactNode }) => (
  <span className={classes["status"]} data-tone={tone} style={{ "--tone": toneColor(tone) } as CSSProperties}>
    <span className={classes["word"]}>{children}</span>
  </span>
);

/** The colour of a tone in both schemes, as a CSS value, for charts and lines. */
export const toneColor = (tone: Tone): string => `var(--status-${tone})`;

/** A small outlined label of what something is, not of how it stands: see `Status` for that. */
export const LabelBadge = ({ children }: { children: ReactNode }) => (
  <Badge variant="outline" color="gray" c="var(--mantine-color-text)" tt="none" fw={500} miw="max-content">
    <span className={classes["word"]}>{children}</span>
  </Badge>
);

/** A step in the life of a message, as the API names it: `made` is the moment when it was queued. */
export type MessageStep = "made" | ReportedStatus;

export const stepFacts = (step: MessageStep) => statusFacts[statusOfStep(step)];

/** The step's name; a message that waits for its time, or waited, was not queued but scheduled. */
export const stepLabel = (step: MessageStep, { status, dueAt }: { status: NotificationStatus; dueAt: string | null }): string =>
  step === "made" && (dueAt !== null || status === "scheduled" || isDropped(status))
    ? translated(statusFacts.scheduled.label)
    : translated(stepFacts(step).label);

export const statusOfStep = (step: MessageStep): NotificationStatus => (step === "made" ? "queued" : step);
