import { Button, type ButtonProps, Popover, Stack } from "@mantine/core";
import IconDots from "@tabler/icons-react/dist/esm/icons/IconDots.mjs";
import type { ReactNode } from "react";
import { t } from "../language.ts";

/** The further actions of an object, behind "…" beside its title: buttons, whose dialogs stand above it and stay when it closes. */
export const MoreActions = ({ size = "sm", children }: { size?: ButtonProps["size"]; children: ReactNode }) => (
  <Popover position="bottom-end" keepMounted withinPortal={false} zIndex={190} transitionProps={{ duration: 0 }}>
    <Popover.Target>
      <Button variant="default" size={size} px="sm" aria-label={t("More")}>
        <IconDots size={18} aria-hidden />
      </Button>
    </Popover.Target>
    <Popover.Dropdown p="xs" aria-label={t("More")}>
      <Stack gap={4}>{children}</Stack>
    </Popover.Dropdown>
  </Popover>
);
