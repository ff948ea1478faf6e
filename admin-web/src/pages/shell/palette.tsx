import {
  Loader,
  Modal,
  Text,
  TextInput,
  VisuallyHidden,
  UnstyledButton,
  useComputedColorScheme,
  useMantineColorScheme,
} from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import IconArrowsSplit2 from "@tabler/icons-react/dist/esm/icons/IconArrowsSplit2.mjs";
import IconBuildingStore from "@tabler/icons-react/dist/esm/icons/IconBuildingStore.mjs";
import IconLogout from "@tabler/icons-react/dist/esm/icons/IconLogout.mjs";
import IconMoon from "@tabler/icons-react/dist/esm/icons/IconMoon.mjs";
import IconPlayerPause from "@tabler/icons-react/dist/esm/icons/IconPlayerPause.mjs";
import IconPlayerPlay from "@tabler/icons-react/dist/esm/icons/IconPlayerPlay.mjs";
import IconRoute from "@tabler/icons-react/dist/esm/icons/IconRoute.mjs";
import IconSearch from "@tabler/icons-react/dist/esm/icons/IconSearch.mjs";
import IconSun from "@tabler/icons-react/dist/esm/icons/IconSun.mjs";
import IconTemplate from "@tabler/icons-react/dist/esm/icons/IconTemplate.mjs";
import type IconUsers from "@tabler/icons-react/dist/esm/icons/IconUsers.mjs";
import { keepPreviousData } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useId, useState, useEffect, useRef } from "react";
import { readLogSearch } from "shared/core/message";
import { isAtLeast } from "shared/core/role";
import { formatCountOf, formatLanguage } from "../../format.ts";
import { paths } from "../../paths.ts";
import { useMe, useMay } from "../../session.tsx";
import { trpc } from "../../trpc.ts";
import { holdLabel, useHold } from "../../ui/hold.tsx";
import { FailureNotice } from "../../ui/page-states.tsx";
import { useSignOut, navigation } from "./navigation.ts";
import classes from "./palette.module.css";

interface PaletteProps {
  opened: boolean;
  onClose: () => void;
}

/** Opens pages, runs commands, and finds sites and templates, by keyboard. */
export function Palette({ opened, onClose }: PaletteProps) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title="Search"
      withCloseButton={false}
      returnFocus={false}
      transitionProps={{ duration: 0 }}
      yOffset="10vh"
      size="36rem"
      padding={0}
      classNames={{ header: classes["header"] ?? "" }}
    >
      <PaletteContent onClose={onClose} />
    </Modal>
  );
}

function PaletteContent({ onClose }: Pick<PaletteProps, "onClose">) {
  const list = useId();
  const [query, setQuery] = useState("");
  const { signOut, error: signOutError } = useSignOut();
  const found = useFound(query);
  const holds = useHoldCommands(query, onClose);
  const groups = [...found.groups, ...matching([...useCommands(signOut), holds.group], query)];
  const entries = groups.flatMap((group) => group.entries);
  const { active, choose, move } = useActive(entries);
  const run = (entry: PaletteEntry) => {
    if (entry.stays !== true) onClose();
    entry.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "ArrowDown") move(1);
    else if (event.key === "ArrowUp") move(-1);
    else if (event.key === "Enter" && active !== undefined) run(active);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <TextInput
        aria-label="Search or go to"
        placeholder="Page, site, template, phone number or ID"
        variant="unstyled"
        size="md"
        className={classes["field"] ?? ""}
        data-autofocus
        role="combobox"
        aria-expanded
        aria-autocomplete="list"
        aria-controls={list}
        aria-activedescendant={active && optionId(list, active)}
        autoComplete="off"
        spellCheck={false}
        rightSection={found.isLooking && <Loader size="xs" />}
        value={query}
        onChange={(event) => {
          setQuery(event.currentTarget.value);
          choose(null);
        }}
        onKeyDown={onKeyDown}
      />
      {signOutError !== null && <FailureNotice title="You are still signed in" error={signOutError} />}
      {holds.error !== null && <FailureNotice title="Sending was not changed" error={holds.error} />}
      {found.error !== null && <FailureNotice title="Could not search sites and templates" error={found.error} />}
      <PaletteList id={list} groups={groups} active={active} onHover={choose} onRun={run} />
      {entries.length === 0 && !found.isLooking && (
        <Text size="sm" c="dimmed" p="lg" ta="center">
          No results. Paste a phone number or an ID to search the log.
        </Text>
      )}
      <VisuallyHidden role="status">{found.isLooking ? "" : formatCountOf(entries.length, "result")}</VisuallyHidden>
    </>
  );
}

interface PaletteListProps {
  id: string;
  groups: PaletteGroup[];
  active: PaletteEntry | undefined;
  onHover: (id: string) => void;
  onRun: (entry: PaletteEntry) => void;
}

const optionId = (list: string, { id }: PaletteEntry): string => `${list}-${id}`;

/** The entries by group. The focus stays in the search field, which names the active option for screen readers. */
function PaletteList({ id, groups, active, onHover, onRun }: PaletteListProps) {
  return (
    <div role="listbox" id={id} aria-label="Results" className={classes["list"]}>
      {groups.map(({ label, entries }) => (
        <div key={label} role="group" aria-label={label}>
          <div className={classes["group"]} aria-hidden>
            {label}
          </div>
          {entries.map((entry) => (
            <PaletteOption
              key={entry.id}
              id={optionId(id, entry)}
              entry={entry}
              isActive={entry === active}
              onHover={() => onHover(entry.id)}
              onRun={() => onRun(entry)}
            />
          ))}
        </div>
      ))}
    </div>
  );
}

interface PaletteOptionProps {
  id: string;
  entry: PaletteEntry;
  isActive: boolean;
  onHover: () => void;
  onRun: () => void;
}

function PaletteOption({ id, entry: { label, hint, icon: Icon }, isActive, onHover, onRun }: PaletteOptionProps) {
  const option = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isActive) option.current?.scrollIntoView({ block: "nearest" });
  }, [isActive]);
  return (
    <UnstyledButton
      ref={option}
      role="option"
      id={id}
      tabIndex={-1}
      aria-selected={isActive}
      className={classes["option"]}
      onMouseDown={(event) => event.preventDefault()}
      onMouseMove={onHover}
      onClick={onRun}
    >
      <Icon size={18} stroke={1.75} aria-hidden />
      <span className={classes["label"]}>{label}</span>
      {hint !== undefined && <span className={classes["hint"]}>{hint}</span>}
    </UnstyledButton>
  );
}

/** A page or command of the palette. */
interface PaletteEntry {
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
function useActive(entries: PaletteEntry[]) {
  const [chosen, setChosen] = useState<string | null>(null);
  const index = Math.max(
    0,
    entries.findIndex(({ id }) => id === chosen),
  );
  const move = (by: number) => setChosen(entries[(index + by + entries.length) % entries.length]?.id ?? null);
  return { active: entries[index], choose: setChosen, move };
}

/** The pages that the person may open, and commands. */
function useCommands(signOut: () => void): PaletteGroup[] {
  const { role } = useMe().user;
  const navigate = useNavigate();
  const { setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const next = useComputedColorScheme("light") === "light" ? "dark" : "light";
  const pages = navigation.flatMap(({ label: group, entries }) =>
    entries
      .filter(({ needed }) => isAtLeast(role, needed))
      .map(({ to, label, icon, hint = group }) => ({ id: to, label, hint, icon, run: () => void navigate({ to }) })),
  );
  const begin = [
    { id: "new-site", label: "New site", icon: IconBuildingStore, run: () => void navigate({ to: paths.sites, search: { create: true } }) },
    { id: "new-binding", label: "New binding", icon: IconArrowsSplit2, run: () => void navigate({ to: paths.newBinding }) },
    { id: "new-template", label: "New template", icon: IconTemplate, run: () => void navigate({ to: paths.newTemplate }) },
    { id: "gallery", label: "Template gallery", icon: IconTemplate, run: () => void navigate({ to: paths.templateGallery }) },
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

const holdWords = ["pause", "sending", "send", "again", "hold", "release"];

/** Pauses the sending of a site, or ends the pause; offered to who asks for it. */
function useHoldCommands(query: string, onClose: () => void): { group: PaletteGroup; error: { message: string } | null } {
  const mayChange = useMay("operator");
  const isMeant = query
    .toLowerCase()
    .split(/\s+/u)
    .some((word) => word.length > 2 && holdWords.some((each) => each.startsWith(word)));
  const sites = trpc.sites.list.useQuery({ limit: 200 }, { enabled: mayChange && isMeant, staleTime: 5000 });
  const { change, error } = useHold();
  const items = mayChange && isMeant ? (sites.data?.items ?? []) : [];
  const entries = items.map((site): PaletteEntry => ({
    id: `hold-${site.id}`,
    label: `${holdLabel(site)}: ${site.name}`,
    hint: site.holdMessages ? "Release" : "Hold",
    icon: site.holdMessages ? IconPlayerPlay : IconPlayerPause,
    run: () => change(site, onClose),
    stays: true,
  }));
  return { group: { label: "Sending", entries }, error: error ?? sites.error };
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
function useFound(query: string): Found {
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
