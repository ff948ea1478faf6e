import { Group, Text } from "@mantine/core";
import { useState } from "react";
import { formatTimeIn } from "../../format.ts";

/** A zone with the time that it is there. */
export function TimeZoneOption({ value, label }: { value: string; label: string }) {
  const [time] = useState(() => formatTimeIn(value, Date.now()));
  return (
    <Group justify="space-between" gap="sm" wrap="nowrap" flex={1}>
      <span>{label}</span>
      <Text span size="xs" c="dimmed">
        {time}
      </Text>
    </Group>
  );
}
