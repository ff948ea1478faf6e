import { Button, type ButtonProps, Popover, Stack } from "@mantine/core";
import IconDots from "@tabler/icons-react/dist/esm/icons/IconDots.mjs";
import { type ReactNode, useState } from "react";
import { t } from "../language.ts";

/** The further actions of an object, behind "…" beside its title: buttons, whose dialogs stand above it. A click in such a dialog does not close it: it would take the dialog along. */
export function MoreActions({ size = "sm", children }: { size?: ButtonProps["size"]; children: ReactNode }) {
  const [isOpen, open] = useState(false);
  const change = (wanted: boolean) => open(wanted || document.querySelector('[role="dialog"][aria-modal="true"]') !== null);
  return (
    <Popover opened={isOpen} onChange={change} position="bottom-end" withinPortal={false} zIndex={190} transitionProps={{ duration: 0 }}>
      <Popover.Target>
        <Button variant="default" size={size} px="sm" aria-label={t("More")} onClick={() => change(!isOpen)}>
          <IconDots size={18} aria-hidden />
        </Button>
      </Popover.Target>
      <Popover.Dropdown p="xs" aria-label={t("More")}>
        <Stack gap={4}>{children}</Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
