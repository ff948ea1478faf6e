import { Button, Group } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { trpc } from "../../../trpc.ts";
import { ConfirmDialog } from "../../../ui/dialog/confirm-dialog.tsx";
import { Dialog } from "../../../ui/dialog/dialog.tsx";
import { EditRecipientForm } from "./edit-recipient-form.tsx";
import type { Recipient } from "./recipient.ts";

export function RecipientActions({ recipient }: { recipient: Recipient }) {
  const { id, siteId, phone, label } = recipient;
  const [isEditing, editing] = useDisclosure(false);
  const [isRemoving, removing] = useDisclosure(false);
  const cache = trpc.useUtils();
  const remove = trpc.recipients.remove.useMutation({ onSuccess: () => cache.recipients.list.invalidate({ siteId }) });
  return (
    <Group gap="xs" justify="flex-end" wrap="nowrap">
      <Button variant="default" size="compact-sm" onClick={editing.open} aria-label={`Edit ${phone}`}>
        Edit
      </Button>
      <Button variant="default" size="compact-sm" onClick={removing.open} aria-label={`Remove ${phone}`}>
        Remove
      </Button>
      <Dialog title={`Edit ${phone}`} opened={isEditing} onClose={editing.close}>
        <EditRecipientForm recipient={recipient} onDone={editing.close} />
      </Dialog>
      <ConfirmDialog
        title={`Remove ${phone}?`}
        action="Remove"
        opened={isRemoving}
        onClose={removing.close}
        onConfirm={() => remove.mutateAsync({ id })}
      >
        {label === "" ? "The phone" : label} gets no message to the site's list any more. To stop them for a while, switch the phone off
        instead.
      </ConfirmDialog>
    </Group>
  );
}
