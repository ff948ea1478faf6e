import { ActionIcon, Button, type ButtonProps, Menu } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import IconDots from "@tabler/icons-react/dist/esm/icons/IconDots.mjs";
import { createLink, type LinkComponent } from "@tanstack/react-router";
import { type ComponentPropsWithRef, type ReactNode, useState } from "react";
import { flushSync } from "react-dom";
import { t } from "../language.ts";
import { type AskedDialog, Dialog, InMenu } from "./dialogs.tsx";

interface MoreActionsProps {
  size?: ButtonProps["size"];
  /** The name of a row's or a card's menu, where "…" has no border. */
  label?: string;
  /** Items, and buttons with dialogs: in the menu these are items too. */
  children: ReactNode;
}

/** Further actions behind "…": a menu, which is gone when a dialog opens from it. */
export function MoreActions({ size = "sm", label, children }: MoreActionsProps) {
  const [asked, ask] = useState<AskedDialog | null>(null);
  const [opened, { open, close }] = useDisclosure(false);
  const show = (dialog: AskedDialog) => {
    // It is closed at first, so that it learns what had the focus.
    flushSync(() => ask(dialog));
    open();
  };
  return (
    <>
      <Menu position="bottom-end" transitionProps={{ duration: 0 }}>
        <Menu.Target>
          {label === undefined ? (
            <Button variant="default" size={size} aria-label={t("More")}>
              <IconDots size={18} aria-hidden />
            </Button>
          ) : (
            <ActionIcon variant="subtle" color="gray" c="var(--mantine-color-text)" size={30} aria-label={label}>
              <IconDots size={18} aria-hidden />
            </ActionIcon>
          )}
        </Menu.Target>
        <Menu.Dropdown aria-label={label ?? t("More")}>
          <InMenu value={show}>{children}</InMenu>
        </Menu.Dropdown>
      </Menu>
      {asked !== null && (
        <Dialog title={asked.title} opened={opened} onClose={close} size={asked.isWide === true ? "lg" : "md"}>
          {asked.children(close)}
        </Dialog>
      )}
    </>
  );
}

const ItemLink = (props: Pick<ComponentPropsWithRef<"a">, "href" | "ref" | "onClick" | "title" | "children">) => (
  <Menu.Item component="a" {...props} />
);

/** A typed router link among the items. */
export const MenuLink: LinkComponent<typeof ItemLink> = createLink(ItemLink);
