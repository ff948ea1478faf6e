import type { ReactNode } from "react";
import { type Outputs, trpc } from "../trpc.ts";
import { FailureNotice } from "../ui/states/failure-notice.tsx";
import { Loading } from "../ui/states/loading.tsx";

export type Settings = Outputs["settings"]["get"];

/** What takes the account's settings, once they are there. */
export function WithSettings({ children }: { children: (settings: Settings) => ReactNode }) {
  const settings = trpc.settings.get.useQuery();
  if (settings.data !== undefined) return children(settings.data);
  if (settings.error === null) return <Loading what="the settings" />;
  return <FailureNotice title="Could not load the settings" error={settings.error} onRetry={() => void settings.refetch()} />;
}
