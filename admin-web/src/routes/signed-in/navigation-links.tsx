import { NavLink, Text } from "@mantine/core";
import { Link, useLocation } from "@tanstack/react-router";
import { isAtLeast } from "shared/core/role";
import { useMe } from "../../session/me.ts";
import { navigation, type NavigationEntry } from "./navigation.ts";
import classes from "./navigation-links.module.css";

/** The pages that this person may open. */
export function NavigationLinks({ onNavigate = () => {} }: { onNavigate?: () => void }) {
  const { role } = useMe().user;
  return (
    <nav aria-label="Pages" className={classes["nav"]}>
      {navigation.map(({ label, entries }) => (
        <section key={label} aria-label={label}>
          <Text size="xs" fw={600} c="dimmed" px="sm" pb={4}>
            {label}
          </Text>
          {entries
            .filter(({ needed }) => isAtLeast(role, needed))
            .map((entry) => (
              <PageLink key={entry.to} {...entry} onNavigate={onNavigate} />
            ))}
        </section>
      ))}
    </nav>
  );
}

function PageLink({ to, label, below, icon: Icon, onNavigate }: NavigationEntry & { onNavigate: () => void }) {
  const isBelow = useLocation({ select: ({ pathname }) => below !== undefined && pathname.startsWith(below) });
  return (
    <NavLink
      component={Link}
      to={to}
      activeOptions={{ exact: to === "/", includeSearch: false }}
      activeProps={{ "data-active": true }}
      {...(isBelow && { "data-active": true, "aria-current": "page" })}
      className={classes["link"]}
      label={label}
      leftSection={<Icon size={18} stroke={1.75} aria-hidden />}
      onClick={onNavigate}
    />
  );
}
