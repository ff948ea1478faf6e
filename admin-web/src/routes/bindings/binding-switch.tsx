import { Switch } from "@mantine/core";
import { useMay } from "../../session/me.ts";
import { trpc } from "../../trpc.ts";
import { LabelBadge } from "../../ui/label-badge.tsx";
import { readableMessage } from "../../ui/states/readable-message.ts";
import type { ListedBinding } from "./listed-binding.ts";

/** Whether a binding runs, to be changed in place. A refused change is back at once, with the reason below. */
export function BindingSwitch({ binding: { id, event, template, enabled } }: { binding: ListedBinding }) {
  const mayWrite = useMay("operator");
  const cache = trpc.useUtils();
  const update = trpc.bindings.update.useMutation({
    // Until the list knows it, the switch shows what was asked for.
    onSuccess: async ({ binding }) => {
      cache.bindings.get.setData({ id }, { binding });
      await cache.bindings.list.invalidate();
    },
  });
  if (!mayWrite) return <LabelBadge color={enabled ? "teal" : "gray"}>{enabled ? "on" : "off"}</LabelBadge>;
  return (
    <Switch
      aria-label={`${event} sends ${template}`}
      checked={update.isPending ? update.variables.enabled === true : enabled}
      error={update.error && `It stays as it was: ${readableMessage(update.error.message)}`}
      onChange={({ currentTarget }) => update.mutate({ id, enabled: currentTarget.checked })}
    />
  );
}
