import { Stack, Text, Center, Loader, Anchor, Title, Button, Paper } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { t } from "../language.ts";
import { paths } from "../paths.ts";
import { CardPage } from "./page.tsx";

/** Shown when the frame around the pages itself fails. */
export const CardFailure = ({ error }: { error: unknown }) => (
  <CardPage title={t("Something went wrong")}>
    <PageFailure error={error} />
  </CardPage>
);

/** Shown for a page that fails to load or render. "Try again" reloads, which also picks up a newer build. */
export function PageFailure({ error }: { error: unknown }) {
  const shown = error instanceof Error ? error : { message: String(error) };
  return <FailureNotice title={t("Could not show this page")} error={shown} onRetry={() => window.location.reload()} />;
}

/** Whether the server does not know the id. A truncated id is a bad request. */
const isMissing = ({ data }: { data?: { code: string } | null | undefined }): boolean =>
  data?.code === "NOT_FOUND" || data?.code === "BAD_REQUEST";

interface LoadedProps<Data> {
  query: { data: Data | undefined; error: { message: string; data?: { code: string } | null | undefined } | null; refetch: () => unknown };
  /** Its name in messages, such as `the message`. */
  what: string;
  /** Shown for an id that there is not. */
  missing?: ReactNode;
  children: (data: Data) => ReactNode;
}

/** What a query answers, with its states: loading, failed, not found, perhaps out of date. */
export function Loaded<Data>({ query: { data, error, refetch }, what, missing, children }: LoadedProps<Data>): ReactNode {
  const retry = () => void refetch();
  if (data !== undefined)
    return (
      <>
        {error !== null && <FailureNotice title={t("This may be out of date")} error={error} onRetry={retry} />}
        {children(data)}
      </>
    );
  if (error === null) return <Loading what={what} />;
  if (missing !== undefined && isMissing(error)) return missing;
  return <FailureNotice title={t("Could not load {what}", { what })} error={error} onRetry={retry} />;
}

export const Loading = ({ what }: { what: string }) => (
  <Center p="xl" role="status" aria-label={t("Loading {what}", { what })}>
    <Loader />
  </Center>
);

export function NotFound() {
  useDocumentTitle(t("Page not found · Tidings"));
  return (
    <Stack gap="xs" align="center" p="xl" ta="center">
      <Title order={1}>{t("Page not found")}</Title>
      <Text>
        <Anchor href={paths.home} underline="always">
          {t("Go to Home")}
        </Anchor>
      </Text>
    </Stack>
  );
}

interface FailureNoticeProps {
  /** The title, such as "Could not load the log". */
  title: string;
  error: { message: string };
  onRetry?: () => void;
}

/** An error with the server's message, and a button that tries again everything that has failed on the page, mostly for the same reason. */
export function FailureNotice({ title, error, onRetry }: FailureNoticeProps) {
  const queries = useQueryClient();
  const retry = () => {
    onRetry?.();
    void queries.refetchQueries({ type: "active", predicate: ({ state }) => state.error !== null && state.fetchStatus === "idle" });
  };
  return (
    <Paper p="md" bg="var(--mantine-color-red-light)" role="alert">
      <Stack gap="sm" align="flex-start">
        <Text size="sm" fw={700} c="var(--mantine-color-red-light-color)">
          {title}
        </Text>
        <Text size="sm">{readableMessage(error.message)}</Text>
        {onRetry !== undefined && (
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
