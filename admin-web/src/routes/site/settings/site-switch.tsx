import { Switch } from "@mantine/core";
import { trpc } from "../../../trpc.ts";
import { readableMessage } from "../../../ui/states/readable-message.ts";
import type { Site } from "../site.ts";
import { useKeepSite } from "../use-keep-site.ts";

interface SiteSwitchProps {
  site: Site;
  member: "enabled" | "requireTimestamp";
  label: string;
  /** What it means as it stands. */
  on: string;
  off: string;
}

/** Shows what was chosen at once; refused, it is back as the server holds it, with the reason. */
export function SiteSwitch({ site, member, label, on, off }: SiteSwitchProps) {
  const update = trpc.sites.update.useMutation({ onSuccess: useKeepSite() });
  const checked = update.isPending ? update.variables[member] === true : site[member];
  return (
    <Switch
      label={label}
      description={checked ? on : off}
      checked={checked}
      error={update.error && `It stays as it was: ${readableMessage(update.error.message)}`}
      onChange={(event) => update.mutate({ id: site.id, [member]: event.currentTarget.checked })}
    />
  );
}
