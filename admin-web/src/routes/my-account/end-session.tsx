import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { trpc } from "../../trpc.ts";
import { ConfirmDialog } from "../../ui/dialog/confirm-dialog.tsx";
import { deviceName } from "./device-name.ts";

export function EndSession({ id, userAgent }: { id: string; userAgent: string | null }) {
  const [opened, dialog] = useDisclosure(false);
  const cache = trpc.useUtils();
  const end = trpc.auth.revokeSession.useMutation({ onSettled: () => cache.auth.sessions.invalidate() });
  const device = deviceName(userAgent);
  return (
    <>
      <Button variant="default" size="compact-sm" onClick={dialog.open} aria-label={`End the session of ${device}`}>
        End
      </Button>
      <ConfirmDialog
        title="End this session?"
        action="End it"
        opened={opened}
        onClose={dialog.close}
        onConfirm={() => end.mutateAsync({ id })}
      >
        {device} is signed out at its next click.
      </ConfirmDialog>
    </>
  );
}
