import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { trpc } from "../../trpc.ts";
import { ConfirmDialog } from "../../ui/dialog/confirm-dialog.tsx";

export function SignOutEverywhere() {
  const [opened, dialog] = useDisclosure(false);
  const cache = trpc.useUtils();
  const signOut = trpc.auth.signOutEverywhere.useMutation({ onSuccess: () => cache.auth.state.invalidate() });
  return (
    <>
      <Button variant="default" onClick={dialog.open}>
        Sign out everywhere
      </Button>
      <ConfirmDialog
        title="Sign out everywhere?"
        action="Sign out"
        opened={opened}
        onClose={dialog.close}
        onConfirm={() => signOut.mutateAsync()}
      >
        Every session of yours ends, this one too. Access tokens stay.
      </ConfirmDialog>
    </>
  );
}
