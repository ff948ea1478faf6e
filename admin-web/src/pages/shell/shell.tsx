import { Badge, Burger, Drawer, Flex, Group, Modal, Stack, Text, UnstyledButton, NavLink, Kbd, VisuallyHidden } from "@mantine/core";
import { useDisclosure, useHotkeys, useLocalStorage, useWindowEvent } from "@mantine/hooks";
import IconDeviceMobile from "@tabler/icons-react/dist/esm/icons/IconDeviceMobile.mjs";
import IconSearch from "@tabler/icons-react/dist/esm/icons/IconSearch.mjs";
import { Outlet, CatchBoundary, useLocation, Link, useNavigate, useRouter, useRouterState } from "@tanstack/react-router";
import { useEffect, useRef, type ReactNode, useState } from "react";
import { isAtLeast } from "shared/core/role";
import { formatCount } from "../../format.ts";
import { t } from "../../language.ts";
import { paths } from "../../paths.ts";
import { isSamePerson, mayGoOn, useSession, type Me, SignedIn, useMe, readSignInSearch } from "../../session.tsx";
import { askWho, findUnsaved, speaker, trpc } from "../../trpc.ts";
import { type AskedDialog, Begun, Dialog, useDialog, useMeant } from "../../ui/base/dialogs.tsx";
import { Awaiting, later, part, useAhead } from "../../ui/base/later.tsx";
import { CardPage, Logo, Loading, NotFound, FailureNotice, Offline, Page, PageFailure } from "../../ui/base/page.tsx";
import { useFollowedOperations, useOpenOperations } from "../../ui/operation/operations.tsx";
import { mostCounted, useOpenProblems } from "../../ui/problem/open-problems.ts";
import { AccountMenu } from "./account-menu.tsx";
import { takeFirstAnswers } from "./first-answers.ts";
import { Age, Awaited, HoldBanner } from "./hold-banner.tsx";
import { keepFocus } from "./keep-focus.ts";
import { ModeSwitch, TestDataBand } from "./mode-switch.tsx";
import { entryAt, navigation, type NavigationEntry, useKeys } from "./navigation.ts";
import classes from "./shell.module.css";

takeFirstAnswers();

/** The page for an unknown address; inside the frame of the dashboard if somebody is signed in. */
export function UnknownPage() {
  const { me, isNobody, error } = useSession();
  if (me === undefined && !isNobody && error === null) return <Loading what={t("the page")} />;
  const page = <NotFound />;
  return me === undefined ? <main>{page}</main> : <Shell me={me}>{page}</Shell>;
}

/** Whether the page waits for its author: somebody else is there now, or, while something is typed, nobody or the author with a lower role. */
const waitsFor = (author: Me, present: Me | undefined, isNobody: boolean): boolean =>
  present !== undefined && isSamePerson(present, author)
    ? !mayGoOn(present, author) && findUnsaved() !== undefined
    : present !== undefined || (isNobody && findUnsaved() !== undefined);

/** Surrounds every page that needs a session; without one it leads to the sign-in page and back. */
export function SignedInLayout() {
  const { me: present, isNobody, error, retry } = useSession();
  useWindowEvent("focus", askWho);
  const [{ author, isAway }, setPresence] = useState<{ author?: Me; isAway: boolean }>({ isAway: false });
  const me = isAway ? author : present;
  if (!isAway && present !== author) {
    if (author !== undefined && waitsFor(author, present, isNobody)) setPresence({ author, isAway: true });
    else if (present !== undefined) setPresence({ author: present, isAway });
  }
  useEffect(() => {
    speaker.headers = () => (author === undefined ? {} : { "x-page-of": `${author.user.id} ${author.account.id}` });
    return () => void (speaker.headers = () => ({}));
  }, [author]);
  if (me === undefined) {
    if (isNobody) return <SignInFirst />;
    if (error === null) return <Loading what={t("the dashboard")} />;
    return (
      <CardPage title={t("Not connected")}>
        <FailureNotice title={t("The server does not answer")} error={error} onRetry={retry} />
      </CardPage>
    );
  }
  return (
    <>
      <Entrance me={me} />
      {isAway && <SessionEnded author={me} onBack={(back) => setPresence({ author: back, isAway: false })} />}
    </>
  );
}

const SessionEnded = later(async () => (await import("./session-ended.tsx")).SessionEnded);

const ElsewherePage = part(async () => (await import("./account-choice.tsx")).ElsewherePage);

const EnrolmentPage = part(async () => (await import("./enrolment-page.tsx")).EnrolmentPage);

/** The dashboard, once the person is where the account lets them in, has a second factor where one is demanded, and has saved its recovery codes. */
function Entrance({ me }: { me: Me }) {
  const { mustEnroll } = me.secondFactor;
  const [isEnrolling, setEnrolling] = useState(mustEnroll);
  if (mustEnroll && !isEnrolling) setEnrolling(true);
  if (isEnrolling || me.refusedAddress !== null)
    return (
      <Awaiting fallback={<Loading what={t("the page")} />}>
        {me.refusedAddress === null ? <EnrolmentPage onDone={() => setEnrolling(false)} /> : <ElsewherePage me={me} />}
      </Awaiting>
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
  const { root, isMeant } = useMeant();
  const { pathname } = useLocation();
  const main = useFocusOnArrival(pathname);
  const [isSheetOpen, sheet] = useDisclosure(false);
  const [hasKeys, setKeys] = useLocalStorage({ key: "tidings-shortcuts", defaultValue: true, getInitialValueInEffect: false });
  useKeys(hasKeys, me.user.role, sheet.open);
  return (
    <SignedIn me={me}>
      <a
        href="#main"
        className={classes["skip"]}
        onClick={(event) => {
          event.preventDefault();
          main.current?.focus();
        }}
      >
        {t("Skip to content")}
      </a>
      <Group component="header" gap="sm" h="3.5rem" px="md" wrap="nowrap" className={classes["bar"] ?? ""} data-screen>
        <Burger className={classes["burger"] ?? ""} size="sm" opened={isOpen} onClick={drawer.open} aria-label={t("Open navigation")} />
        <Logo />
        <Text size="md" fw={600} truncate title={me.account.name} flex={1} miw={0}>
          {me.account.name}
        </Text>
        <ModeSwitch />
        <PhoneLink />
        <PaletteButton onShortcuts={sheet.open} />
        <AccountMenu />
      </Group>
      {isSheetOpen && (
        <CatchBoundary getResetKey={() => pathname} errorComponent={() => null}>
          <Shortcuts opened isOn={hasKeys} setOn={setKeys} onClose={sheet.close} />
        </CatchBoundary>
      )}
      <Flex>
        <div className={classes["side"]} data-screen>
          <NavigationLinks />
        </div>
        <Drawer
          ref={root}
          opened={isOpen}
          onClose={() => isMeant() && drawer.close()}
          title={t("Tidings")}
          size="17rem"
          closeButtonProps={{ "aria-label": t("Close navigation") }}
        >
          <NavigationLinks onNavigate={drawer.close} />
        </Drawer>
        <main id="main" ref={main} tabIndex={-1} className={classes["main"]}>
          <Standing />
          <Contained>{children}</Contained>
        </main>
      </Flex>
    </SignedIn>
  );
}

/** A page, or that it fails. Until the page of an address is there the one before is shown, and a fault of that one is no fault of the next. */
function Contained({ children }: { children: ReactNode }) {
  const shown = useRouterState({ select: ({ location, resolvedLocation }) => `${location.pathname} ${resolvedLocation?.pathname}` });
  return (
    <CatchBoundary getResetKey={() => shown} errorComponent={PageFailed}>
      {children}
    </CatchBoundary>
  );
}

/** In place of a page that fails, below its name. */
function PageFailed({ error }: { error: unknown }) {
  return (
    <Page title={entryAt(useLocation().pathname)?.label ?? t("Something went wrong")}>
      <PageFailure error={error} />
    </Page>
  );
}

/** What concerns every page: what is paused, and what is under way. */
function Standing() {
  const open = useOpenOperations();
  const [followed] = useFollowedOperations();
  return (
    <>
      <Offline />
      <Awaited />
      <Age />
      <TestDataBand />
      <HoldBanner />
      {open.length + followed.length > 0 && <OperationsBar />}
    </>
  );
}

const OperationsBar = later(async () => (await import("./operations-bar.tsx")).OperationsBar);

const Shortcuts = later(async () => (await import("./shortcuts.tsx")).Shortcuts);

/** Moves the focus to the new page, so that screen readers and the Tab key continue there, and keeps it in the page. */
function useFocusOnArrival(pathname: string) {
  const main = useRef<HTMLElement>(null);
  const shown = useRef(pathname);
  useEffect(() => {
    if (shown.current !== pathname) main.current?.focus({ preventScroll: true });
    shown.current = pathname;
  }, [pathname]);
  useEffect(() => (main.current === null ? undefined : keepFocus(main.current)), []);
  return main;
}

/** The pages that the person may open. */
function NavigationLinks({ onNavigate = () => {} }: { onNavigate?: () => void }) {
  const { role } = useMe().user;
  const { pathname } = useLocation();
  return (
    <Stack component="nav" gap={12} aria-label={t("Pages")}>
      {navigation
        .filter(({ kind }) => kind !== "elsewhere")
        .map(({ label, entries, kind }) => {
          const [first] = entries;
          if (kind === "folded" && first !== undefined && !entries.some(({ to }) => pathname.startsWith(to)))
            return <PageLink key={label} {...first} label={label} onNavigate={onNavigate} />;
          return (
            <div key={label} role="group" aria-label={label}>
              <Text size="xs" fw={600} c="dimmed" px="sm" pb={4}>
                {label}
              </Text>
              {entries
                .filter(({ needed }) => isAtLeast(role, needed))
                .map((entry) => (
                  <PageLink key={entry.to} {...entry} onNavigate={onNavigate} />
                ))}
            </div>
          );
        })}
    </Stack>
  );
}

/** While the sandbox stands for WhatsApp, its phone is one click away. */
function PhoneLink() {
  const settings = trpc.settings.get.useQuery(undefined, { staleTime: settingsFreshMs });
  if (settings.data?.platform.sandbox !== true) return null;
  return (
    <UnstyledButton
      component={Link}
      to={paths.phone}
      className={classes["target"]}
      aria-label={t("Sandbox phone")}
      title={t("Sandbox phone")}
    >
      <IconDeviceMobile size={20} aria-hidden />
    </UnstyledButton>
  );
}

const settingsFreshMs = 60_000;

/** The number of open problems. */
function OpenProblems() {
  const count = useOpenProblems()?.items.length ?? 0;
  if (count === 0) return null;
  return (
    <Badge size="sm" circle={count < 10} color="yellow" variant="light" c="var(--mantine-color-text)">
      {count > mostCounted ? t("{count}+", { count: formatCount(mostCounted) }) : formatCount(count)}
      <VisuallyHidden>{t(" open")}</VisuallyHidden>
    </Badge>
  );
}

function PageLink({ to, label, icon: Icon, isCounted, onNavigate }: NavigationEntry & { onNavigate: () => void }) {
  const isHere = useLocation({ select: ({ pathname }) => entryAt(pathname)?.to === to });
  return (
    <NavLink
      component={Link}
      to={to}
      activeOptions={{ exact: true, includeSearch: false }}
      {...(isHere && { "data-active": true, "aria-current": "page" })}
      mih={32}
      py={4}
      bdrs="var(--mantine-radius-default)"
      label={label}
      leftSection={<Icon size={18} stroke={1.75} aria-hidden />}
      rightSection={isCounted === true && <OpenProblems />}
      onClick={onNavigate}
    />
  );
}

/** Leads to the sign-in page, and from there back to the requested page. */
function SignInFirst() {
  const router = useRouter();
  const navigate = useNavigate();
  // The address is read once, as it changes to that of the sign-in page.
  const [asked] = useState(() => router.state.location.href);
  useEffect(() => {
    void navigate({ to: paths.signIn, search: readSignInSearch({ next: asked === paths.home ? undefined : asked }), replace: true });
  }, [navigate, asked]);
  return <Loading what={t("the sign-in page")} />;
}

const Palette = part(async () => (await import("./palette.tsx")).Palette);

/** Opens the palette, as Ctrl+K or Cmd+K does. What is typed before it has loaded is kept for it. */
function PaletteButton({ onShortcuts }: { onShortcuts: () => void }) {
  const [opened, { open, close }] = useDisclosure(false);
  const { show, draw } = useDialog();
  /** The question of a command, in place of the search. */
  const ask = (question: AskedDialog) => {
    close();
    show(question);
  };
  useAhead(Palette.prepare);
  useHotkeys([["mod+K", opened ? close : open]], [], true);
  return (
    <>
      <UnstyledButton className={classes["search"]} onClick={open} aria-label={t("Search")} aria-keyshortcuts="Control+K Meta+K">
        <IconSearch size={18} aria-hidden />
        <Text span className={classes["searchWords"] ?? ""}>
          {t("Search")}
        </Text>
        <Kbd className={classes["searchWords"] ?? ""} size="xs">
          {isApple() ? "⌘ K" : t("Ctrl K")}
        </Kbd>
      </UnstyledButton>
      <CatchBoundary getResetKey={() => String(opened)} errorComponent={PaletteFailure}>
        <Modal
          opened={opened}
          onClose={close}
          title={<VisuallyHidden>{t("Search")}</VisuallyHidden>}
          withCloseButton={false}
          returnFocus={false}
          transitionProps={{ duration: 0 }}
          yOffset="10vh"
          size="36rem"
          padding={0}
          zIndex={202}
          styles={{ header: { minHeight: 0, padding: 0 } }}
        >
          <Begun what={t("Search")}>
            <Palette {...{ ask, onShortcuts }} onClose={close} />
          </Begun>
        </Modal>
      </CatchBoundary>
      {draw()}
    </>
  );
}

const isApple = (): boolean => /Mac|iPhone|iPad/u.test(navigator.userAgent);

/** Shown when the palette's script fails to load. "Try again" reloads, which also picks up a newer build. */
function PaletteFailure({ error }: { error: unknown }) {
  const [opened, setOpened] = useState(true);
  return (
    <Dialog title={t("Search")} opened={opened} onClose={() => setOpened(false)}>
      <PageFailure title={t("Could not load the search")} error={error} />
    </Dialog>
  );
}
