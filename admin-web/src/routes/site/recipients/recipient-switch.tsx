import { Switch } from "@mantine/core";
import { trpc } from "../../../trpc.ts";
import { readableMessage } from "../../../ui/states/readable-message.ts";
import type { Recipient } from "./recipient.ts";

/** Whether messages go to the phone. Shows what was chosen at once; refused, it is back as the server holds it, with the reason. */
export function RecipientSwitch({ recipient: { id, siteId, phone, active } }: { recipient: Recipient }) {
  const cache = trpc.useUtils();
  const update = trpc.recipients.update.useMutation({ onSuccess: () => cache.recipients.list.invalidate({ siteId }) });
  return (
    <Switch
      aria-label={`Messages to ${phone}`}
      checked={update.isPending ? update.variables.active === true : active}
      error={update.error && readableMessage(update.error.message)}
      onChange={(event) => update.mutate({ id, active: event.currentTarget.checked })}
    />
  );
}
