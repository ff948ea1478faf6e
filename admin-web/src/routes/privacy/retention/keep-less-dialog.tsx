import { ConfirmDialog } from "../../../ui/dialog/confirm-dialog.tsx";
import type { Retention } from "./retention.ts";

interface KeepLessDialogProps {
  /** What was asked for; null while nothing is. */
  wanted: Retention | null;
  onClose: () => void;
  onConfirm: (wanted: Retention) => Promise<unknown>;
}

/** Asks before a change that lets something be removed. */
export function KeepLessDialog({ wanted, onClose, onConfirm }: KeepLessDialogProps) {
  return (
    <ConfirmDialog
      title="Keep less?"
      action="Keep less"
      opened={wanted !== null}
      onClose={onClose}
      onConfirm={async () => wanted && onConfirm(wanted)}
    >
      Payloads older than {wanted?.payloadDays} days and the log older than {wanted?.logDays} days are removed within about an hour, and
      nobody can bring them back.
    </ConfirmDialog>
  );
}
