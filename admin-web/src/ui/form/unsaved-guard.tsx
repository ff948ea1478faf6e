import { Button, Group, Stack, Text } from "@mantine/core";
import { useBlocker } from "@tanstack/react-router";
import { Dialog } from "../dialog/dialog.tsx";

interface UnsavedGuardProps {
  isUnsaved: () => boolean;
  /** What would be lost, where it is not what was entered. */
  loss?: string;
}

/** Asks before the page is left while `isUnsaved` says that something would be lost. */
export function UnsavedGuard({ isUnsaved, loss = "What you have entered here is not saved and will be lost." }: UnsavedGuardProps) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && isUnsaved(),
    enableBeforeUnload: isUnsaved,
    withResolver: true,
  });
  const stay = () => blocker.reset?.();
  return (
    <Dialog title="Leave without saving?" opened={blocker.status === "blocked"} onClose={stay}>
      <Stack gap="md">
        <Text size="sm">{loss}</Text>
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={() => blocker.proceed?.()}>
            Leave
          </Button>
          <Button data-autofocus onClick={stay}>
            Stay here
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
