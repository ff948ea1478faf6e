import { Box, Loader, Text, TextInput, VisuallyHidden, UnstyledButton } from "@mantine/core";
import IconArrowsSplit2 from "@tabler/icons-react/dist/esm/icons/IconArrowsSplit2.mjs";
import IconBuildingStore from "@tabler/icons-react/dist/esm/icons/IconBuildingStore.mjs";
import IconKeyboard from "@tabler/icons-react/dist/esm/icons/IconKeyboard.mjs";
import IconLogout from "@tabler/icons-react/dist/esm/icons/IconLogout.mjs";
import IconMoon from "@tabler/icons-react/dist/esm/icons/IconMoon.mjs";
import IconPlayerPause from "@tabler/icons-react/dist/esm/icons/IconPlayerPause.mjs";
import IconPlayerPlay from "@tabler/icons-react/dist/esm/icons/IconPlayerPlay.mjs";
import IconRoute from "@tabler/icons-react/dist/esm/icons/IconRoute.mjs";
import IconSun from "@tabler/icons-react/dist/esm/icons/IconSun.mjs";
import IconTemplate from "@tabler/icons-react/dist/esm/icons/IconTemplate.mjs";
import IconUsers from "@tabler/icons-react/dist/esm/icons/IconUsers.mjs";
import IconWebhook from "@tabler/icons-react/dist/esm/icons/IconWebhook.mjs";
import { useNavigate, useRouter } from "@tanstack/react-router";
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { isAtLeast } from "shared/core/role";
import { t } from "../../language.ts";
import { paths } from "../../paths.ts";
import { useMe } from "../../session.tsx";
import { trpc } from "../../trpc.ts";
import { useOtherScheme } from "../../ui/base/color-scheme-button.tsx";
import type { AskedDialog } from "../../ui/base/dialogs.tsx";
import { siteTitle, tableOf } from "../../ui/base/labels.ts";
import { part } from "../../ui/base/later.tsx";
import { Dimmed, FailureNotice } from "../../ui/base/page.tsx";
import { useMay } from "../../ui/base/role.ts";
import { resuming } from "../../ui/message/hold.tsx";
import { type HeldSite, useHold } from "../../ui/message/use-hold.ts";
import labels from "./labels.json";
import { useSignOut, navigation } from "./navigation.ts";
import { entryOf, type Found, type FoundOrder, type PaletteEntry, type PaletteGroup, useFound } from "./palette-found.ts";

type PaletteProps = { ask: (question: AskedDialog) => void; onClose: () => void; onShortcuts: () => void };

const ResendForm = part(async () => (await import("../../ui/message/resend.tsx")).ResendForm);

const resending = ({ number, eventIds }: FoundOrder): AskedDialog => ({
  title: t("Resend order {number}", { number }),
  isWide: true,
  children: (close) => <ResendForm filter={{ eventIds }} onClose={close} />,
});

/** Opens pages, runs commands, and finds sites, templates, events and customers, by keyboard. */
export function Palette({ ask, onClose, onShortcuts }: PaletteProps) {
  const list = useId();
  const seesPhones = useMay("seePhones");
  const [query, setQuery] = useState("");
  const { signOut, error: signOutError } = useSignOut();
  const found = useFound(query, (order) => ask(resending(order)));
  const holds = useHoldCommands(query, { onClose, resume: (site) => ask(resuming(site)) });
  const groups = inOrder(found, useCommands(query, { signOut, onShortcuts, holds: holds.group }), query);
  const entries = groups.flatMap((group) => group.entries);
  const { active, choose, move } = useActive(entries);
  const run = (entry: PaletteEntry) => runEntry(entry, onClose);
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
        aria-label={t("Search or go to")}
        placeholder={seesPhones ? t("Page, site, template, order, customer, field or ID") : t("Page, site, template, order, field or ID")}
        variant="unstyled"
        size="md"
        px="md"
        py="0.35rem"
        style={{ borderBottom: "1px solid var(--mantine-color-default-border)" }}
        role="combobox"
        aria-expanded
        aria-autocomplete="list"
        aria-controls={list}
        aria-activedescendant={active && optionId(list, active)}
        spellCheck={false}
        rightSection={found.isLooking && <Loader size="xs" />}
        value={query}
        onChange={(event) => {
          setQuery(event.currentTarget.value);
          choose(null);
        }}
        onKeyDown={onKeyDown}
      />
      {signOutError !== null && <FailureNotice title={t("You are still signed in")} error={signOutError} />}
      {holds.error !== null && <FailureNotice title={t("Sending was not changed")} error={holds.error} />}
      {found.error !== null && <FailureNotice title={t("Could not search")} error={found.error} />}
      <PaletteList id={list} groups={groups} active={active} onHover={choose} onRun={run} />
      {entries.length === 0 && !found.isLooking && (
        <Dimmed p="lg" ta="center">
          {seesPhones
            ? t("No results. Type an order number, a name, a part of a phone number, or paste an ID.")
            : t("No results. Type an order number, or paste an ID.")}
        </Dimmed>
      )}
      <VisuallyHidden role="status">
        {found.isLooking ? "" : t("{count, plural, one {# result} other {# results}}", { count: entries.length })}
      </VisuallyHidden>
    </>
  );
}

/** Runs an entry. The palette closes, unless the entry shows its result there. */
function runEntry(entry: PaletteEntry, close: () => void): void {
  if (entry.stays !== true) close();
  entry.run();
}

interface PaletteListProps extends Pick<PaletteOptionProps, "onHover" | "onRun"> {
  id: string;
  groups: PaletteGroup[];
  active: PaletteEntry | undefined;
}

const optionId = (list: string, { id }: PaletteEntry): string => `${list}-${id}`;

/** The entries by group. The focus stays in the search field, which names the active option for screen readers. */
const PaletteList = ({ id, groups, active, ...on }: PaletteListProps) => (
  <Box
    role="listbox"
    id={id}
    aria-label={t("Results")}
    mah="min(26rem, 60vh)"
    p={groups.length === 0 ? 0 : "xs"}
    style={{ overflowY: "auto" }}
  >
    {groups.map(({ label, entries }) => (
      <div key={label} role="group" aria-label={label}>
        <Text px="sm" pt="xs" pb={4} fz="xs" fw={600} c="dimmed" aria-hidden>
          {label}
        </Text>
        {entries.map((entry) => (
          <PaletteOption key={entry.id} id={optionId(id, entry)} entry={entry} isActive={entry === active} {...on} />
        ))}
      </div>
    ))}
  </Box>
);

const optionGrid = { gridTemplateColumns: "auto minmax(0, auto) minmax(0, 1fr)", gap: "var(--mantine-spacing-sm)", alignItems: "center" };

interface PaletteOptionProps {
  id: string;
  entry: PaletteEntry;
  isActive: boolean;
  onHover: (id: string) => void;
  onRun: (entry: PaletteEntry) => void;
}

function PaletteOption({ id, entry, isActive, onHover, onRun }: PaletteOptionProps) {
  const { label, hint, icon: Icon } = entry;
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
      display="grid"
      w="100%"
      px="sm"
      py="0.45rem"
      bdrs="var(--mantine-radius-default)"
      fz="sm"
      bg={isActive ? "var(--mantine-primary-color-light)" : "transparent"}
      style={optionGrid}
      onMouseDown={(event) => event.preventDefault()}
      onMouseMove={() => onHover(entry.id)}
      onClick={() => onRun(entry)}
    >
      <Icon size={18} stroke={1.75} aria-hidden />
      <Text span inherit truncate>
        {label}
      </Text>
      {hint !== undefined && (
        <Text span fz="xs" c="dimmed" ta="end" truncate>
          {hint}
        </Text>
      )}
    </UnstyledButton>
  );
}

/** What is found, before the commands; but one that is typed whole, or by its verb and more of its words, is meant. */
function inOrder(found: Found, commands: readonly PaletteGroup[], query: string): PaletteGroup[] {
  const typed = query.trim().toLowerCase();
  const isMeant = ({ label }: PaletteEntry): boolean =>
    label.toLowerCase() === typed || (/\s/u.test(typed) && label.toLowerCase().startsWith(typed.split(/\s/u)[0] ?? typed));
  const [meant = [], others = []] = [isMeant, (entry: PaletteEntry) => !isMeant(entry)].map((is) =>
    commands.map(({ label, entries }) => ({ label, entries: entries.filter(is) })).filter(({ entries }) => entries.length > 0),
  );
  return [...meant, ...found.groups, ...others, ...(found.more ?? [])];
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
  const at = entries.findIndex(({ id }) => id === chosen);
  const index = Math.max(0, at);
  const move = (by: number) => setChosen(entries[(index + by + entries.length) % entries.length]?.id ?? null);
  return { active: entries[index], choose: setChosen, move };
}

/** What the pages of the settings are mostly opened for, by their names in `paths`. */
const settingsFields = Object.entries(tableOf(labels.settings));

/** What is sought among the pages that the person may open, fields of the settings, and commands. */
function useCommands(
  query: string,
  { signOut, onShortcuts, holds }: Pick<PaletteProps, "onShortcuts"> & { signOut: () => void; holds: PaletteGroup },
): PaletteGroup[] {
  const { role } = useMe().user;
  const navigate = useNavigate();
  const router = useRouter();
  // The forms that commands open are there as soon as they are chosen.
  useEffect(() => [paths.sites, paths.webhooks].forEach((to) => void router.preloadRoute({ to })), [router]);
  const { other: next, choose } = useOtherScheme();
  const open = navigation.flatMap(({ label: group, entries }) =>
    entries.filter(({ needed }) => isAtLeast(role, needed)).map((entry) => ({ hint: group, ...entry })),
  );
  const pages = open.map(({ to, label, letter, icon, hint }) =>
    entryOf(to, label, icon, () => navigate({ to }), { hint: `${hint} · g ${letter}` }),
  );
  const fields = (query.trim() === "" ? [] : settingsFields).flatMap(([page, names]) =>
    open
      .filter(({ to }) => to === paths[page as keyof typeof paths])
      .flatMap(({ to, label, icon }) => names.map((name) => entryOf(name, name, icon, () => navigate({ to }), { hint: label }))),
  );
  const begin = [
    entryOf("new-site", t("Add site"), IconBuildingStore, () => navigate({ to: paths.sites, search: { create: true } })),
    entryOf("new-endpoint", t("Add endpoint"), IconWebhook, () => navigate({ to: paths.webhooks, search: { tab: "new-endpoint" } })),
    entryOf("new-binding", t("New binding"), IconArrowsSplit2, () => navigate({ to: paths.newBinding })),
    entryOf("new-template", t("New template"), IconTemplate, () => navigate({ to: paths.newTemplate })),
    entryOf("gallery", t("Template gallery"), IconTemplate, () => navigate({ to: paths.templateGallery })),
  ];
  const start = entryOf("getting-started", t("Get started"), IconRoute, () => navigate({ to: paths.gettingStarted }), { hint: t("Work") });
  const schemeIcon = next === "dark" ? IconMoon : IconSun;
  const groups = [
    { label: t("Pages"), entries: [...pages, start] },
    { label: t("Settings"), entries: fields },
    {
      label: t("Actions"),
      entries: [
        ...(isAtLeast(role, "operator") ? begin : []),
        ...(isAtLeast(role, "owner") ? [entryOf("invite", t("Invite person"), IconUsers, () => navigate({ to: paths.people }))] : []),
        entryOf("scheme", t("Switch to {next}", { next }), schemeIcon, choose, { hint: t("Theme") }),
        entryOf("shortcuts", t("Keyboard shortcuts"), IconKeyboard, onShortcuts, { hint: "?" }),
        entryOf("sign-out", t("Sign out"), IconLogout, signOut, { stays: true }),
      ],
    },
    holds,
  ];
  return matching(groups, query);
}

const fewestSigns = 2;

/** Pauses the sending of a site that is found, or asks how the pause ends. */
function useHoldCommands(query: string, { onClose, resume }: { onClose: () => void; resume: (site: HeldSite) => void }) {
  const isMeant = useMay("operator") && query.trim().length >= fewestSigns;
  const sites = trpc.sites.list.useQuery({ limit: 200 }, { enabled: isMeant, staleTime: 5000 });
  const { change, error } = useHold();
  const items = isMeant ? (sites.data?.items ?? []) : [];
  const entries = items.map((site): PaletteEntry => ({
    id: `hold-${site.id}`,
    label: site.holdMessages
      ? t("Resume sending for {name}", { name: siteTitle(site) })
      : t("Pause sending for {name}", { name: siteTitle(site) }),
    icon: site.holdMessages ? IconPlayerPlay : IconPlayerPause,
    run: () => (site.holdMessages ? resume(site) : void change({ ...site, holdMessages: true }).then(onClose, () => {})),
    stays: true,
  }));
  return { group: { label: t("Sending"), entries }, error: error ?? sites.error };
}
