import { Stack, Text, Center, Loader, Anchor, Title, Button, Alert } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { paths } from "../paths.ts";
import { CardPage } from "./page.tsx";

/** In place of everything, when not even the frame around the pages could be shown. */
export function CardFailure({ error }: { error: unknown }) {
  return (
    <CardPage title="Something broke">
      <PageFailure error={error} />
    </CardPage>
  );
}

/** In place of a page that could not be loaded or drawn. Trying again loads it anew, so that a newer build of the dashboard is found too. */
export function PageFailure({ error }: { error: unknown }) {
  const shown = error instanceof Error ? error : { message: String(error) };
  return <FailureNotice title="Could not show this page" error={shown} onRetry={() => window.location.reload()} />;
}

/** Whether the server has no such thing. An address that was cut off names no id at all. */
export const isMissing = ({ data }: { data?: { code: string } | null | undefined }): boolean =>
  data?.code === "NOT_FOUND" || data?.code === "BAD_REQUEST";

export function Loading({ what }: { what: string }) {
  return (
    <Center p="xl" role="status" aria-label={`Loading ${what}`}>
      <Loader />
    </Center>
  );
}

/** An address that leads nowhere. */
export function NotFound() {
  useDocumentTitle("No such page · Tidings");
  return (
    <Stack gap="xs" align="center" p="xl" ta="center">
      <Title order={1}>No such page</Title>
      <Text>
        The address leads nowhere.{" "}
        <Anchor href={paths.home} underline="always">
          Go to the start
        </Anchor>
      </Text>
    </Stack>
  );
}

interface FailureNoticeProps {
  /** What could not be done. */
  title: string;
  error: { message: string };
  onRetry?: () => void;
}

/** Says what went wrong, in the server's words, and offers to try again. */
export function FailureNotice({ title, error, onRetry }: FailureNoticeProps) {
  return (
    <Alert color="red" title={title} role="alert">
      <Stack gap="sm" align="flex-start">
        <Text size="sm">{readableMessage(error.message)}</Text>
        {onRetry !== undefined && (
          <Button size="xs" variant="default" onClick={onRetry}>
            Try again
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

/** Browsers word a lost connection each in its own way, and none helpfully. */
export function readableMessage(message: string): string {
  const lost = /failed to fetch|networkerror|load failed|not valid json|unexpected (?:end|token)/iu.test(message);
  return lost ? "The server cannot be reached. Check that it runs and that you are online." : message;
}
