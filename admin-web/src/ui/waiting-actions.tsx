import { VisuallyHidden } from "@mantine/core";
import { type Outputs, trpc } from "../trpc.ts";
import { ConfirmButton } from "./dialogs.tsx";
import { Due } from "./facts.tsx";
import classes from "./ui.module.css";

/** Shows what became of a waiting message, wherever it is shown. */
function useKeepMessage(): (answer: Outputs["notifications"]["get"]) => Promise<void> {
  const { notifications, stats } = trpc.useUtils();
  return async ({ notification }) => {
    notifications.get.setData({ id: notification.id }, { notification });
    await Promise.all([
      notifications.scheduled.invalidate(),
      // Pages of the log that are loaded stay.
      notifications.list.invalidate(undefined, {
        predicate: ({ queryKey }) => (queryKey[1] as { type?: string } | undefined)?.type === "query",
      }),
      stats.backlog.invalidate(),
    ]);
  };
}

interface WaitingMessage {
  id: string;
  siteId: string;
  toPhone: string;
  template: string;
  dueAt: string | null;
}

/** Buttons for a message that waits for its time; each asks first. Nothing leaves a site that pauses sending. */
export function WaitingActions({ message }: { message: WaitingMessage }) {
  const { id, siteId, toPhone, template, dueAt } = message;
  const held = trpc.sites.list.useQuery({ holdMessages: true, limit: 200 }, { staleTime: 30_000 });
  const isHeld = held.data?.items.some((site) => site.id === siteId) === true;
  const onSuccess = useKeepMessage();
  const send = trpc.notifications.sendNow.useMutation({ onSuccess });
  const cancel = trpc.notifications.cancel.useMutation({ onSuccess });
  const button = (does: string, what = "") => (
    <>
      {does}
      <VisuallyHidden>
        {what} to {toPhone}
      </VisuallyHidden>
    </>
  );
  return (
    <div className={classes["actions"]}>
      {dueAt !== null && !isHeld && (
        <ConfirmButton
          size="compact-sm"
          label={button("Send now")}
          title="Send this message now?"
          action="Send message now"
          dismiss="Let it wait"
          onConfirm={() => send.mutateAsync({ id })}
        >
          {template} to {toPhone} is due: <Due at={dueAt} />. It leaves at once instead, whatever its delay and hours say.
        </ConfirmButton>
      )}
      <ConfirmButton
        size="compact-sm"
        label={button("Cancel", " message")}
        title="Cancel this message?"
        action="Cancel message"
        dismiss="Keep it"
        onConfirm={() => cancel.mutateAsync({ id })}
      >
        {template} to {toPhone} is never sent. A cancelled message cannot be resent.
      </ConfirmButton>
    </div>
  );
}
