import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { trpc } from "../../trpc.ts";
import { ConfirmDialog } from "../../ui/dialog/confirm-dialog.tsx";

export function RevokeInvitation({ id, email }: { id: string; email: string }) {
  const [opened, dialog] = useDisclosure(false);
  const cache = trpc.useUtils();
  const revoke = trpc.users.invites.revoke.useMutation({ onSettled: () => cache.users.invites.list.invalidate() });
  return (
    <>
      <Button variant="default" size="compact-sm" onClick={dialog.open} aria-label={`Take back the invitation of ${email}`}>
        Take back
      </Button>
      <ConfirmDialog
        title="Take the invitation back?"
        action="Take it back"
        opened={opened}
        onClose={dialog.close}
        onConfirm={() => revoke.mutateAsync({ id })}
      >
        The link for {email} stops working at once.
      </ConfirmDialog>
    </>
  );
}
