import { Anchor, Box, Group, Stack, Text, Title } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

interface PageProps {
  title: string;
  /** What the page is for, in a sentence. */
  lead?: string;
  /** The page above this one. */
  back?: { to: string; label: string };
  /** What can be done here: buttons. */
  actions?: ReactNode;
  children: ReactNode;
}

/** A signed-in page: its title, what can be done on it, and the rest. */
export function Page({ title, lead, back, actions, children }: PageProps) {
  useDocumentTitle(`${title} · Tidings`);
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-start" gap="sm">
        <Box miw={0}>
          {back !== undefined && (
            <Anchor component={Link} to={back.to} size="sm">
              ← {back.label}
            </Anchor>
          )}
          {/* A name of the account's own may be one long word. */}
          <Title order={1} size="h2" style={{ overflowWrap: "anywhere" }}>
            {title}
          </Title>
          {lead !== undefined && (
            <Text size="sm" c="dimmed" maw="40rem">
              {lead}
            </Text>
          )}
        </Box>
        {actions}
      </Group>
      {children}
    </Stack>
  );
}
