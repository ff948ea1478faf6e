import { Card, Text } from "@mantine/core";
import { formatCount, formatCountOf, formatDuration } from "../../format.ts";
import { paths } from "../../paths.ts";
import { type Outputs, trpc } from "../../trpc.ts";
import { TextLink } from "../../ui/buttons.tsx";
import { Fact, Facts } from "../../ui/facts.tsx";
import { FailureNotice } from "../../ui/page-states.tsx";
import { Section } from "../../ui/page.tsx";

type Backlog = Outputs["stats"]["backlog"];

const lookEveryMs = 5000;
const isEmpty = ({ queued, scheduled }: Backlog): boolean => queued + scheduled === 0;

/** What waits; nothing while nothing does. Looks again only while something waits and the page is visible. */
export function BacklogSection({ siteId }: { siteId: string | undefined }) {
  const backlog = trpc.stats.backlog.useQuery(
    { siteId },
    { refetchInterval: ({ state }) => (state.data === undefined || !isEmpty(state.data)) && lookEveryMs },
  );
  if (backlog.error !== null)
    return <FailureNotice title="Could not load what waits" error={backlog.error} onRetry={() => void backlog.refetch()} />;
  if (backlog.data === undefined || isEmpty(backlog.data)) return null;
  const { queued, scheduled, perSecond, limitPerSecond } = backlog.data;
  return (
    <Section
      title="Waiting"
      actions={
        <TextLink to={paths.scheduled} search={{ siteId }} size="sm">
          Open scheduled
        </TextLink>
      }
    >
      <Card withBorder>
        <Facts>
          <Fact name="In the queue">{formatCountOf(queued, "message")}</Fact>
          <Fact name="Scheduled">{formatCountOf(scheduled, "message")}</Fact>
          <Fact name="Pace now">
            {perSecond.toLocaleString(undefined, { maximumFractionDigits: 1 })} a second
            {limitPerSecond !== null && `, at most ${formatCount(limitPerSecond)}`}
          </Fact>
        </Facts>
        {queued > 0 && (
          <Text size="sm" c="dimmed" mt="sm">
            {describeEnd(backlog.data)}
          </Text>
        )}
      </Card>
    </Section>
  );
}

/** When the queue will be empty at the present pace. */
export function describeEnd({ queued, perSecond, oldestQueuedSeconds }: Backlog): string {
  if (perSecond > 0) return `At this pace the queue is empty in about ${formatDuration(queued / perSecond)}.`;
  const since = oldestQueuedSeconds < 10 ? "" : ` The oldest message has waited for ${formatDuration(oldestQueuedSeconds)}.`;
  return `Nothing was sent in the last 10 seconds.${since}`;
}
