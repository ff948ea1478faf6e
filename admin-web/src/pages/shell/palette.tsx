import { Loader, Modal, Text, TextInput, VisuallyHidden, UnstyledButton } from "@mantine/core";
import { type KeyboardEvent, useId, useState, useEffect, useRef } from "react";
import { formatCountOf } from "../../format.ts";
import { FailureNotice } from "../../ui/page-states.tsx";
import { useSignOut } from "./navigation.ts";
import { matching, type PaletteEntry, useActive, useCommands, useFound, type PaletteGroup } from "./palette-entries.ts";
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
  const groups = [...found.groups, ...matching(useCommands(signOut), query)];
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
