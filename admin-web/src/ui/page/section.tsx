import { Group, Stack, Text, Title } from "@mantine/core";
import { useId, type ReactNode } from "react";

interface SectionProps {
  title: string;
  lead?: string;
  actions?: ReactNode;
  children: ReactNode;
}

/** A part of a page under a heading of its own. */
export function Section({ title, lead, actions, children }: SectionProps) {
  const id = useId();
  return (
    <Stack component="section" gap="sm" miw={0} aria-labelledby={id}>
      <Group justify="space-between" align="flex-end" gap="sm">
        <div>
          <Title order={2} size="h4" id={id}>
            {title}
          </Title>
          {lead !== undefined && (
            <Text size="sm" c="dimmed" maw="40rem">
              {lead}
            </Text>
          )}
        </div>
        {actions}
      </Group>
      {children}
    </Stack>
  );
}
