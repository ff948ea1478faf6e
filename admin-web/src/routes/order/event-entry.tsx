import { Group, Text } from "@mantine/core";
import { paths } from "../../paths.ts";
import type { Outputs } from "../../trpc.ts";
import { chatWords } from "../../ui/chat-words.ts";
import { LabelBadge } from "../../ui/label-badge.tsx";
import { Moment } from "../../ui/moment.tsx";
import { TextLink } from "../../ui/text-link.tsx";

type Entry = Extract<Outputs["orders"]["timeline"]["entries"][number], { kind: "event" }>;

export function EventEntry({ at, event: { id, name, test, dryRun, chat } }: Entry) {
  return (
    <>
      <Group gap="xs">
        <Text size="sm" fw={600}>
          <TextLink to={paths.events} search={{ open: id }}>
            {name}
          </TextLink>{" "}
          came in
        </Text>
        {dryRun && <LabelBadge color="gray">dry run</LabelBadge>}
        {test && <LabelBadge color="gray">test</LabelBadge>}
        <Text size="sm" c="dimmed">
          <Moment at={at} seconds />
        </Text>
      </Group>
      <Text size="sm" c="dimmed">
        {outcome(chat, dryRun)}
      </Text>
    </>
  );
}

function outcome(chat: string | null, dryRun: boolean): string {
  if (dryRun) return "A dry run: nothing is sent.";
  if (chat === null) return "It is still being worked on.";
  return chatWords[chat] ?? chat;
}
