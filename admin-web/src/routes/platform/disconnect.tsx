import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { trpc } from "../../trpc.ts";
import { ConfirmDialog } from "../../ui/dialog/confirm-dialog.tsx";

export function Disconnect() {
  const [opened, dialog] = useDisclosure(false);
  const cache = trpc.useUtils();
  const update = trpc.settings.update.useMutation({ onSuccess: (settings) => cache.settings.get.setData(undefined, settings) });
  return (
    <>
      <Button variant="default" onClick={dialog.open}>
        Disconnect
      </Button>
      <ConfirmDialog
        title="Disconnect the platform?"
        action="Disconnect"
        opened={opened}
        onClose={dialog.close}
        onConfirm={() => update.mutateAsync({ platform: null })}
      >
        The stored credentials are deleted. Events are still taken and stored, and nothing is sent, until the account is connected again.
        Sites, templates, bindings and the log stay.
      </ConfirmDialog>
    </>
  );
}
