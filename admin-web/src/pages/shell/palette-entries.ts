import { useComputedColorScheme, useMantineColorScheme } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import IconArrowsSplit2 from "@tabler/icons-react/dist/esm/icons/IconArrowsSplit2.mjs";
import IconBuildingStore from "@tabler/icons-react/dist/esm/icons/IconBuildingStore.mjs";
import IconLogout from "@tabler/icons-react/dist/esm/icons/IconLogout.mjs";
import IconMoon from "@tabler/icons-react/dist/esm/icons/IconMoon.mjs";
import IconRoute from "@tabler/icons-react/dist/esm/icons/IconRoute.mjs";
import IconSearch from "@tabler/icons-react/dist/esm/icons/IconSearch.mjs";
import IconSun from "@tabler/icons-react/dist/esm/icons/IconSun.mjs";
import IconTemplate from "@tabler/icons-react/dist/esm/icons/IconTemplate.mjs";
import type IconUsers from "@tabler/icons-react/dist/esm/icons/IconUsers.mjs";
import { keepPreviousData } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { readLogSearch } from "shared/core/message";
import { isAtLeast } from "shared/core/role";
import { formatLanguage } from "../../format.ts";
import { paths } from "../../paths.ts";
import { useMe, useMay } from "../../session.tsx";
import { trpc } from "../../trpc.ts";
import { navigation } from "./navigation.ts";

/** A page or command of the palette. */
export interface PaletteEntry {
  id: string;
  label: string;
  /** Small text beside the label; searched too. */
  hint?: string | undefined;
  icon: typeof IconUsers;
  run: () => void;
  /** Keeps the palette open, to show the result. */
  stays?: boolean;
}

export interface PaletteGroup {
  label: string;
  entries: PaletteEntry[];
}

/** The entries with every word of the query in label or hint, in any order and case. Empty groups are left out. */
export function matching(groups: PaletteGroup[], query: string): PaletteGroup[] {
  const words = query.toLowerCase().split(/\s+/u).filter(Boolean);
  return groups
    .map(({ label, entries }) => ({
      label,
      entries: entries.filter((entry) => {
        const text = `${entry.label} ${entry.hint ?? ""}`.toLowerCase();
        return words.every((word) => text.includes(word));
      }),
    }))
    .filter(({ entries }) => entries.length > 0);
}

/** The entry that Enter runs: the first until another is chosen, and again once that is gone. */
export function useActive(entries: PaletteEntry[]) {
  const [chosen, setChosen] = useState<string | null>(null);
  const index = Math.max(
    0,
    entries.findIndex(({ id }) => id === chosen),
  );
  const move = (by: number) => setChosen(entries[(index + by + entries.length) % entries.length]?.id ?? null);
  return { active: entries[index], choose: setChosen, move };
}

/** The pages that the person may open, and commands. */
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
        {
          id: "getting-started",
          label: "Get started",
          hint: "Work",
          icon: IconRoute,
          run: () => void navigate({ to: paths.gettingStarted }),
        },
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

interface Found {
  groups: PaletteGroup[];
  /** The server is still searching. */
  isLooking: boolean;
  error: { message: string } | null;
}

const typingPauseMs = 150;
const fewest = 2;

/** Matching sites and templates; for an ID or a phone number also a search of the log. */
export function useFound(query: string): Found {
  const navigate = useNavigate();
  const seesPhones = useMay("operator");
  const text = query.trim();
  const [settled] = useDebouncedValue(text, typingPauseMs);
  const options = { enabled: settled.length >= fewest, placeholderData: keepPreviousData, staleTime: 30_000 };
  const sites = trpc.sites.list.useQuery({ search: settled, limit: 5 }, options);
  const templates = trpc.templates.list.useQuery({ search: settled, limit: 5 }, options);
  const kind = pastedKind(text, seesPhones);
  const groups: PaletteGroup[] = [];
  if (kind !== null) {
    const run = () => void navigate({ to: paths.log, search: { search: text } });
    groups.push({ label: "Log", entries: [{ id: "log", label: `Search the log for ${text}`, hint: kind, icon: IconSearch, run }] });
  }
  if (text.length >= fewest) {
    groups.push(
      {
        label: "Sites",
        entries: (sites.data?.items ?? []).map(({ id, name, url }) => ({
          id,
          label: name,
          hint: url,
          icon: IconBuildingStore,
          run: () => void navigate({ to: paths.site, params: { siteId: id } }),
        })),
      },
      {
        label: "Templates",
        entries: (templates.data?.items ?? []).map(({ id, name, language, status }) => ({
          id,
          label: name,
          hint: `${formatLanguage(language)}, ${status}`,
          icon: IconTemplate,
          run: () => void navigate({ to: paths.template, params: { templateId: id } }),
        })),
      },
    );
  }
  return {
    groups: groups.filter(({ entries }) => entries.length > 0),
    isLooking: text.length >= fewest && (text !== settled || sites.isFetching || templates.isFetching),
    error: options.enabled ? (sites.error ?? templates.error) : null,
  };
}

/** What a pasted text is; null if it is neither ID nor phone number, or the person may not search for phones. */
export function pastedKind(text: string, seesPhones: boolean): string | null {
  const search = readLogSearch(text);
  if ("anyId" in search) return "Message, event or order ID";
  if ("phone" in search) return seesPhones ? "Phone number" : null;
  return search.waMessageId.startsWith("wamid.") ? "WhatsApp message ID" : null;
}
