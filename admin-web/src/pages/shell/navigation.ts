import IconAdjustments from "@tabler/icons-react/dist/esm/icons/IconAdjustments.mjs";
import IconArrowsSplit2 from "@tabler/icons-react/dist/esm/icons/IconArrowsSplit2.mjs";
import IconBolt from "@tabler/icons-react/dist/esm/icons/IconBolt.mjs";
import IconBuildingStore from "@tabler/icons-react/dist/esm/icons/IconBuildingStore.mjs";
import IconChartBar from "@tabler/icons-react/dist/esm/icons/IconChartBar.mjs";
import IconClock from "@tabler/icons-react/dist/esm/icons/IconClock.mjs";
import IconCode from "@tabler/icons-react/dist/esm/icons/IconCode.mjs";
import IconDeviceMobile from "@tabler/icons-react/dist/esm/icons/IconDeviceMobile.mjs";
import IconHistory from "@tabler/icons-react/dist/esm/icons/IconHistory.mjs";
import IconKey from "@tabler/icons-react/dist/esm/icons/IconKey.mjs";
import IconMessages from "@tabler/icons-react/dist/esm/icons/IconMessages.mjs";
import IconPlugConnected from "@tabler/icons-react/dist/esm/icons/IconPlugConnected.mjs";
import IconShieldLock from "@tabler/icons-react/dist/esm/icons/IconShieldLock.mjs";
import IconTemplate from "@tabler/icons-react/dist/esm/icons/IconTemplate.mjs";
import IconUserCircle from "@tabler/icons-react/dist/esm/icons/IconUserCircle.mjs";
import IconUsers from "@tabler/icons-react/dist/esm/icons/IconUsers.mjs";
import IconWebhook from "@tabler/icons-react/dist/esm/icons/IconWebhook.mjs";
import { onlineManager, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { Role } from "shared/core/role";
import { paths } from "../../paths.ts";
import { trpc } from "../../trpc.ts";

export interface NavigationEntry {
  to: Exclude<(typeof paths)[keyof typeof paths], `${string}$${string}`>;
  label: string;
  icon: typeof IconUsers;
  /** The path prefix of its subpages if it differs from `to`. */
  below?: string;
  /** What else the palette finds it by; the group's name unless given. */
  hint?: string;
  /** The role it takes. */
  needed: Role;
}

interface NavigationGroup {
  label: string;
  entries: NavigationEntry[];
}

/** Every page of the navigation, in its order. */
export const navigation: NavigationGroup[] = [
  {
    label: "Work",
    entries: [
      { to: paths.home, label: "Overview", icon: IconChartBar, needed: "viewer" },
      { to: paths.log, label: "Log", icon: IconMessages, below: paths.order.replace("$orderId", ""), needed: "viewer" },
      { to: paths.scheduled, label: "Scheduled", icon: IconClock, needed: "viewer" },
      { to: paths.events, label: "Events", icon: IconBolt, needed: "viewer" },
      { to: paths.webhooks, label: "Webhooks", icon: IconWebhook, hint: "Endpoints, deliveries", needed: "viewer" },
      { to: paths.phone, label: "Sandbox phone", icon: IconDeviceMobile, needed: "viewer" },
    ],
  },
  {
    label: "Set up",
    entries: [
      { to: paths.sites, label: "Sites", icon: IconBuildingStore, needed: "viewer" },
      { to: paths.bindings, label: "Bindings", icon: IconArrowsSplit2, needed: "viewer" },
      { to: paths.templates, label: "Templates", icon: IconTemplate, needed: "viewer" },
      { to: paths.developers, label: "Developers", icon: IconCode, needed: "viewer" },
    ],
  },
  {
    label: "Settings",
    entries: [
      { to: paths.general, label: "General", icon: IconAdjustments, needed: "viewer" },
      { to: paths.platform, label: "Platform", icon: IconPlugConnected, needed: "viewer" },
      { to: paths.people, label: "People", icon: IconUsers, needed: "owner" },
      { to: paths.tokens, label: "Access tokens", icon: IconKey, needed: "operator" },
      { to: paths.privacy, label: "Privacy", icon: IconShieldLock, needed: "operator" },
      { to: paths.audit, label: "Audit", icon: IconHistory, needed: "owner" },
      { to: paths.myAccount, label: "My account", icon: IconUserCircle, needed: "viewer" },
    ],
  },
];

interface SignOut {
  signOut: () => void;
  isPending: boolean;
  error: { message: string } | null;
}

/** Ends the session, leaves the page, then clears the cache. Meanwhile no query leaves, as browsers log every refusal. */
export function useSignOut(): SignOut {
  const navigate = useNavigate();
  const cache = useQueryClient();
  const { mutate, isPending, error } = trpc.auth.logout.useMutation({
    networkMode: "always",
    onMutate: async () => {
      onlineManager.setOnline(false);
      await cache.cancelQueries();
    },
    onSuccess: async () => {
      await navigate({ to: paths.signIn });
      cache.clear();
    },
    onSettled: () => onlineManager.setOnline(navigator.onLine),
  });
  return { signOut: () => mutate(), isPending, error };
}
