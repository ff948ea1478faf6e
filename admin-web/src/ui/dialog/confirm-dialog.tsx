import type { ReactNode } from "react";
import { ConfirmForm } from "./confirm-form.tsx";
import { Dialog } from "./dialog.tsx";

interface ConfirmDialogProps {
  /** The question. */
  title: string;
  /** What the button does, in a word or two. */
  action: string;
  /** What has to be typed first, where a slip would cost much. */
  typed?: string | undefined;
  opened: boolean;
  onClose: () => void;
  /** Rejects when it was refused; the dialog then stays and says why. */
  onConfirm: () => Promise<unknown>;
  /** What will come of it. */
  children: ReactNode;
}

/** Asks before something that cannot be taken back. */
export function ConfirmDialog({ title, opened, onClose, children, ...rest }: ConfirmDialogProps) {
  return (
    <Dialog title={title} opened={opened} onClose={onClose}>
      <ConfirmForm onClose={onClose} {...rest}>
        {children}
      </ConfirmForm>
    </Dialog>
  );
}
