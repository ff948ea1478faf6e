import { Button, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useNavigate } from "@tanstack/react-router";
import { paths } from "../../../paths.ts";
import { trpc } from "../../../trpc.ts";
import { ConfirmDialog } from "../../../ui/dialog/confirm-dialog.tsx";
import { Dialog } from "../../../ui/dialog/dialog.tsx";
import type { Template } from "../template.ts";
import { BindingList } from "./binding-list.tsx";

export function DeleteTemplate({ template }: { template: Template }) {
  const { id, name, language, status, platformId } = template;
  const [opened, dialog] = useDisclosure(false);
  const bindings = trpc.bindings.list.useQuery({ templateId: id, limit: 200 }).data?.items ?? [];
  const remove = useRemove();
  const title = `Delete ${name} in ${language}?`;
  return (
    <>
      <Button variant="default" onClick={dialog.open}>
        Delete
      </Button>
      {bindings.length > 0 ? (
        <Dialog title={`${name} is in use`} opened={opened} onClose={dialog.close}>
          <Stack gap="sm">
            <Text size="sm">Delete these bindings, or give them another template; then it can be deleted.</Text>
            <BindingList bindings={bindings} />
          </Stack>
        </Dialog>
      ) : (
        <ConfirmDialog
          title={title}
          action="Delete"
          typed={status === "approved" ? name : undefined}
          opened={opened}
          onClose={dialog.close}
          onConfirm={() => remove(id)}
        >
          {platformId === null
            ? "The draft is gone for good. The platform never had it."
            : "It is deleted here and on the platform, in this language only. The platform keeps its name locked for a while: about a minute if it was never approved, else 30 days."}
        </ConfirmDialog>
      )}
    </>
  );
}

function useRemove(): (id: string) => Promise<void> {
  const cache = trpc.useUtils();
  const navigate = useNavigate();
  const { mutateAsync } = trpc.templates.delete.useMutation({
    // Somebody may have bound it meanwhile: the dialog then says who.
    onError: () => cache.bindings.list.invalidate(),
  });
  return async (id) => {
    await mutateAsync({ id });
    await navigate({ to: paths.templates });
    await cache.templates.invalidate();
  };
}
