import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { trpc } from "../../trpc.ts";
import { ConfirmDialog } from "../../ui/dialog/confirm-dialog.tsx";

export function RevokeToken({ id, name }: { id: string; name: string }) {
  const [opened, dialog] = useDisclosure(false);
  const cache = trpc.useUtils();
  const revoke = trpc.tokens.revoke.useMutation({ onSettled: () => cache.tokens.list.invalidate() });
  return (
    <>
      <Button variant="default" size="compact-sm" onClick={dialog.open} aria-label={`Revoke ${name}`}>
        Revoke
      </Button>
      <ConfirmDialog
        title={`Revoke ${name}?`}
        action="Revoke"
        opened={opened}
        onClose={dialog.close}
        onConfirm={() => revoke.mutateAsync({ id })}
      >
        Programs that use it are refused from the next call on. It cannot be brought back.
      </ConfirmDialog>
    </>
  );
}
