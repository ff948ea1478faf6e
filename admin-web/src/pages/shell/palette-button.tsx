import { Kbd, Text, UnstyledButton } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import IconSearch from "@tabler/icons-react/dist/esm/icons/IconSearch.mjs";
import { CatchBoundary } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { Dialog } from "../../ui/dialogs.tsx";
import { FailureNotice } from "../../ui/page-states.tsx";
import classes from "./palette.module.css";

const load = () => import("./palette.tsx");
const Palette = lazy(async () => ({ default: (await load()).Palette }));
/** Delays the load, so that the page's own requests come first. */
const waitMs = 300;

/** Opens the palette, as Ctrl+K or Cmd+K does. The palette is loaded ahead, so that keys typed right after are not lost. */
export function PaletteButton() {
  const [opened, setOpened] = useState(false);
  const [isWanted, setWanted] = useState(false);
  const before = useRef<Element | null>(null);
  const open = () => {
    before.current = document.activeElement;
    setWanted(true);
    setOpened(true);
  };
  const close = () => {
    setOpened(false);
    if (before.current instanceof HTMLElement) before.current.focus();
  };
  useEffect(() => {
    const timer = setTimeout(() => {
      // A failure shows when the palette is opened.
      void load().then(
        () => setWanted(true),
        () => undefined,
      );
    }, waitMs);
    return () => clearTimeout(timer);
  }, []);
  useHotkeys([["mod+K", opened ? close : open]], [], true);
  return (
    <>
      <UnstyledButton className={classes["button"]} onClick={open} aria-label="Search" aria-keyshortcuts="Control+K Meta+K">
        <IconSearch size={18} aria-hidden />
        <Text span size="sm" className={classes["words"] ?? ""}>
          Search
        </Text>
        <Kbd className={classes["words"] ?? ""} size="xs">
          {isApple() ? "⌘ K" : "Ctrl K"}
        </Kbd>
      </UnstyledButton>
      {isWanted && (
        <CatchBoundary getResetKey={() => String(opened)} errorComponent={PaletteFailure}>
          <Suspense>
            <Palette opened={opened} onClose={close} />
          </Suspense>
        </CatchBoundary>
      )}
    </>
  );
}

const isApple = (): boolean => /Mac|iPhone|iPad/u.test(navigator.userAgent);

/** Shown when the palette's script fails to load. "Try again" reloads, which also picks up a newer build. */
function PaletteFailure({ error }: { error: unknown }) {
  const [opened, setOpened] = useState(true);
  const shown = error instanceof Error ? error : { message: String(error) };
  return (
    <Dialog title="Search" opened={opened} onClose={() => setOpened(false)}>
      <FailureNotice title="Could not load the search" error={shown} onRetry={() => window.location.reload()} />
    </Dialog>
  );
}
