import type { NotificationStatus } from "shared/core/message";
import { LabelBadge } from "./label-badge.tsx";

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
