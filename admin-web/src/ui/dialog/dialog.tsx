import { Modal } from "@mantine/core";
import type { ReactNode } from "react";

interface DialogProps {
  title: string;
  opened: boolean;
  onClose: () => void;
  /** Whether it stays until a button in it is pressed. */
  insists?: boolean;
  size?: "md" | "lg";
  children: ReactNode;
}

/** A window over the page. A click beside it does not close it: what was typed would be lost. Its content is made anew each time it opens. */
export function Dialog({ title, opened, onClose, insists = false, size = "md", children }: DialogProps) {
  return (
    <Modal
      size={size}
      title={<strong>{title}</strong>}
      opened={opened}
      onClose={onClose}
      closeOnClickOutside={false}
      closeOnEscape={!insists}
      withCloseButton={!insists}
      closeButtonProps={{ "aria-label": "Close" }}
      centered
    >
      {children}
    </Modal>
  );
}
