import { Badge } from "@mantine/core";
import type { ReactNode } from "react";
import type { NotificationStatus } from "shared/core/message";

const colors: Record<NotificationStatus, string> = {
  queued: "gray",
  sending: "gray",
  sent: "blue",
  delivered: "teal",
  read: "teal",
  failed: "red",
};

/** A message's status. */
export function StatusBadge({ status }: { status: NotificationStatus }) {
  return <LabelBadge color={colors[status]}>{status}</LabelBadge>;
}

/** A word about a thing, such as its state. The colour only repeats what the word says: it tells not everybody. */
export function LabelBadge({ color = "gray", children }: { color?: string; children: ReactNode }) {
  return (
    <Badge variant="outline" color={color} c="var(--mantine-color-text)" tt="none" fw={500} miw="max-content">
      {children}
    </Badge>
  );
}

/** What happened to a message, each in few words. */
export const statusWords = {
  made: "Queued",
  sent: "Taken by the platform",
  delivered: "Delivered to the phone",
  read: "Read",
  failed: "Failed",
} as const;

export const statusColors = { made: "gray", sent: "blue", delivered: "teal", read: "teal", failed: "red" } as const;
