import type { ReactNode } from "react";
import { t } from "../language.ts";
import { type Outputs, trpc } from "../trpc.ts";
import { FailureNotice, Loading } from "./page-states.tsx";

export type Settings = Outputs["settings"]["get"];

/** Loads the account's settings first. */
export function WithSettings({ children }: { children: (settings: Settings) => ReactNode }) {
  const settings = trpc.settings.get.useQuery();
  if (settings.data !== undefined) return children(settings.data);
  if (settings.error === null) return <Loading what={t("the settings")} />;
  return <FailureNotice title={t("Could not load the settings")} error={settings.error} onRetry={() => void settings.refetch()} />;
}
