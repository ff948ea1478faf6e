import { Text, Timeline } from "@mantine/core";
import IconBolt from "@tabler/icons-react/dist/esm/icons/IconBolt.mjs";
import IconMessage from "@tabler/icons-react/dist/esm/icons/IconMessage.mjs";
import type { Outputs } from "../../trpc.ts";
import { DenseTimeline } from "../../ui/dense-timeline.tsx";
import { Section } from "../../ui/page/section.tsx";
import { statusColors } from "../../ui/status-words.ts";
import { EventEntry } from "./event-entry.tsx";
import { inOrder } from "./in-order.ts";
import { MessageEntry } from "./message-entry.tsx";

type Entries = Outputs["orders"]["timeline"]["entries"];

export function OrderTimeline({ entries, truncated }: { entries: Entries; truncated: boolean }) {
  return (
    <Section title="What happened">
      {truncated && <Text size="sm">Older events than these are not shown here.</Text>}
      <DenseTimeline active={entries.length} bulletSize={24}>
        {inOrder(entries).map((entry) =>
          entry.kind === "event" ? (
            <Timeline.Item key={entry.event.id} color="gray.7" bullet={<IconBolt size={14} aria-hidden />}>
              <EventEntry {...entry} />
            </Timeline.Item>
          ) : (
            <Timeline.Item
              key={entry.message.id + entry.what}

              color={statusColors[entry.what]}
              bullet={<IconMessage size={14} aria-hidden />}
            >
              <MessageEntry {...entry} />
            </Timeline.Item>
          ),
        )}
      </DenseTimeline>
    </Section>
  );
}
