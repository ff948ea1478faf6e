import { Text, Timeline } from "@mantine/core";
import { DenseTimeline } from "../../../ui/dense-timeline.tsx";
import { Moment } from "../../../ui/moment.tsx";
import { Section } from "../../../ui/page/section.tsx";
import { statusColors, statusWords } from "../../../ui/status-words.ts";
import type { MessageDetails } from "./message-details.ts";
import { statusSteps } from "./status-steps.ts";

export function StatusTimeline({ message }: { message: MessageDetails }) {
  const steps = statusSteps(message);
  const last = steps.findLastIndex(({ at }) => at !== null);
  return (
    <Section title="Status">
      <DenseTimeline active={last} bulletSize={12}>
        {steps.map(({ what, at }) => (
          <Timeline.Item key={what} color={statusColors[what]} lineVariant={at === null ? "dashed" : "solid"}>
            <Text size="sm">
              {statusWords[what]}{" "}
              <Text span size="sm" c="dimmed">
                {at === null ? "not yet" : <Moment at={at} seconds />}
              </Text>
            </Text>
          </Timeline.Item>
        ))}
      </DenseTimeline>
      {message.noNews && (
        <Text size="sm">
          The platform took it and said nothing more in all the time that it tries for: it was dropped, as far as can be told.
        </Text>
      )}
    </Section>
  );
}
