import { Button, VisuallyHidden } from "@mantine/core";
import { useState } from "react";
import { type Outputs, trpc } from "../trpc.ts";
import { ConfirmDialog } from "./dialogs.tsx";
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
  const [asked, ask] = useState<"send" | "cancel" | null>(null);
  const onSuccess = useKeepMessage();
  const send = trpc.notifications.sendNow.useMutation({ onSuccess });
  const cancel = trpc.notifications.cancel.useMutation({ onSuccess });
  const close = () => ask(null);
  return (
    <div className={classes["actions"]}>
      {dueAt !== null && !isHeld && (
        <Button size="compact-sm" variant="default" onClick={() => ask("send")}>
          Send now<VisuallyHidden> to {toPhone}</VisuallyHidden>
        </Button>
      )}
      <Button size="compact-sm" variant="default" onClick={() => ask("cancel")}>
        Cancel<VisuallyHidden> message to {toPhone}</VisuallyHidden>
      </Button>
      <ConfirmDialog
        title="Send this message now?"
        action="Send message now"
        dismiss="Let it wait"
        opened={asked === "send"}
        onClose={close}
        onConfirm={() => send.mutateAsync({ id })}
      >
        {template} to {toPhone} is due: <Due at={dueAt} />. It leaves at once instead, whatever its delay and hours say.
      </ConfirmDialog>
      <ConfirmDialog
        title="Cancel this message?"
        action="Cancel message"
        dismiss="Keep it"
        opened={asked === "cancel"}
        onClose={close}
        onConfirm={() => cancel.mutateAsync({ id })}
      >
        {template} to {toPhone} is never sent. A cancelled message cannot be resent.
      </ConfirmDialog>
    </div>
  );
}
