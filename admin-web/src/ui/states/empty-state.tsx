import { Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";

/** What stands in an empty place: what would be here, and how to begin. */
export function EmptyState({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Stack gap={4} p="lg" align="center" ta="center">
      <Text fw={600}>{title}</Text>
      <Text size="sm" c="dimmed" component="div" maw="32rem">
        {children}
      </Text>
    </Stack>
  );
}
