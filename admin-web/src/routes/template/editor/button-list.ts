import { limits } from "shared/core/template/definition";
import type { ButtonType, ButtonValues } from "./template-values.ts";

export const buttonTypes: { type: ButtonType; name: string; add: string; most: number }[] = [
  { type: "URL", name: "Link", add: "Add link", most: limits.urlButtons },
  { type: "QUICK_REPLY", name: "Quick reply", add: "Add quick reply", most: limits.buttons },
  { type: "PHONE_NUMBER", name: "Phone number", add: "Add phone number", most: limits.phoneButtons },
];

/** Whether the platform takes one more of that type. */
export function mayAdd(type: ButtonType, buttons: readonly ButtonValues[]): boolean {
  const most = buttonTypes.find((each) => each.type === type)?.most ?? 0;
  return buttons.length < limits.buttons && buttons.filter((button) => button.type === type).length < most;
}

/** With a new button behind the last of its kind, since the quick replies have to stand together. */
export function withButton(buttons: readonly ButtonValues[], added: ButtonValues): ButtonValues[] {
  const isReply = (button: ButtonValues): boolean => button.type === "QUICK_REPLY";
  const last = buttons.findLastIndex((button) => isReply(button) === isReply(added));
  return last < 0 ? [...buttons, added] : buttons.toSpliced(last + 1, 0, added);
}

/** With the button at `from` standing at `to`. */
export function withMoved(buttons: readonly ButtonValues[], from: number, to: number): ButtonValues[] {
  const rest = buttons.toSpliced(from, 1);
  return rest.toSpliced(to, 0, ...buttons.slice(from, from + 1));
}

/** Of a part of a button's row, wherever the row is moved. */
export const partId = ({ key }: ButtonValues, part: string): string => `button-${key}-${part}`;
