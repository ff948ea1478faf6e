import { Switch, type SwitchProps } from "@mantine/core";
import type { ReactNode } from "react";
import { t } from "../../language.ts";
import { cache, type Inputs, type Outputs, trpc } from "../../trpc.ts";
import { Loaded } from "../base/page.tsx";
import { useSwitch } from "../base/use-switch.ts";

export type Settings = Outputs["settings"]["get"];

/** Loads the account's settings first. */
export const WithSettings = ({ children }: { children: (settings: Settings) => ReactNode }) => (
  <Loaded query={trpc.settings.get.useQuery()} what={t("the settings")}>
    {children}
  </Loaded>
);

interface SettingSwitchProps extends Pick<SwitchProps, "label" | "description" | "disabled"> {
  isOn: boolean;
  /** What it sets. */
  change: (isOn: boolean) => Inputs["settings"]["update"];
}

/** A switch of a setting, which changes at once. */
export function SettingSwitch({ isOn, change, ...look }: SettingSwitchProps) {
  const update = useUpdateSettings();
  return <Switch {...look} {...useSwitch(isOn, (wanted) => update.mutateAsync(change(wanted)))} />;
}

/** Changes settings. */
export const useUpdateSettings = (): ReturnType<typeof trpc.settings.update.useMutation> =>
  trpc.settings.update.useMutation({
    onSuccess: (settings) => {
      cache.settings.get.setData(undefined, settings);
      // It tells the name, the time zone and what is demanded of the person.
      return cache.auth.me.invalidate();
    },
  });
