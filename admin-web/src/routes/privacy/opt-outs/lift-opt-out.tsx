import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { trpc } from "../../../trpc.ts";
import { ConfirmDialog } from "../../../ui/dialog/confirm-dialog.tsx";

export function LiftOptOut({ id, phone }: { id: string; phone: string | null }) {
  const [opened, dialog] = useDisclosure(false);
  const cache = trpc.useUtils();
  const lift = trpc.optOuts.lift.useMutation({ onSettled: () => cache.optOuts.list.invalidate() });
  const who = phone ?? "somebody forgotten";
  return (
    <>
      <Button variant="default" size="compact-sm" onClick={dialog.open} aria-label={`Lift the opt-out of ${who}`}>
        Lift
      </Button>
      <ConfirmDialog
        title="Write to this person again?"
        action="Lift the opt-out"
        opened={opened}
        onClose={dialog.close}
        onConfirm={() => lift.mutateAsync({ id })}
      >
        From the next event on {who} is written to again, until the next word to the contrary. Do so only when the person has asked for it.
        The audit notes that it was you.
      </ConfirmDialog>
    </>
  );
}
