import { ActionIcon, Button, type ButtonProps, Menu, Popover, Stack } from "@mantine/core";
import IconDots from "@tabler/icons-react/dist/esm/icons/IconDots.mjs";
import { type ReactNode, useRef, useState } from "react";
import { t } from "../language.ts";
import { LeaveMenu } from "./dialogs.tsx";
import classes from "./ui.module.css";

/** The further actions of an object, behind "…" beside its title: buttons, whose dialogs stand above it. A click in such a dialog does not close it: it would take the dialog along; its end does. */
export function MoreActions({ size = "sm", children }: { size?: ButtonProps["size"]; children: ReactNode }) {
  const [isOpen, open] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const leave = () => {
    open(false);
    button.current?.focus();
  };
  const change = (wanted: boolean) => open(wanted || document.querySelector('[role="dialog"][aria-modal="true"]') !== null);
  return (
    <Popover
      opened={isOpen}
      onChange={change}
      position="bottom-end"
      withinPortal={false}
      zIndex={190}
      transitionProps={{ duration: 0 }}
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <Button ref={button} variant="default" size={size} aria-label={t("More")} onClick={() => change(!isOpen)}>
          <IconDots size={18} aria-hidden />
        </Button>
      </Popover.Target>
      <Popover.Dropdown p={4} aria-label={t("More")}>
        <Stack gap={0} className={classes["more"] ?? ""}>
          <LeaveMenu value={leave}>{children}</LeaveMenu>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

/** The further actions of a row, behind "…": items of a menu. */
export const RowMenu = ({ label, children }: { label: string; children: ReactNode }) => (
  <Menu position="bottom-end">
    <Menu.Target>
      <ActionIcon variant="subtle" color="gray" c="var(--mantine-color-text)" aria-label={label}>
        <IconDots size={18} aria-hidden />
      </ActionIcon>
    </Menu.Target>
    <Menu.Dropdown>{children}</Menu.Dropdown>
  </Menu>
);
