import { Alert, Button, Stack, Text } from "@mantine/core";

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
        <Text size="sm">{readable(error.message)}</Text>
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
function readable(message: string): string {
  const lost = /failed to fetch|networkerror|load failed|not valid json|unexpected (?:end|token)/iu.test(message);
  return lost ? "The server cannot be reached. Check that it runs and that you are online." : message;
}
