import { Button, Group } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Link, useNavigate } from "@tanstack/react-router";
import { paths } from "../../paths.ts";
import { trpc } from "../../trpc.ts";
import { ConfirmDialog } from "../../ui/dialog/confirm-dialog.tsx";
import type { Binding } from "./use-binding-form.ts";

/** What can be done with a binding beside changing it. */
export function BindingActions({ binding }: { binding: Binding }) {
  const [opened, dialog] = useDisclosure(false);
  const navigate = useNavigate();
  const cache = trpc.useUtils();
  const remove = trpc.bindings.delete.useMutation();
  const { id, event } = binding;
  return (
    <Group gap="sm">
      <Button variant="default" renderRoot={(props) => <Link to={paths.newBinding} search={{ copyOf: id }} {...props} />}>
        Duplicate for another event
      </Button>
      <Button variant="default" onClick={dialog.open}>
        Delete
      </Button>
      <ConfirmDialog
        title={`Delete this binding of ${event}?`}
        action="Delete"
        opened={opened}
        onClose={dialog.close}
        onConfirm={async () => {
          await remove.mutateAsync({ id });
          void cache.bindings.list.invalidate();
          void navigate({ to: paths.bindings, ignoreBlocker: true });
        }}
      >
        Events of that name no longer send {binding.template}. To pause it instead, switch it off. What was sent stays in the log.
      </ConfirmDialog>
    </Group>
  );
}
