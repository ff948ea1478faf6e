import { ActionIcon, type ButtonProps, Menu } from "@mantine/core";
import IconDots from "@tabler/icons-react/dist/esm/icons/IconDots.mjs";
import { createLink, type LinkComponent } from "@tanstack/react-router";
import type { ComponentPropsWithRef, ReactNode } from "react";
import { t } from "../../language.ts";
import { SecondaryButton } from "./buttons.tsx";
import { InMenu, useDialog } from "./dialogs.tsx";

/** An icon without a border, as in a row or a card. */
export const QuietIcon = ActionIcon.withProps({ variant: "subtle", color: "gray", c: "var(--mantine-color-text)" });

interface MoreActionsProps {
  size?: ButtonProps["size"];
  /** The name of a row's or a card's menu, where "…" has no border. */
  label?: string;
  /** Items, and buttons with dialogs: in the menu these are items too. */
  children: ReactNode;
}

/** Further actions behind "…": a menu, which is gone when a dialog opens from it. */
export function MoreActions({ size = "sm", label, children }: MoreActionsProps) {
  const { show, draw } = useDialog();
  return (
    <>
      <Menu position="bottom-end" transitionProps={{ duration: 0 }}>
        <Menu.Target>
          {label === undefined ? (
            <SecondaryButton size={size} aria-label={t("More")}>
              <IconDots size={18} aria-hidden />
            </SecondaryButton>
          ) : (
            <QuietIcon size={30} aria-label={label}>
              <IconDots size={18} aria-hidden />
            </QuietIcon>
          )}
        </Menu.Target>
        <Menu.Dropdown aria-label={label ?? t("More")}>
          <InMenu value={show}>{children}</InMenu>
        </Menu.Dropdown>
      </Menu>
      {draw()}
    </>
  );
}

const ItemLink = (props: Pick<ComponentPropsWithRef<"a">, "href" | "ref" | "onClick" | "title" | "children">) => (
  <Menu.Item component="a" {...props} />
);

/** A typed router link among the items. */
export const MenuLink: LinkComponent<typeof ItemLink> = createLink(ItemLink);
