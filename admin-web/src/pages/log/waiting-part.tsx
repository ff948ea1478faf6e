import { Alert, List, Stack, Text } from "@mantine/core";
import { isDropped, statusFacts } from "shared/core/message";
import { t, translated } from "../../language.ts";
import { paths } from "../../paths.ts";
import { useMay } from "../../session.tsx";
import { TextLink } from "../../ui/buttons.tsx";
import { Due, Moment } from "../../ui/facts.tsx";
import { Section } from "../../ui/page.tsx";
import { Rich } from "../../ui/rich.tsx";
import { WaitingActions } from "../../ui/waiting-actions.tsx";
import type { MessageDetails } from "./message-parts.tsx";

/** What a message waits for, or what stopped it. */
export function WaitingPart({ message }: { message: MessageDetails }) {
  const mayChange = useMay("operator");
  const { status, dueAt, nextAttemptAt, explanation, siteId } = message;
  if (isDropped(status))
    return (
      <Alert color="gray" title={translated(statusFacts[status].label)}>
        {explanation !== null && translated(explanation.text)}
      </Alert>
    );
  if (status === "queued" && nextAttemptAt !== null) {
    return (
      <Alert color="gray" title={message.tries.length === 0 ? t("Waits for its turn") : t("Waiting to retry")}>
        {message.tries.length === 0 ? t("Due") : t("Next attempt")}: <Due at={nextAttemptAt} />
      </Alert>
    );
  }
  if (status !== "scheduled") return null;
  return (
    <Alert color="violet" title={dueAt === null ? t("Waits for its site") : t("Waits for its time")}>
      <Stack gap="sm" align="flex-start">
        <Text size="sm">
          {dueAt === null ? (
            <>
              <Rich text={t("The <0>site</0> pauses sending or has just resumed it.")}>
                <TextLink to={paths.site} params={{ siteId }} c="inherit" />
              </Rich>
            </>
          ) : (
            <>
              {t("Due: ")}
              <Due at={dueAt} />
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
    <Section title={t("Earlier attempts")}>
      <List type="ordered" size="sm" spacing={4}>
        {tries.map(({ at, code, title }) => (
          <List.Item key={at}>
            <Moment at={at} seconds />
            {t(": {title} (code {code})", { title, code })}
          </List.Item>
        ))}
      </List>
    </Section>
  );
}
