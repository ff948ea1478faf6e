import { useComputedColorScheme, useMantineColorScheme } from "@mantine/core";
import IconArrowsSplit2 from "@tabler/icons-react/dist/esm/icons/IconArrowsSplit2.mjs";
import IconBuildingStore from "@tabler/icons-react/dist/esm/icons/IconBuildingStore.mjs";
import IconLogout from "@tabler/icons-react/dist/esm/icons/IconLogout.mjs";
import IconMoon from "@tabler/icons-react/dist/esm/icons/IconMoon.mjs";
import IconRoute from "@tabler/icons-react/dist/esm/icons/IconRoute.mjs";
import IconSun from "@tabler/icons-react/dist/esm/icons/IconSun.mjs";
import IconTemplate from "@tabler/icons-react/dist/esm/icons/IconTemplate.mjs";
import { useNavigate } from "@tanstack/react-router";
import { isAtLeast } from "shared/core/role";
import { paths } from "../../../paths.ts";
import { useMe } from "../../../session/me.ts";
import { navigation } from "../navigation.ts";
import type { PaletteGroup } from "./palette-entry.ts";

/** The pages that this person may open, and what can be begun or done from anywhere. */
export function useCommands(signOut: () => void): PaletteGroup[] {
  const { role } = useMe().user;
  const navigate = useNavigate();
  const { setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const next = useComputedColorScheme("light") === "light" ? "dark" : "light";
  const pages = navigation.flatMap(({ label: hint, entries }) =>
    entries
      .filter(({ needed }) => isAtLeast(role, needed))
      .map(({ to, label, icon }) => ({ id: to, label, hint, icon, run: () => void navigate({ to }) })),
  );
  const begin = [
    { id: "new-site", label: "New site", icon: IconBuildingStore, run: () => void navigate({ to: paths.sites, search: { create: true } }) },
    { id: "new-binding", label: "New binding", icon: IconArrowsSplit2, run: () => void navigate({ to: paths.newBinding }) },
    { id: "new-template", label: "New template", icon: IconTemplate, run: () => void navigate({ to: paths.newTemplate }) },
  ];
  const scheme = {
    id: "scheme",
    label: `Switch to ${next}`,
    hint: "Theme",
    icon: next === "dark" ? IconMoon : IconSun,
    run: () => setColorScheme(next),
  };
  return [
    {
      label: "Pages",
      entries: [
        ...pages,
        { id: "first-day", label: "First day", hint: "Work", icon: IconRoute, run: () => void navigate({ to: paths.firstDay }) },
      ],
    },
    {
      label: "Actions",
      entries: [
        ...(isAtLeast(role, "operator") ? begin : []),
        scheme,
        { id: "sign-out", label: "Sign out", icon: IconLogout, run: signOut, stays: true },
      ],
    },
  ];
}
