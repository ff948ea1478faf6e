import { Alert, Button, Stack, Text } from "@mantine/core";
import { readableMessage } from "./readable-message.ts";

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
