import { Burger, Drawer, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { CatchBoundary, useLocation } from "@tanstack/react-router";
import { useEffect, useRef, type ReactNode } from "react";
import { type Me, MeContext } from "../../session/me.ts";
import { PageFailure } from "../../ui/states/page-failure.tsx";
import { AccountMenu } from "./account-menu.tsx";
import { NavigationLinks } from "./navigation-links.tsx";
import { PaletteButton } from "./palette/palette-button.tsx";
import classes from "./shell.module.css";

/** The frame around every page: a bar on top, the navigation beside it or, where the window is narrow, in a drawer. */
export function Shell({ me, children }: { me: Me; children: ReactNode }) {
  const [isOpen, drawer] = useDisclosure(false);
  const { pathname } = useLocation();
  const main = useFocusOnArrival(pathname);
  return (
    <MeContext value={me}>
      <a
        href="#main"
        className={classes["skip"]}
        onClick={(event) => {
          event.preventDefault();
          main.current?.focus();
        }}
      >
        Skip to the content
      </a>
      <header className={classes["bar"]}>
        <Burger className={classes["burger"] ?? ""} size="sm" opened={isOpen} onClick={drawer.open} aria-label="Open the navigation" />
        <Text fw={700} c="var(--mantine-color-anchor)">
          Tidings
        </Text>
        <Text fw={600} truncate title={me.account.name} className={classes["account"] ?? ""}>
          {me.account.name}
        </Text>
        <PaletteButton />
        <AccountMenu />
      </header>
      <div className={classes["columns"]}>
        <div className={classes["side"]}>
          <NavigationLinks />
        </div>
        <Drawer
          opened={isOpen}
          onClose={drawer.close}
          title="Tidings"
          size="17rem"
          closeButtonProps={{ "aria-label": "Close the navigation" }}
        >
          <NavigationLinks onNavigate={drawer.close} />
        </Drawer>
        <main id="main" ref={main} tabIndex={-1} className={classes["main"]}>
          <CatchBoundary getResetKey={() => pathname} errorComponent={PageFailure}>
            {children}
          </CatchBoundary>
        </main>
      </div>
    </MeContext>
  );
}

/** A screen reader, and the Tab key, go on from the new page and not from the link that led there. */
function useFocusOnArrival(pathname: string) {
  const main = useRef<HTMLElement>(null);
  const shown = useRef(pathname);
  useEffect(() => {
    if (shown.current !== pathname) main.current?.focus({ preventScroll: true });
    shown.current = pathname;
  }, [pathname]);
  return main;
}
