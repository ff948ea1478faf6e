import type { ReactNode } from "react";
import { t } from "../../language.ts";
import { cache, type Outputs, trpc } from "../../trpc.ts";
import { Loaded } from "../base/page.tsx";

export type Settings = Outputs["settings"]["get"];

/** Loads the account's settings first. */
export const WithSettings = ({ children }: { children: (settings: Settings) => ReactNode }) => (
  <Loaded query={trpc.settings.get.useQuery()} what={t("the settings")}>
    {children}
  </Loaded>
);

/** Changes settings. */
export const useUpdateSettings = (): ReturnType<typeof trpc.settings.update.useMutation> =>
  trpc.settings.update.useMutation({
    onSuccess: (settings) => {
      cache.settings.get.setData(undefined, settings);
      // It tells the name, the time zone and what is demanded of the person.
      return cache.auth.me.invalidate();
    },
  });
