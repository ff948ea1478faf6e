import { Group, VisuallyHidden } from "@mantine/core";
import { t } from "../../language.ts";
import { cache, type Outputs, trpc } from "../../trpc.ts";
import { AskButton, ConfirmButton } from "../base/dialogs.tsx";
import { Due } from "../base/facts.tsx";
import { useFollowOperation } from "../operation/operations.tsx";
import { usePausedSites } from "./use-hold.ts";
import labels from "./waiting-labels.json";

/** Shows the new state of a waiting message everywhere. */
function useKeepMessage(): (answer: Outputs["notifications"]["get"]) => Promise<void> {
  const { notifications, stats } = cache;
  return async ({ notification }) => {
    notifications.get.setData({ id: notification.id }, { notification });
    await Promise.all([
      notifications.scheduled.invalidate(),
      notifications.scheduledCount.invalidate(),
      notifications.count.invalidate(),
      // Loaded pages of the log stay.
      notifications.list.invalidate(undefined, {
        predicate: ({ queryKey }) => (queryKey[1] as { type?: string } | undefined)?.type === "query",
      }),
      stats.backlog.invalidate(),
    ]);
  };
}

type WaitingMessage = Pick<Outputs["notifications"]["get"]["notification"], "id" | "siteId" | "toPhone" | "template" | "dueAt">;

/** What the buttons of waiting messages ask and do: once for a whole list. */
export function useWaiting() {
  const paused = usePausedSites();
  const onSuccess = useKeepMessage();
  const send = trpc.notifications.sendNow.useMutation({ onSuccess });
  const cancel = trpc.notifications.cancel.useMutation({ onSuccess });
  return { isPaused: (siteId: string) => paused.some((site) => site.id === siteId), send: send.mutateAsync, cancel: cancel.mutateAsync };
}

interface WaitingActionsProps {
  message: WaitingMessage;
  waiting: ReturnType<typeof useWaiting>;
}

/** Buttons for a message that waits for its time; each asks first. A site that pauses sending offers no button to send. */
export function WaitingActions({ message, waiting: { isPaused, send, cancel } }: WaitingActionsProps) {
  const { id, siteId, toPhone, template, dueAt } = message;
  const button = (does: string, what = "") => (
    <>
      {does}
      <VisuallyHidden>{t("{what} to {toPhone}", { what, toPhone })}</VisuallyHidden>
    </>
  );
  return (
    <Group gap="xs" wrap="nowrap" display="inline-flex">
      {dueAt !== null && !isPaused(siteId) && (
        <ConfirmButton
          label={button(t("Send now"))}
          title={t("Send this message now?")}
          action={t("Send message now")}
          dismiss={t("Keep it scheduled")}
          onConfirm={() => send({ id })}
        >
          {t("{template} to {toPhone} is due: ", { template, toPhone })}
          <Due at={dueAt} />
          {t(". It is sent at once instead, regardless of its delay and hours.")}
        </ConfirmButton>
      )}
      <ConfirmButton
        label={button(t("Cancel"), t(" message"))}
        title={t("Cancel this message?")}
        action={t("Cancel message")}
        dismiss={t("Keep it")}
        onConfirm={() => cancel({ id })}
      >
        {t("{template} to {toPhone} is never sent. A cancelled message cannot be resent.", { template, toPhone })}
      </ConfirmButton>
    </Group>
  );
}

/** The changes of many waiting messages; each answers how many it changed. */
export function useManyWaiting() {
  const { notifications, stats } = cache;
  const follow = useFollowOperation();
  const onSuccess = ({ operation }: { operation: { id: string } }) => {
    follow(operation.id);
    return Promise.all([notifications.scheduled, notifications.scheduledCount, stats.backlog].map((shown) => shown.invalidate()));
  };
  const cancelMany = trpc.notifications.cancelMany.useMutation({ onSuccess });
  const sendMany = trpc.notifications.sendNowMany.useMutation({ onSuccess });
  return {
    cancel: async (input: Parameters<typeof cancelMany.mutateAsync>[0]) => (await cancelMany.mutateAsync(input)).cancelled,
    send: async (input: Parameters<typeof sendMany.mutateAsync>[0]) => (await sendMany.mutateAsync(input)).hurried,
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
