import { Group, Stack, Text, Title } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import type { ReactNode } from "react";

interface PageProps {
  title: string;
  /** What the page is for, in a sentence. */
  lead?: string;
  /** What can be done here: buttons. */
  actions?: ReactNode;
  children: ReactNode;
}

/** A signed-in page: its title, what can be done on it, and the rest. */
export function Page({ title, lead, actions, children }: PageProps) {
  useDocumentTitle(`${title} · Tidings`);
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-start" gap="sm">
        <div>
          <Title order={1} size="h2">
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
