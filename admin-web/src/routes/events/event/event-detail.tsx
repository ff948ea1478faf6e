import { Group, Stack, Text } from "@mantine/core";
import { useMay } from "../../../session/me.ts";
import { trpc } from "../../../trpc.ts";
import { Section } from "../../../ui/page/section.tsx";
import { FailureNotice } from "../../../ui/states/failure-notice.tsx";
import { Loading } from "../../../ui/states/loading.tsx";
import { eventSteps } from "../../../ui/trace/event-steps.ts";
import { TraceSteps } from "../../../ui/trace/trace-steps.tsx";
import { EventBadges } from "../list/event-badges.tsx";
import { OutcomeBadge } from "../list/event-table.tsx";
import type { EventDetails } from "./event-details.ts";
import { EventFacts } from "./event-facts.tsx";
import { EventMessages } from "./event-messages.tsx";
import { Payload } from "./payload.tsx";
import { Replay } from "./replay.tsx";

const lookEveryMs = 1500;
const movesForMs = 60_000;

/** Everything about one event, and it follows what becomes of it. */
export function EventDetail({ id }: { id: string }) {
  const seesPhones = useMay("operator");
  const query = trpc.events.get.useQuery({ id }, { refetchInterval: ({ state }) => isMoving(state.data?.event) && lookEveryMs });
  if (query.data === undefined) {
    if (query.error === null) return <Loading what="the event" />;
    return <FailureNotice title="Could not load the event" error={query.error} onRetry={() => void query.refetch()} />;
  }
  const { event } = query.data;
  return (
    <Stack gap="lg">
      <div>
        <Group gap="sm">
          <Text fw={650} size="lg" component="h3" m={0}>
            {event.name}
          </Text>
          <EventBadges {...event} />
          <OutcomeBadge {...event} />
        </Group>
        <Text size="sm" mt={4}>
          {event.trace.summary}
        </Text>
      </div>
      <EventFacts event={event} />
      <Section title="How it went">
        <TraceSteps label="How it went" steps={eventSteps(event, event.trace)} />
      </Section>
      <EventMessages bindings={event.trace.bindings} />
      {/* Whoever sees no phones has a payload without them, and a replay of that would tell another story. */}
      {seesPhones && event.payload !== null && <Replay siteId={event.siteId} name={event.name} payload={event.payload} />}
      <Payload payload={event.payload} />
    </Stack>
  );
}

/** Whether a young event may go on to be sent or delivered. */
function isMoving(event: EventDetails | undefined): boolean {
  if (event === undefined || Date.parse(event.receivedAt) < Date.now() - movesForMs) return false;
  const messages = event.trace.bindings.flatMap((binding) => binding.messages);
  return event.chat === null || messages.some(({ status }) => status !== "read" && status !== "failed");
}
