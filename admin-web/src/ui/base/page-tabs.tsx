import { Group, Menu, UnstyledButton } from "@mantine/core";
import IconChevronDown from "@tabler/icons-react/dist/esm/icons/IconChevronDown.mjs";
import { Link } from "@tanstack/react-router";
import { t } from "../../language.ts";
import classes from "./ui.module.css";

interface PageTabsProps<Name extends string> {
  tabs: readonly { name: Name; label: string }[];
  open: Name;
  /** Lists of what belongs to the object, which stand behind the tabs, many in a menu, and the search that names it. */
  lists?: readonly { to: string; label: string }[];
  search?: object;
}

/** The subjects of an object with more than two. The open one is the search parameter `tab`. */
export function PageTabs<Name extends string>({ tabs, open, lists = [], search }: PageTabsProps<Name>) {
  const few = lists.length > 2 ? [] : lists;
  return (
    <Group component="nav" aria-label={t("Sections")} gap="0 4px" style={{ borderBottom: "1px solid var(--mantine-color-default-border)" }}>
      {tabs.map(({ name, label }) => (
        <Link
          key={name}
          to="."
          search={((now: object) => ({ ...now, open: undefined, tab: name })) as never}
          resetScroll={false}
          className={classes["tab"]}
          aria-current={name === open ? "page" : false}
        >
          {label}
        </Link>
      ))}
      {few.map(({ to, label }) => (
        <Link key={to} to={to} search={search as never} className={classes["tab"]}>
          {label}
        </Link>
      ))}
      {lists.length > few.length && (
        <Menu position="bottom-start" transitionProps={{ duration: 0 }}>
          <Menu.Target>
            <UnstyledButton className={classes["tab"]}>
              {t("Lists")} <IconChevronDown size={14} aria-hidden />
            </UnstyledButton>
          </Menu.Target>
          <Menu.Dropdown>
            {lists.map(({ to, label }) => (
              <Menu.Item key={to} renderRoot={(props) => <Link to={to} search={search as never} {...props} />}>
                {label}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
    </Group>
  );
}
