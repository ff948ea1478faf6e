import IconAdjustments from "@tabler/icons-react/dist/esm/icons/IconAdjustments.mjs";
import IconAlertTriangle from "@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs";
import IconArrowsSplit2 from "@tabler/icons-react/dist/esm/icons/IconArrowsSplit2.mjs";
import IconBell from "@tabler/icons-react/dist/esm/icons/IconBell.mjs";
import IconBolt from "@tabler/icons-react/dist/esm/icons/IconBolt.mjs";
import IconBook from "@tabler/icons-react/dist/esm/icons/IconBook.mjs";
import IconBuildingStore from "@tabler/icons-react/dist/esm/icons/IconBuildingStore.mjs";
import IconChartBar from "@tabler/icons-react/dist/esm/icons/IconChartBar.mjs";
import IconClock from "@tabler/icons-react/dist/esm/icons/IconClock.mjs";
import IconCode from "@tabler/icons-react/dist/esm/icons/IconCode.mjs";
import IconDeviceMobile from "@tabler/icons-react/dist/esm/icons/IconDeviceMobile.mjs";
import IconHistory from "@tabler/icons-react/dist/esm/icons/IconHistory.mjs";
import IconKey from "@tabler/icons-react/dist/esm/icons/IconKey.mjs";
import IconListDetails from "@tabler/icons-react/dist/esm/icons/IconListDetails.mjs";
import IconMessages from "@tabler/icons-react/dist/esm/icons/IconMessages.mjs";
import IconPlugConnected from "@tabler/icons-react/dist/esm/icons/IconPlugConnected.mjs";
import IconReportAnalytics from "@tabler/icons-react/dist/esm/icons/IconReportAnalytics.mjs";
import IconShieldLock from "@tabler/icons-react/dist/esm/icons/IconShieldLock.mjs";
import IconSparkles from "@tabler/icons-react/dist/esm/icons/IconSparkles.mjs";
import IconStack2 from "@tabler/icons-react/dist/esm/icons/IconStack2.mjs";
import IconTemplate from "@tabler/icons-react/dist/esm/icons/IconTemplate.mjs";
import IconUserCircle from "@tabler/icons-react/dist/esm/icons/IconUserCircle.mjs";
import IconUsers from "@tabler/icons-react/dist/esm/icons/IconUsers.mjs";
import IconWebhook from "@tabler/icons-react/dist/esm/icons/IconWebhook.mjs";
import { onlineManager, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { isAtLeast, type Role } from "shared/core/role";
import { t } from "../../language.ts";
import { paths } from "../../paths.ts";
import { findUnsaved, trpc } from "../../trpc.ts";

export interface NavigationEntry {
  to: Exclude<(typeof paths)[keyof typeof paths], `${string}$${string}`>;
  label: string;
  /** The key that opens the page after G. */
  letter: string;
  icon: typeof IconUsers;
  /** The path prefixes of its subpages if they differ from `to`. */
  below?: readonly string[];
  /** Further words by which the palette finds the page; the group's name unless given. */
  hint?: string;
  /** The least role that may open the page. */
  needed: Role;
  /** The number of open problems stands beside it. */
  isCounted?: true;
}

interface NavigationGroup {
  label: string;
  entries: NavigationEntry[];
  /** `folded`: one link to its first page unless one of them is open. `elsewhere`: reached by the palette, by keys and from its own place in the frame. */
  kind: "open" | "folded" | "elsewhere";
}

const ofMessages = [paths.order, paths.customer].map((path) => path.replace(/\$\w+$/u, ""));

const entry = (
  to: NavigationEntry["to"],
  label: string,
  letter: string,
  icon: NavigationEntry["icon"],
  needed: Role,
  more?: Pick<NavigationEntry, "below" | "hint" | "isCounted">,
): NavigationEntry => ({ to, label, letter, icon, needed, ...more });

const group = (kind: NavigationGroup["kind"], label: string, entries: NavigationEntry[]): NavigationGroup => ({ kind, label, entries });

/** A topic of the documentation, by an address that the router takes as it is. */
const topic = (name: string) => `${paths.developers}/${name}` as typeof paths.developers;

/** Every page of the navigation, in its order. */
export const navigation: NavigationGroup[] = [
  group("open", t("Work"), [
    entry(paths.home, t("Home"), "o", IconChartBar, "viewer"),
    entry(paths.log, t("Messages"), "l", IconMessages, "viewer", { below: ofMessages, hint: t("Log") }),
    entry(paths.scheduled, t("Scheduled"), "d", IconClock, "viewer"),
    entry(paths.events, t("Events"), "e", IconBolt, "viewer"),
    entry(paths.problems, t("Problems"), "q", IconAlertTriangle, "viewer", { isCounted: true }),
    entry(paths.statistics, t("Statistics"), "x", IconReportAnalytics, "viewer", { hint: t("Latency, rates, by hour") }),
  ]),
  group("open", t("Set up"), [
    entry(paths.sites, t("Sites"), "s", IconBuildingStore, "viewer"),
    entry(paths.bindings, t("Bindings"), "b", IconArrowsSplit2, "viewer"),
    entry(paths.templates, t("Templates"), "t", IconTemplate, "viewer"),
  ]),
  group("open", t("Developers"), [
    entry(paths.webhooks, t("Webhooks"), "w", IconWebhook, "viewer", { hint: t("Endpoints, deliveries") }),
    entry(paths.tokens, t("Access tokens"), "k", IconKey, "operator"),
    entry(topic("events"), t("Event types"), "v", IconListDetails, "viewer"),
    entry(topic("reference"), t("API reference"), "z", IconCode, "viewer"),
    entry(paths.developers, t("Documentation"), "c", IconBook, "viewer", { hint: t("Developers") }),
  ]),
  group("folded", t("Settings"), [
    entry(paths.general, t("General"), "g", IconAdjustments, "viewer"),
    entry(paths.platform, t("WhatsApp"), "n", IconPlugConnected, "viewer", { hint: t("Platform") }),
    entry(paths.alerts, t("Alerts"), "a", IconBell, "viewer", { hint: t("E-mail, Slack, quiet hours") }),
    entry(paths.assistant, t("Assistant"), "i", IconSparkles, "operator", { hint: t("Language model") }),
    entry(paths.people, t("People"), "u", IconUsers, "owner"),
    entry(paths.signInSettings, t("Sign-in"), "f", IconUserCircle, "viewer", { hint: t("Single sign-on, second factor") }),
    entry(paths.privacy, t("Privacy"), "y", IconShieldLock, "operator"),
    entry(paths.audit, t("Audit"), "h", IconHistory, "owner"),
  ]),
  group("elsewhere", t("More"), [
    entry(paths.operations, t("Operations"), "r", IconStack2, "viewer", { hint: t("Resends, backfills, replays") }),
    entry(paths.phone, t("Sandbox phone"), "p", IconDeviceMobile, "viewer"),
    entry(paths.myAccount, t("My account"), "m", IconUserCircle, "viewer"),
  ]),
];

/** The entry that an address belongs to: of several the one with the longest path. */
export const entryAt = (pathname: string): NavigationEntry | undefined =>
  navigation
    .flatMap(({ entries }) => entries)
    .toSorted((one, other) => other.to.length - one.to.length)
    .find(
      ({ to, below = [] }) => `${pathname}/`.startsWith(to === "/" ? "//" : `${to}/`) || below.some((path) => pathname.startsWith(path)),
    );

/** Ends the session, leaves the page, then clears the cache. What is typed and not saved is asked about before. Meanwhile no query leaves, as browsers log every refusal. */
export function useSignOut(): { signOut: () => void; isPending: boolean; error: { message: string } | null } {
  const navigate = useNavigate();
  const cache = useQueryClient();
  const { mutate, isPending, error } = trpc.auth.logout.useMutation({
    networkMode: "always",
    onMutate: async () => {
      onlineManager.setOnline(false);
      await cache.cancelQueries();
    },
    onSuccess: async () => {
      await navigate({ to: paths.signIn, ignoreBlocker: true });
      cache.clear();
    },
    onSettled: () => onlineManager.setOnline(navigator.onLine),
  });
  const signOut = () => {
    const ask = findUnsaved();
    if (ask === undefined) mutate();
    else ask(mutate);
  };
  return { signOut, isPending, error };
}

/** How long after G the letter may come. */
const waitMs = 1_500;

/** The keys that lead to pages, while nobody types and no dialog is open; `onHelp` shows their list. */
export function useKeys(isOn: boolean, role: Role, onHelp: () => void): void {
  const navigate = useNavigate();
  // The time outlasts components that are drawn anew between the two keys.
  const begunAt = useRef(-Infinity);
  useEffect(() => {
    if (!isOn) return;
    const onKeyDown = (event: KeyboardEvent) => {
      const isSecond = event.timeStamp - begunAt.current < waitMs;
      begunAt.current = -Infinity;
      if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const key = event.key.toLowerCase();
      const entry = isSecond
        ? navigation.flatMap(({ entries }) => entries).find(({ letter, needed }) => letter === key && isAtLeast(role, needed))
        : undefined;
      if (entry !== undefined) void navigate({ to: entry.to });
      else if (event.key === "?") onHelp();
      else {
        if (key === "g") begunAt.current = event.timeStamp;
        return;
      }
      event.preventDefault();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  });
}

/** Whether the keys belong to the focused element: a field, a list that is searched by typing, or an open dialog. */
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.closest("input, textarea, select, [contenteditable], [role=combobox], [role=textbox], [role=menu], [role=dialog]") !== null;
