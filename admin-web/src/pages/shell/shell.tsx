import {
  Burger,
  Drawer,
  Text,
  Avatar,
  type MantineColorScheme,
  Menu,
  UnstyledButton,
  useMantineColorScheme,
  NavLink,
  Kbd,
} from "@mantine/core";
import { useDisclosure, useHotkeys } from "@mantine/hooks";
import IconSearch from "@tabler/icons-react/dist/esm/icons/IconSearch.mjs";
import { Outlet, CatchBoundary, useLocation, Link, useNavigate, useRouter } from "@tanstack/react-router";
import { useEffect, useRef, type ReactNode, useState, lazy, Suspense } from "react";
import { isAtLeast } from "shared/core/role";
import { paths } from "../../paths.ts";
import { useSession, type Me, MeContext, useMe, readSignInSearch } from "../../session.tsx";
import { Dialog } from "../../ui/dialogs.tsx";
import { Loading, NotFound, FailureNotice, PageFailure } from "../../ui/page-states.tsx";
import { CardPage } from "../../ui/page.tsx";
import { HoldBanner } from "./hold-banner.tsx";
import { useSignOut, navigation, type NavigationEntry } from "./navigation.ts";
import classes from "./shell.module.css";

/** For an unknown address; inside the frame of the dashboard if somebody is signed in. */
export function UnknownPage() {
  const { me, isNobody, error } = useSession();
  if (me === undefined && !isNobody && error === null) return <Loading what="the page" />;
  if (me === undefined)
    return (
      <main>
        <NotFound />
      </main>
    );
  return (
    <Shell me={me}>
      <NotFound />
    </Shell>
  );
}

/** Around every page that needs a session; without one it leads to the sign-in page and back. */
export function SignedInLayout() {
  const { me, isNobody, error, retry } = useSession();
  if (isNobody) return <SignInFirst />;
  if (me === undefined) {
    if (error === null) return <Loading what="the dashboard" />;
    return (
      <CardPage title="Not connected">
        <FailureNotice title="The server does not answer" error={error} onRetry={retry} />
      </CardPage>
    );
  }
  return <Entrance me={me} />;
}

const ElsewherePage = lazy(async () => ({ default: (await import("./account-choice.tsx")).ElsewherePage }));

const EnrolmentPage = lazy(async () => ({ default: (await import("./enrolment-page.tsx")).EnrolmentPage }));

/** The dashboard, once the person is where the account lets them in, has a second factor where one is demanded, and has saved its recovery codes. */
function Entrance({ me }: { me: Me }) {
  const { mustEnroll } = me.secondFactor;
  const [isEnrolling, setEnrolling] = useState(mustEnroll);
  if (mustEnroll && !isEnrolling) setEnrolling(true);
  if (isEnrolling || me.refusedAddress !== null)
    return (
      <Suspense fallback={<Loading what="the page" />}>
        {me.refusedAddress === null ? <EnrolmentPage onDone={() => setEnrolling(false)} /> : <ElsewherePage me={me} />}
      </Suspense>
    );
  return (
    <Shell me={me}>
      <Outlet />
    </Shell>
  );
}

/** The frame of the dashboard: a bar on top, and the navigation at the side or, in narrow windows, in a drawer. */
function Shell({ me, children }: { me: Me; children: ReactNode }) {
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
        Skip to content
      </a>
      <header className={classes["bar"]}>
        <Burger className={classes["burger"] ?? ""} size="sm" opened={isOpen} onClick={drawer.open} aria-label="Open navigation" />
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
        <Drawer opened={isOpen} onClose={drawer.close} title="Tidings" size="17rem" closeButtonProps={{ "aria-label": "Close navigation" }}>
          <NavigationLinks onNavigate={drawer.close} />
        </Drawer>
        <main id="main" ref={main} tabIndex={-1} className={classes["main"]}>
          <HoldBanner />
          <CatchBoundary getResetKey={() => pathname} errorComponent={PageFailure}>
            {children}
          </CatchBoundary>
        </main>
      </div>
    </MeContext>
  );
}

/** Moves the focus to the new page, so that screen readers and the Tab key continue there. */
function useFocusOnArrival(pathname: string) {
  const main = useRef<HTMLElement>(null);
  const shown = useRef(pathname);
  useEffect(() => {
    if (shown.current !== pathname) main.current?.focus({ preventScroll: true });
    shown.current = pathname;
  }, [pathname]);
  return main;
}

const AccountChoice = lazy(async () => ({ default: (await import("./account-choice.tsx")).AccountChoice }));

function AccountMenu() {
  const { user, accounts } = useMe();
  const hasChoice = accounts.length > 1;
  const { signOut, isPending, error } = useSignOut();
  return (
    <>
      {error !== null && (
        <div className={classes["failure"]}>
          <FailureNotice title="You are still signed in" error={error} onRetry={signOut} />
        </div>
      )}
      <Menu position="bottom-end" width={240} keepMounted={hasChoice}>
        <Menu.Target>
          <UnstyledButton className={classes["target"]} aria-label={`${user.name}: your menu`}>
            <Avatar name={user.name} size="sm" color="teal" alt="" aria-hidden />
            <Text size="sm" className={classes["name"] ?? ""} truncate>
              {user.name}
            </Text>
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>
            {user.email}, {user.role}
          </Menu.Label>
          {hasChoice && (
            <Suspense>
              <AccountChoice />
            </Suspense>
          )}
          <Menu.Item component={Link} to={paths.myAccount}>
            Sign-in and sessions
          </Menu.Item>
          <Menu.Divider />
          <ColorSchemes />
          <Menu.Divider />
          <Menu.Item disabled={isPending} onClick={signOut}>
            Sign out
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  );
}

function ColorSchemes() {
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  return (
    <Menu.RadioGroup value={colorScheme} onChange={(scheme) => setColorScheme(scheme as MantineColorScheme)}>
      <Menu.RadioItem value="auto">Same as device</Menu.RadioItem>
      <Menu.RadioItem value="light">Light</Menu.RadioItem>
      <Menu.RadioItem value="dark">Dark</Menu.RadioItem>
    </Menu.RadioGroup>
  );
}

/** The pages that the person may open. */
function NavigationLinks({ onNavigate = () => {} }: { onNavigate?: () => void }) {
  const { role } = useMe().user;
  return (
    <nav aria-label="Pages" className={classes["nav"]}>
      {navigation.map(({ label, entries }) => (
        <section key={label} aria-label={label}>
          <Text size="xs" fw={600} c="dimmed" px="sm" pb={4}>
            {label}
          </Text>
          {entries
            .filter(({ needed }) => isAtLeast(role, needed))
            .map((entry) => (
              <PageLink key={entry.to} {...entry} onNavigate={onNavigate} />
            ))}
        </section>
      ))}
    </nav>
  );
}

function PageLink({ to, label, below, icon: Icon, onNavigate }: NavigationEntry & { onNavigate: () => void }) {
  const isBelow = useLocation({ select: ({ pathname }) => below !== undefined && pathname.startsWith(below) });
  return (
    <NavLink
      component={Link}
      to={to}
      activeOptions={{ exact: to === "/", includeSearch: false }}
      activeProps={{ "data-active": true }}
      {...(isBelow && { "data-active": true, "aria-current": "page" })}
      className={classes["link"]}
      label={label}
      leftSection={<Icon size={18} stroke={1.75} aria-hidden />}
      onClick={onNavigate}
    />
  );
}

/** Leads to the sign-in page, and from there back to the requested page. */
function SignInFirst() {
  const router = useRouter();
  const navigate = useNavigate();
  // Read once, as the address changes to the sign-in page.
  const [asked] = useState(() => router.state.location.href);
  useEffect(() => {
    void navigate({ to: paths.signIn, search: readSignInSearch({ next: asked === paths.home ? undefined : asked }), replace: true });
  }, [navigate, asked]);
  return <Loading what="the sign-in page" />;
}

const load = () => import("./palette.tsx");
const Palette = lazy(async () => ({ default: (await load()).Palette }));
/** Delays the load, so that the page's own requests come first. */
const waitMs = 300;

/** Opens the palette, as Ctrl+K or Cmd+K does. The palette is loaded ahead, so that keys typed right after are not lost. */
function PaletteButton() {
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
      <UnstyledButton className={classes["search"]} onClick={open} aria-label="Search" aria-keyshortcuts="Control+K Meta+K">
        <IconSearch size={18} aria-hidden />
        <Text span size="sm" className={classes["searchWords"] ?? ""}>
          Search
        </Text>
        <Kbd className={classes["searchWords"] ?? ""} size="xs">
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
