import { Group, Text } from "@mantine/core";
import { t } from "../../language.ts";
import { cache, type Inputs, type Outputs, settled, trpcClient } from "../../trpc.ts";
import { AskButton } from "../base/dialogs.tsx";
import { Due } from "../base/facts.tsx";
import { rich } from "../base/page.tsx";
import { useFollowOperation } from "../operation/operations.tsx";
import labels from "./waiting-labels.json";

/** Asks for the newest messages of the log at once; loaded pages stay. */
export const lookAgain = (): Promise<void> =>
  cache.notifications.list.invalidate(undefined, {
    predicate: ({ queryKey }) => (queryKey[1] as { type?: string } | undefined)?.type === "query",
  });

/** Shows the new state of a waiting message everywhere. */
async function keepMessage(answer: Promise<Outputs["notifications"]["get"]>): Promise<void> {
  const { notifications, stats } = cache;
  const { notification } = await answer;
  notifications.get.setData({ id: notification.id }, { notification });
  await Promise.all([
    notifications.scheduled.invalidate(),
    notifications.scheduledCount.invalidate(),
    notifications.count.invalidate(),
    lookAgain(),
    stats.backlog.invalidate(),
  ]);
}

type WaitingMessage = Pick<Outputs["notifications"]["get"]["notification"], "id" | "toPhone" | "template" | "dueAt">;

/** Buttons for a message that waits for its time; each asks first. A site that pauses sending offers no button to send. */
export function WaitingActions({ id, toPhone, template, dueAt, isPaused }: WaitingMessage & { isPaused: boolean }) {
  const { sendNow, cancel } = trpcClient.notifications;
  const values = { toPhone, template };
  return (
    <Group gap="xs" wrap="nowrap" display="inline-flex">
      {dueAt !== null && !isPaused && (
        <AskButton question={labels.sendOne} values={values} onConfirm={() => keepMessage(sendNow.mutate({ id }))}>
          <Text>{rich(t("Due: <0/>"), <Due at={dueAt} />)}</Text>
        </AskButton>
      )}
      <AskButton question={labels.cancelOne} values={values} onConfirm={() => keepMessage(cancel.mutate({ id }))} />
    </Group>
  );
}

/** The changes of many waiting messages; each answers how many it changed. */
export function useManyWaiting() {
  const { notifications, stats } = cache;
  const follow = useFollowOperation();
  const followed = async <Answer extends { operation: { id: string } }>(change: Promise<Answer>): Promise<Answer> => {
    follow((await change).operation.id);
    return settled(change, notifications.scheduled, notifications.scheduledCount, stats.backlog);
  };
  const { cancelMany, sendNowMany } = trpcClient.notifications;
  return {
    cancel: async (input: Inputs["notifications"]["cancelMany"]) => (await followed(cancelMany.mutate(input))).cancelled,
    send: async (input: Inputs["notifications"]["sendNowMany"]) => (await followed(sendNowMany.mutate(input))).hurried,
  };
}

interface ManyWaitingButtonProps {
  does: "send" | "cancel";
  /** The number of messages; null for all that match the filters, undefined while they are counted. */
  count: number | null | undefined;
  onConfirm: () => Promise<unknown>;
}

/** A button for several messages that wait; it asks first. */
export function ManyWaitingButton({ does, count, onConfirm }: ManyWaitingButtonProps) {
  const what =
    count == null ? t("scheduled messages") : t("{count, plural, one {# scheduled message} other {# scheduled messages}}", { count });
  const which = count == null ? t("All scheduled messages that match the filters") : t("The selected scheduled messages");
  return (
    <AskButton
      question={labels[does]}
      values={{ what, which }}
      isMild={does === "send"}
      isCounting={count === undefined}
      onConfirm={onConfirm}
    />
  );
}
