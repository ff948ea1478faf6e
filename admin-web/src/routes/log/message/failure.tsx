import { Alert, Stack, Text } from "@mantine/core";
import { Fact, Facts } from "../../../ui/facts.tsx";
import { reasonWords } from "../../../ui/reason-words.ts";
import type { MessageDetails } from "./message-details.ts";
import { Resend } from "./resend.tsx";

interface FailureProps {
  message: MessageDetails;
  error: NonNullable<MessageDetails["error"]>;
}

/** What went wrong in plain words and what to do; below it the platform's own words, for its support. */
export function Failure({ message, error }: FailureProps) {
  const { explanation } = message;
  const errorReason = message.errorReason && reasonWords(message.errorReason);
  return (
    <Alert
      color="red"
      title={explanation?.text ?? errorReason ?? "It failed"}
      component="section"
      role="region"
      aria-label="What went wrong"
    >
      <Stack gap="sm">
        {explanation !== null && <Text size="sm">{explanation.action}</Text>}
        <Facts>
          <Fact name="Code">{error.subcode === null ? error.code : `${error.code}, subcode ${error.subcode}`}</Fact>
          <Fact name="Title">{error.title}</Fact>
          <Fact name="Details">{error.details}</Fact>
          <Fact name="Reason">{error.title === null && errorReason}</Fact>
          <Fact name="Trace id">{error.traceId}</Fact>
        </Facts>
        <Resend message={message} />
      </Stack>
    </Alert>
  );
}
