import { Loader, Modal, Text, TextInput, VisuallyHidden } from "@mantine/core";
import { type KeyboardEvent, useId, useState } from "react";
import { FailureNotice } from "../../../ui/states/failure-notice.tsx";
import { useSignOut } from "../use-sign-out.ts";
import { matching } from "./matching.ts";
import type { PaletteEntry } from "./palette-entry.ts";
import { optionId, PaletteList } from "./palette-list.tsx";
import { useActive } from "./use-active.ts";
import { useCommands } from "./use-commands.ts";
import { useFound } from "./use-found.ts";
import classes from "./palette.module.css";

interface PaletteProps {
  opened: boolean;
  onClose: () => void;
}

/** Goes to any page, begins anything, and finds what the account has, from the keyboard. */
export function Palette({ opened, onClose }: PaletteProps) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title="Search"
      withCloseButton={false}
      returnFocus={false}
      // Whoever works by keyboard waits for nothing to glide in.
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
        placeholder="A page, a site, a template, a phone or an id"
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
          Nothing fits. Paste a phone or an id to look for it in the log.
        </Text>
      )}
      <VisuallyHidden role="status">{found.isLooking ? "" : `${entries.length} results`}</VisuallyHidden>
    </>
  );
}
