import { Group } from "@mantine/core";
import { LabelBadge } from "../../../ui/label-badge.tsx";

/** What sets an event apart from one that is sent for good. */
export function EventBadges({ test, dryRun }: { test: boolean; dryRun: boolean }) {
  if (!test && !dryRun) return null;
  return (
    <Group component="span" gap={4} display="inline-flex">
      {test && <LabelBadge color="yellow">test</LabelBadge>}
      {dryRun && <LabelBadge color="violet">dry run</LabelBadge>}
    </Group>
  );
}
