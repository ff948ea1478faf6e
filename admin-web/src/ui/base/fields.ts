import type { FormEvent } from "react";

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

/** The props of a button that runs a mutation. */
export const running = <Args extends unknown[]>(
  of: { isPending: boolean; mutate: (...args: Args) => unknown },
  ...args: NoInfer<Args>
) => ({
  loading: of.isPending,
  onClick: () => of.mutate(...args),
});
