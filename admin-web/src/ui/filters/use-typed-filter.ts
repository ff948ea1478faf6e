import { useDebouncedCallback } from "@mantine/hooks";
import { useState } from "react";

const typingPauseMs = 300;

/** What is typed is the field's own, and told after a pause. Changed from outside, by a chip or the way back, the field follows. */
export function useTypedFilter(value: string | undefined, onChange: (value: string) => void): [text: string, type: (text: string) => void] {
  const [text, setText] = useState(value ?? "");
  const [known, setKnown] = useState(value);
  const [told, setTold] = useState(value ?? "");
  const tellSoon = useDebouncedCallback((typed: string) => {
    setTold(typed);
    onChange(typed);
  }, typingPauseMs);
  if (value !== known) {
    const given = value ?? "";
    setKnown(value);
    setTold(given);
    // What was told comes back without its blanks, and more may have been typed meanwhile.
    if (given !== told.trim()) setText(given);
  }
  const type = (typed: string) => {
    setText(typed);
    tellSoon(typed);
  };
  return [text, type];
}
