import { useMutation } from "@tanstack/react-query";
import { t } from "../../language.ts";
import { ticked } from "./fields.ts";
import { readableMessage } from "./page.tsx";

/** What a switch shows that changes at once: if the server refuses, it goes back and says why. */
export function useSwitch(isOn: boolean, change: (isOn: boolean) => Promise<unknown>) {
  const { isPending, variables, error, mutate } = useMutation({ mutationFn: change });
  return {
    ...ticked(isPending ? variables : isOn, mutate),
    error: error && t("Not changed: {message}", { message: readableMessage(error.message) }),
  };
}
