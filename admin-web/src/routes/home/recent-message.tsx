import { Group, Text } from "@mantine/core";
import type { NotificationStatus } from "shared/core/notification-status";
import { Moment } from "../../ui/moment.tsx";
import { StatusBadge } from "../../ui/status-badge.tsx";
import classes from "./recent-messages.module.css";

interface RecentMessageProps {
  toPhone: string;
  template: string;
  language: string;
  status: NotificationStatus;
  createdAt: string;
  errorCode: string | null;
  errorReason: string | null;
}

export function RecentMessage({ toPhone, template, language, status, createdAt, errorCode, errorReason }: RecentMessageProps) {
  return (
    <li className={classes["item"]}>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text fw={600} truncate>
          {toPhone}
        </Text>
        <StatusBadge status={status} />
      </Group>
      <Text size="sm" c="dimmed" className={classes["detail"]}>
        {template} ({language}), <Moment at={createdAt} />
      </Text>
      {status === "failed" && (
        <Text size="sm" c="var(--mantine-color-error)" className={classes["detail"]}>
          {errorCode}: {errorReason}
        </Text>
      )}
    </li>
  );
}
