import { Card, Center, Group, Stack, Text, Title } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import type { ReactNode } from "react";
import { ColorSchemeButton } from "../color-scheme-button.tsx";

interface CardPageProps {
  title: string;
  lead?: string;
  children: ReactNode;
}

/** A page that is one card in the middle: signing in and the like. */
export function CardPage({ title, lead, children }: CardPageProps) {
  useDocumentTitle(`${title} · Tidings`);
  return (
    <Center component="main" mih="100vh" p="md">
      <Card withBorder padding="lg" w="100%" maw={420}>
        <Stack gap="md">
          <Group justify="space-between">
            <Text fw={700} c="var(--mantine-color-anchor)">
              Tidings
            </Text>
            <ColorSchemeButton />
          </Group>
          <div>
            <Title order={1} size="h2">
              {title}
            </Title>
            {lead !== undefined && (
              <Text c="dimmed" size="sm">
                {lead}
              </Text>
            )}
          </div>
          {children}
        </Stack>
      </Card>
    </Center>
  );
}
