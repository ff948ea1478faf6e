import { useEffect, useRef, useState } from "react";
import { partId, withButton, withMoved } from "./button-list.ts";
import { type ButtonType, type ButtonValues, newButton } from "./template-values.ts";
import type { Draft } from "./use-draft.ts";

/** What is done with the list of buttons. The focus follows, and `news` says what became of it. */
export function useButtonList({ values: { buttons }, change }: Draft) {
  const [news, setNews] = useState("");
  // Given when what gets it is there, and where it will stay.
  const focusNext = useRef<string | null>(null);
  useEffect(() => {
    if (focusNext.current !== null) document.getElementById(focusNext.current)?.focus();
    focusNext.current = null;
  });
  const set = (next: ButtonValues[], focus: string | null) => {
    focusNext.current = focus;
    change({ buttons: next });
  };
  return {
    news,
    add: (type: ButtonType) => {
      const added = newButton(type, buttons);
      set(withButton(buttons, added), partId(added, "text"));
    },
    update: (index: number, button: ButtonValues) => set(buttons.with(index, button), null),
    move: (button: ButtonValues, to: number) => {
      const from = buttons.indexOf(button);
      // At an end only the other way is left.
      const next = to === 0 ? "down" : to === buttons.length - 1 || to < from ? "up" : "down";
      set(withMoved(buttons, from, to), partId(button, next));
      setNews(`Button ${from + 1} is number ${to + 1} now.`);
    },
    remove: (button: ButtonValues) => {
      set(
        buttons.filter((each) => each !== button),
        addId(button.type),
      );
      setNews(`Button ${buttons.indexOf(button) + 1} is removed.`);
    },
  };
}

/** Of what adds a button of that type. */
export const addId = (type: ButtonType): string => `add-${type}`;
