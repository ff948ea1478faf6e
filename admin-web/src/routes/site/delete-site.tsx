import { Button, Card, Group, List, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useNavigate } from "@tanstack/react-router";
import { paths } from "../../paths.ts";
import { trpc } from "../../trpc.ts";
import { ConfirmDialog } from "../../ui/dialog/confirm-dialog.tsx";
import { Section } from "../../ui/page/section.tsx";
import type { Site } from "./site.ts";

export function DeleteSite({ site: { id, name } }: { site: Site }) {
  const [opened, dialog] = useDisclosure(false);
  const navigate = useNavigate();
  const cache = trpc.useUtils();
  const remove = trpc.sites.delete.useMutation();
  const confirm = async () => {
    await remove.mutateAsync({ id });
    await cache.sites.list.invalidate();
    // What stands unsaved in the page's forms has no site any more.
    await navigate({ to: paths.sites, ignoreBlocker: true });
  };
  return (
    <Section title="Delete">
      <Card withBorder>
        <Group justify="space-between" gap="sm">
          <Text size="sm">To stop it for a while, disable it instead.</Text>
          <Button variant="default" onClick={dialog.open}>
            Delete the site
          </Button>
        </Group>
      </Card>
      <ConfirmDialog title={`Delete ${name}?`} action="Delete" typed={name} opened={opened} onClose={dialog.close} onConfirm={confirm}>
        <List size="sm" spacing="xs">
          <List.Item>At once its key and secret end: events are refused with 401.</List.Item>
          <List.Item>Its bindings, recipients and test phone are deleted, and cannot be brought back.</List.Item>
          <List.Item>Its events and messages stay in the log until their retention ends.</List.Item>
        </List>
      </ConfirmDialog>
    </Section>
  );
}
