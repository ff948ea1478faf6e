import { Timeline, Text } from "@mantine/core";
import type { Outputs } from "../../../trpc.ts";
import { Moment } from "../../../ui/moment.tsx";
import { Section } from "../../../ui/page/section.tsx";
import { TemplateStatusBadge } from "../../../ui/template/template-status-badge.tsx";

type Change = Outputs["templates"]["get"]["history"][number];

const sources: Record<Change["source"], string> = {
  create: "made here",
  submit: "submitted here",
  delete: "deleted here",
  sync: "seen when the templates were synced",
  poll: "seen at the hourly reading",
  callback: "told by the platform",
};

/** Every change of status, newest first. */
export function TemplateHistory({ history }: { history: Change[] }) {
  return (
    <Section title="History">
      <Timeline bulletSize={12} lineWidth={2} active={history.length} role="list" aria-label="History">
        {history.map(({ at, to, reason, source }, index) => (
          <Timeline.Item key={history.length - index} role="listitem" title={<TemplateStatusBadge status={to} />}>
            <Text size="sm">
              <Moment at={at} />, {sources[source]}
            </Text>
            {reason !== null && (
              <Text size="sm" c="dimmed">
                {reason}
              </Text>
            )}
          </Timeline.Item>
        ))}
      </Timeline>
    </Section>
  );
}
