import { Badge } from "@mantine/core";
import type { NotificationStatus } from "shared/core/notification-status";

const colors: Record<NotificationStatus, string> = {
  queued: "gray",
  sending: "gray",
  sent: "blue",
  delivered: "teal",
  read: "teal",
  failed: "red",
};

/** A message's status: the word itself, since a colour alone tells not everybody. */
export function StatusBadge({ status }: { status: NotificationStatus }) {
  return (
    <Badge variant="outline" color={colors[status]} c="var(--mantine-color-text)" tt="none" fw={500} miw={80}>
      {status}
    </Badge>
  );
}
