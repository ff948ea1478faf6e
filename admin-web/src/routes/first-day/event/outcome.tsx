import { Group, Text } from "@mantine/core";
import { paths } from "../../../paths.ts";
import { type Outputs, trpc } from "../../../trpc.ts";
import { reasonWords } from "../../../ui/reason-words.ts";
import { FailureNotice } from "../../../ui/states/failure-notice.tsx";
import { StatusBadge } from "../../../ui/status-badge.tsx";
import { TextLink } from "../../../ui/text-link.tsx";
import { PhoneMessage } from "./phone-message.tsx";
import classes from "./live-arrival.module.css";

type Message = Outputs["notifications"]["list"]["items"][number];

/** Milliseconds between two looks at messages whose way is not over. */
const statusPollMs = 1500;

const isOver = ({ status }: Message): boolean => status === "read" || status === "failed";

/** What became of an event: in a sentence, then message by message. */
export function Outcome({ eventId, isSandbox }: { eventId: string; isSandbox: boolean }) {
  const event = trpc.events.get.useQuery({ id: eventId });
  const messages = trpc.notifications.list.useQuery(
    { eventId, limit: 20 },
    { refetchInterval: ({ state }) => state.data?.items.every(isOver) !== true && statusPollMs },
  );
  const items = messages.data?.items ?? [];
  const error = event.error ?? messages.error;
  const [first] = items;
  return (
    <>
      {error !== null && <FailureNotice title="Could not load what became of it" error={error} />}
      {event.data !== undefined && <Text size="sm">{event.data.event.trace.summary}</Text>}
      {items.length > 0 && (
        <ul className={classes["messages"]} aria-label="Its messages">
          {items.map((message) => (
            <li key={message.id}>
              <MessageLine {...message} />
            </li>
          ))}
        </ul>
      )}
      {isSandbox && first !== undefined && first.status !== "failed" && <PhoneMessage message={first} />}
      <TextLink to={paths.events} search={{ open: eventId }}>
        See the whole event
      </TextLink>
    </>
  );
}

function MessageLine({ id, toPhone, status, errorReason }: Message) {
  return (
    <Group gap="sm">
      <StatusBadge status={status} />
      <Text size="sm">to {toPhone}</Text>
      {errorReason !== null && (
        <Text size="sm" c="var(--mantine-color-error)">
          {reasonWords(errorReason)}
        </Text>
      )}
      <TextLink to={paths.log} search={{ open: id }}>
        Open in the log
      </TextLink>
    </Group>
  );
}
