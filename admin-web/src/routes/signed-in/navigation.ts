import IconHistory from "@tabler/icons-react/dist/esm/icons/IconHistory.mjs";
import IconKey from "@tabler/icons-react/dist/esm/icons/IconKey.mjs";
import IconMessages from "@tabler/icons-react/dist/esm/icons/IconMessages.mjs";
import IconUserCircle from "@tabler/icons-react/dist/esm/icons/IconUserCircle.mjs";
import IconUsers from "@tabler/icons-react/dist/esm/icons/IconUsers.mjs";
import type { Role } from "shared/core/input/role";
import { paths } from "../../paths.ts";

export interface NavigationEntry {
  to: (typeof paths)[keyof typeof paths];
  label: string;
  icon: typeof IconUsers;
  /** Who may open it. */
  needed: Role;
}

interface NavigationGroup {
  label: string;
  entries: NavigationEntry[];
}

/** Every page that the navigation leads to, in its order. */
export const navigation: NavigationGroup[] = [
  { label: "Work", entries: [{ to: paths.home, label: "Messages", icon: IconMessages, needed: "viewer" }] },
  {
    label: "Settings",
    entries: [
      { to: paths.people, label: "People", icon: IconUsers, needed: "owner" },
      { to: paths.tokens, label: "Access tokens", icon: IconKey, needed: "operator" },
      { to: paths.audit, label: "Audit", icon: IconHistory, needed: "owner" },
      { to: paths.myAccount, label: "My account", icon: IconUserCircle, needed: "viewer" },
    ],
  },
];
