import { Anchor, Box, Button, Group, Stack, Text, Title, Card, Center, Loader, Paper } from "@mantine/core";
import { useDocumentTitle, useWindowEvent } from "@mantine/hooks";
import { onlineManager, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useId, cloneElement, Fragment, isValidElement, useSyncExternalStore } from "react";
import { direction, t } from "../../language.ts";
import { paths } from "../../paths.ts";
import type { Gone } from "./gone.tsx";
import { later } from "./later.tsx";

export interface PageProps {
  title: string;
  /** The title as it breaks in narrow windows. */
  shown?: ReactNode;
  /** One line of state under the title, which keeps its height while it is empty. */
  lead?: ReactNode;
  /** The parent page. */
  back?: { to: string; search?: object; label: string };
  /** Buttons beside the title. */
  actions?: ReactNode;
  children?: ReactNode;
}

/** A page inside the frame of the dashboard. */
export function Page({ title, shown = title, lead, back, actions, children }: PageProps) {
  useDocumentTitle(`${title} · Tidings`);
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-start" gap="sm" data-head>
        {/* A long line of state wraps, and leaves the buttons beside it. */}
        <Box miw={0} flex="1 1 14rem">
          {back !== undefined && (
            <Anchor underline="hover" component={Link} to={back.to} search={back.search as never}>
              {direction === "rtl" ? "→" : "←"} {back.label}
            </Anchor>
          )}
          <Title order={1} size="h2" lh="2.25rem">
            {shown}
          </Title>
          <Lead>{lead}</Lead>
        </Box>
        {actions}
      </Group>
      {children}
    </Stack>
  );
}

const Lead = ({ children = false }: { children: ReactNode }) =>
  children !== false && (
    <Dimmed maw="48rem" component="div">
      {children === "" ? "\u00A0" : children}
    </Dimmed>
  );

const ColorSchemeButton = later(async () => (await import("./color-scheme-button.tsx")).ColorSchemeButton);

const LanguageSelect = later(async () => (await import("./language-select.tsx")).LanguageSelect);

/** A page of one centred card, such as the sign-in. */
export function CardPage({ title, lead, children }: { title: string; lead?: string; children: ReactNode }) {
  useDocumentTitle(`${title} · Tidings`);
  return (
    <Center component="main" mih="100vh" p="md">
      <Card padding="xl" w="100%" maw={440}>
        <Stack>
          <Group justify="space-between" mih={26}>
            <Logo />
            <ColorSchemeButton />
          </Group>
          <div>
            <Title order={1} size="h2">
              {title}
            </Title>
            <Lead>{lead}</Lead>
          </div>
          {children}
          <LanguageSelect />
        </Stack>
      </Card>
    </Center>
  );
}

/** The mark and the name. */
export const Logo = () => (
  <Group component="span" display="inline-flex" gap="0.5rem" fw={600} lts="-0.01em" c="var(--mantine-color-anchor)">
    <img src="/favicon.svg" width={24} height={24} alt="" />
    <span data-brand>{t("Tidings")}</span>
  </Group>
);

interface SectionProps {
  title: string;
  lead?: string | false | undefined;
  actions?: ReactNode;
  /** True if what it holds stands on a card, one below the other. */
  isCard?: boolean;
  children: ReactNode;
}

/** A part of a page with its own heading. */
export function Section({ title, lead, actions, isCard = false, children }: SectionProps) {
  const id = useId();
  return (
    <Stack component="section" gap="sm" miw={0} aria-labelledby={id}>
      <Group justify="space-between" align="flex-end" gap="sm">
        <div>
          <Title order={2} size="h4" id={id}>
            {title}
          </Title>
          <Lead>{lead}</Lead>
        </div>
        {actions}
      </Group>
      {isCard ? (
        <Card maw="40rem">
          <Stack>{children}</Stack>
        </Card>
      ) : (
        children
      )}
    </Stack>
  );
}

/** Tells what belongs here and how to begin, with the one button for that. */
export const EmptyState = ({ title, action, children }: { title: string; action?: ReactNode; children: ReactNode }) => (
  <Card padding="xl" ta="center">
    <Text size="md" fw={600}>
      {title}
    </Text>
    <Dimmed component="div" maw="32rem" mt={4} mx="auto">
      {children}
    </Dimmed>
    {action !== undefined && action !== false && (
      <Group justify="center" mt="sm">
        {action}
      </Group>
    )}
  </Card>
);

/** Quiet words beside what they are about. */
export const Dimmed = Text.withProps({ c: "dimmed" });

/** Smaller ones, below a field or beside a name. */
export const Small = Text.withProps({ size: "xs", c: "dimmed" });

/** What has just come about, which screen readers say. */
export const News = Text.withProps({ role: "status" });

/** Shown when the frame around the pages itself fails. */
export const CardFailure = ({ error }: { error: unknown }) => (
  <CardPage title={t("Something went wrong")}>
    <PageFailure error={error} />
  </CardPage>
);

/** Says why nothing comes while there is no network. */
export function Offline() {
  const online = useSyncExternalStore(
    (tell) => onlineManager.subscribe(tell),
    () => onlineManager.isOnline(),
  );
  return (
    <News c="var(--mantine-color-yellow-light-color)" fw={600} mb={online ? 0 : "sm"}>
      {!online && t("You are offline. What is shown may be out of date, and goes on when you are back.")}
    </News>
  );
}

/** Shown for a page that fails to load or render. "Try again" reloads, which also picks up a newer build, as does a network that is back. */
export function PageFailure({ title = t("Could not show this page"), error }: { title?: string; error: unknown }) {
  useWindowEvent("online", () => window.location.reload());
  const shown = error instanceof Error ? error : { message: String(error) };
  return <FailureNotice title={title} error={shown} onRetry={() => window.location.reload()} />;
}

/** Whether the server does not know the id. A truncated id is a bad request. */
export const isMissing = ({ data }: { data?: { code?: string } | null | undefined }) =>
  data?.code === "NOT_FOUND" || data?.code === "BAD_REQUEST";

interface PendingProps {
  query: { error: { message: string; data?: { code: string; gone?: Gone | null } | null | undefined } | null; refetch: () => unknown };
  /** Its name in messages, such as `the message`. */
  what: string;
  /** The title of its failure. */
  failure?: string;
}

/** In place of what a query has not answered: it is loading, or it failed. */
export const Pending = ({ query, what, failure = t("Could not load {what}", { what }) }: PendingProps) =>
  query.error === null ? <Loading what={what} /> : <FailureNotice title={failure} of={query} />;

export interface LoadedProps<Data> extends Pick<PendingProps, "what"> {
  query: PendingProps["query"] & { data: Data | undefined };
  /** Shown for an id that there is not. */
  missing?: ReactNode;
  children: (data: Data) => ReactNode;
}

/** What a query answers, with its states: loading, failed, not found. */
export function Loaded<Data>({ query, what, missing, children }: LoadedProps<Data>): ReactNode {
  if (query.data !== undefined)
    return (
      <>
        <FailureNotice title={t("This may be out of date")} error={query.error} onRetry={() => void query.refetch()} />
        {children(query.data)}
      </>
    );
  if (missing === undefined || query.error === null || !isMissing(query.error) || query.error.data?.gone?.at)
    return <Pending query={query} what={what} />;
  return missing;
}

export const Loading = ({ what }: { what: string }) => (
  <Stack p="xl" align="center" role="status" aria-label={t("Loading {what}", { what })}>
    <Loader />
    <Offline />
  </Stack>
);

export function NotFound() {
  useDocumentTitle(t("Page not found · Tidings"));
  return (
    <Stack gap="xs" align="center" p="xl" ta="center">
      <Title order={1}>{t("Page not found")}</Title>
      <Anchor size="md" href={paths.home}>
        {t("Go to Home")}
      </Anchor>
    </Stack>
  );
}

interface Failed {
  message: string;
  data?: { gone?: Gone | null; code?: string } | null | undefined;
  again?: (() => void) | undefined;
}

const GoneNotice = later(async () => (await import("./gone.tsx")).GoneNotice);

interface FailureNoticeProps {
  /** The title, such as "Could not load the log". */
  title: string;
  /** A change, or a query, which can be tried again. */
  of?: { error: Failed | null; refetch?: () => unknown };
  error?: Failed | null;
  onRetry?: () => void;
}

/** An error, if there is one, with the server's message, and a button that tries again everything that has failed on the page, mostly for the same reason. */
export function FailureNotice({ title, of, error = of?.error ?? null, onRetry = of?.refetch }: FailureNoticeProps) {
  const queries = useQueryClient();
  if (error === null) return null;
  if (error.data?.gone) return <GoneNotice gone={error.data.gone} message={error.message} again={error.again} />;
  const retry = () => {
    onRetry?.();
    void queries.refetchQueries({ type: "active", predicate: ({ state }) => state.error !== null && state.fetchStatus === "idle" });
  };
  return (
    <Paper p="md" bg="var(--mantine-color-red-light)" role="alert">
      <Stack gap="sm" align="flex-start">
        <Text fw={600} c="var(--mantine-color-red-light-color)">
          {title}
        </Text>
        <Text>{readableMessage(error.message)}</Text>
        {/* What is not there, or not for the reader's role, fails again. */}
        {onRetry !== undefined && error.data?.code !== "FORBIDDEN" && !isMissing(error) && (
          <Button size="xs" variant="default" onClick={retry}>
            {t("Try again")}
          </Button>
        )}
      </Stack>
    </Paper>
  );
}

/** Replaces the browsers' own messages for a lost connection. */
export function readableMessage(message: string): string {
  const lost = /failed to fetch|networkerror|load failed|not valid json|unexpected (?:end|token)/iu.test(message);
  return lost ? t("The server cannot be reached. Check that it runs and that you are online.") : message;
}

const tag = /<(\d+)>(.*?)<\/\1>|<(\d+)\/>/gu;

/** A text with elements in it: `Read <0>the docs</0>, then <1/>.` shows the first part around its words, and the second in its place. */
export function rich(text: string, ...parts: ReactNode[]): ReactNode {
  const shown: ReactNode[] = [];
  let end = 0;
  for (const found of text.matchAll(tag)) {
    const [whole, around, words, alone] = found;
    const part = parts[Number(around ?? alone)];
    shown.push(text.slice(end, found.index), words !== undefined && isValidElement(part) ? cloneElement(part, {}, words) : part);
    end = found.index + whole.length;
  }
  return [...shown, text.slice(end)].map((each, index) => <Fragment key={index}>{each}</Fragment>);
}
