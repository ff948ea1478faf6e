import { Group, Text } from "@mantine/core";
import { paths } from "../../paths.ts";
import type { Outputs } from "../../trpc.ts";
import { Moment } from "../../ui/moment.tsx";
import { statusWords } from "../../ui/status-words.ts";
import { TextLink } from "../../ui/text-link.tsx";

type Entry = Extract<Outputs["orders"]["timeline"]["entries"][number], { kind: "message" }>;

export function MessageEntry({ at, what, message, error }: Entry) {
  const { id, template, language, toPhone, resendOf } = message;
  return (
    <>
      <Group gap="xs">
        <Text size="sm" fw={600}>
          {statusWords[what]}
        </Text>
        <Text size="sm" c="dimmed">
          <Moment at={at} seconds />
        </Text>
      </Group>
      <Text size="sm">
        <TextLink to={paths.log} search={{ open: id }}>
          {template} ({language})
        </TextLink>{" "}
        to {toPhone}
        {resendOf !== null && ", a resend"}
      </Text>
      {error !== null && (
        <Text size="sm" c="var(--mantine-color-error)">
          {error.explanation.text} {error.explanation.action}
        </Text>
      )}
    </>
  );
}
