import { Group, Stack, Text } from "@mantine/core";
import { useMay } from "../../../session/me.ts";
import { trpc } from "../../../trpc.ts";
import { CopyButton } from "../../../ui/copy-button.tsx";
import { EmptyState } from "../../../ui/states/empty-state.tsx";
import { FailureNotice } from "../../../ui/states/failure-notice.tsx";
import { Loading } from "../../../ui/states/loading.tsx";
import { StatusBadge } from "../../../ui/status-badge.tsx";
import { EventPart } from "./event-part.tsx";
import { Failure } from "./failure.tsx";
import type { MessageDetails } from "./message-details.ts";
import { MessageFacts } from "./message-facts.tsx";
import { SentMessage } from "./sent-message.tsx";
import { StatusTimeline } from "./status-timeline.tsx";

const lookEveryMs = 1500;
const movesForMs = 60_000;

/** Everything about one message, and it follows what becomes of it. */
export function MessageDetail({ id }: { id: string }) {
  const seesPhones = useMay("operator");
  const message = trpc.notifications.get.useQuery(
    { id },
    { refetchInterval: ({ state }) => isMoving(state.data?.notification) && lookEveryMs },
  );
  if (message.data === undefined) {
    if (message.error === null) return <Loading what="the message" />;
    if (message.error.data?.code === "NOT_FOUND") return <NoSuchMessage />;
    return <FailureNotice title="Could not load the message" error={message.error} onRetry={() => void message.refetch()} />;
  }
  const { notification } = message.data;
  return (
    <Stack gap="lg">
      <Group gap="sm">
        <StatusBadge status={notification.status} />
        <Text fw={600}>{notification.toPhone}</Text>
        {seesPhones && <CopyButton text={notification.toPhone} what="the phone" size="compact-xs" />}
      </Group>
      {notification.error !== null && <Failure message={notification} error={notification.error} />}
      <StatusTimeline message={notification} />
      <SentMessage message={notification} />
      <MessageFacts message={notification} />
      <EventPart eventId={notification.eventId} bindingId={notification.bindingId} />
    </Stack>
  );
}

function NoSuchMessage() {
  return (
    <EmptyState title="No such message">
      It may be older than the log is kept, or of another account. Close this to see what there is.
    </EmptyState>
  );
}

/** Whether a young message may go on to be delivered or read. */
function isMoving(message: MessageDetails | undefined): boolean {
  if (message === undefined || message.status === "read" || message.status === "failed") return false;
  return Date.parse(message.createdAt) > Date.now() - movesForMs;
}
