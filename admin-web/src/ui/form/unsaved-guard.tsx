import { Button, Group, Stack, Text } from "@mantine/core";
import { useBlocker } from "@tanstack/react-router";
import { Dialog } from "../dialog/dialog.tsx";

/** Asks before the page is left while `isUnsaved` says that something would be lost. */
export function UnsavedGuard({ isUnsaved }: { isUnsaved: () => boolean }) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && isUnsaved(),
    enableBeforeUnload: isUnsaved,
    withResolver: true,
  });
  const stay = () => blocker.reset?.();
  return (
    <Dialog title="Leave without saving?" opened={blocker.status === "blocked"} onClose={stay}>
      <Stack gap="md">
        <Text size="sm">What you have entered here is not saved and will be lost.</Text>
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
