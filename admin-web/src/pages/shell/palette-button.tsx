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
/** How long after the page, so that it comes later than what the page itself asks for. */
const waitMs = 300;

/** Opens the palette, as Ctrl or Cmd with K does anywhere. It is there before it is asked for: what is typed right after the keys is not lost. */
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
      // What fails here is tried again, and told, when it is asked for.
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

/** In place of the palette when its script does not come. Trying again loads the page anew, so that a newer build is found too. */
function PaletteFailure({ error }: { error: unknown }) {
  const [opened, setOpened] = useState(true);
  const shown = error instanceof Error ? error : { message: String(error) };
  return (
    <Dialog title="Search" opened={opened} onClose={() => setOpened(false)}>
      <FailureNotice title="Could not load the search" error={shown} onRetry={() => window.location.reload()} />
    </Dialog>
  );
}
