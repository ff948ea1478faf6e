import { Alert, List, Stack, Text } from "@mantine/core";
import { paths } from "../../paths.ts";
import { useMay } from "../../session.tsx";
import { TextLink } from "../../ui/buttons.tsx";
import { Due, Moment } from "../../ui/facts.tsx";
import { Section } from "../../ui/page.tsx";
import { WaitingActions } from "../../ui/waiting-actions.tsx";
import type { MessageDetails } from "./message-parts.tsx";

/** What a message waits for, or what stopped it. */
export function WaitingPart({ message }: { message: MessageDetails }) {
  const mayChange = useMay("operator");
  const { status, dueAt, nextAttemptAt, explanation, siteId } = message;
  if (status === "cancelled")
    return (
      <Alert color="gray" title="Cancelled">
        {explanation?.text}
      </Alert>
    );
  if (status === "queued" && nextAttemptAt !== null) {
    return (
      <Alert color="gray" title={message.tries.length === 0 ? "Waits for its turn" : "Is tried again"}>
        {message.tries.length === 0 ? "Due" : "Next try"}: <Due at={nextAttemptAt} />
      </Alert>
    );
  }
  if (status !== "scheduled") return null;
  return (
    <Alert color="violet" title={dueAt === null ? "Waits for its site" : "Waits for its time"}>
      <Stack gap="sm" align="flex-start">
        <Text size="sm">
          {dueAt === null ? (
            <>
              The{" "}
              <TextLink to={paths.site} params={{ siteId }} c="inherit">
                site
              </TextLink>{" "}
              pauses sending, or has just begun again.
            </>
          ) : (
            <>
              Due: <Due at={dueAt} />
            </>
          )}
        </Text>
        {mayChange && <WaitingActions message={message} />}
      </Stack>
    </Alert>
  );
}

/** The tries that WhatsApp refused before the last one. */
export function Tries({ tries }: Pick<MessageDetails, "tries">) {
  if (tries.length === 0) return null;
  return (
    <Section title="Earlier tries">
      <List type="ordered" size="sm" spacing={4}>
        {tries.map(({ at, code, title }) => (
          <List.Item key={at}>
            <Moment at={at} seconds />: {title} (code {code})
          </List.Item>
        ))}
      </List>
    </Section>
  );
}
