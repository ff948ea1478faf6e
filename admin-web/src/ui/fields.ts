import { useMutation } from "@tanstack/react-query";
import type { FormEvent } from "react";
import { t } from "../language.ts";
import { readableMessage } from "./page.tsx";

/** Has a form do something instead of sending itself. A form around its dialog is another one, though React passes the event on to it. */
export const doing = (act: () => unknown) => (event: FormEvent) => {
  event.preventDefault();
  event.stopPropagation();
  act();
};

/** The value of a field, and what its change does. */
export const bound = <Value>(value: Value, change: (text: string) => void) => ({
  value,
  onChange: ({ currentTarget }: { currentTarget: { value: string } }) => change(currentTarget.value),
});

/** The same of a checkbox or a switch. */
export const ticked = (checked: boolean, change: (isOn: boolean) => void) => ({
  checked,
  onChange: ({ currentTarget }: { currentTarget: { checked: boolean } }) => change(currentTarget.checked),
});

/** What a switch shows that changes at once: if the server refuses, it goes back and says why. */
export function useSwitch(isOn: boolean, change: (isOn: boolean) => Promise<unknown>) {
  const { isPending, variables, error, mutate } = useMutation({ mutationFn: change });
  return {
    ...ticked(isPending ? variables : isOn, mutate),
    error: error && t("Not changed: {message}", { message: readableMessage(error.message) }),
  };
}

/** A `ref` for the first field of a form that is loaded after its dialog has opened, which has put the focus elsewhere by then. */
export const focused = (field: HTMLElement | null): void => field?.focus();

/** What takes the focus when an element of a list goes: the first control of its neighbour, else of the page. */
export const besideOf = (element: Element | null | undefined): HTMLElement | null | undefined =>
  (element?.nextElementSibling ?? element?.previousElementSibling ?? document.querySelector("main"))?.querySelector<HTMLElement>(
    "a, button",
  );
