import { TextInput, type TextInputProps } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { type Ref, useEffect, useRef, useState } from "react";
import { bound } from "../base/fields.ts";

export interface TextFilterProps extends Omit<TextInputProps, "value" | "onChange" | "ref"> {
  ref?: Ref<HTMLInputElement>;
  value: string | undefined;
  onChange: (text: string) => void;
}

/** A search field that reports its text after a pause in typing. */
export function TextFilter({ value, onChange, ...props }: TextFilterProps) {
  const [text, type] = useTypedFilter(value, onChange);
  return <TextInput type="search" maxLength={500} {...props} {...bound(text, type)} />;
}

const typingPauseMs = 300;

/** Keeps the typed text and reports it after a pause. The text follows a change from outside: a removed chip, the back button. */
export function useTypedFilter(value: string | undefined, onChange: (value: string) => void): [text: string, type: (text: string) => void] {
  const [text, setText] = useState(value ?? "");
  const [known, setKnown] = useState(value);
  const [reported, setReported] = useState(value ?? "");
  const shown = useRef(text);
  useEffect(() => {
    shown.current = text;
  }, [text]);
  const report = (typed: string, path: string) => {
    // A change from outside has replaced the text meanwhile, or the reader is on the way to another page, which is still loading.
    if (typed !== shown.current || path !== location.pathname) return;
    setReported(typed);
    onChange(typed);
  };
  // What was typed counts also when the field closes before the pause.
  const reportSoon = useDebouncedCallback(report, { delay: typingPauseMs, flushOnUnmount: true });
  if (value !== known) {
    const given = value ?? "";
    setKnown(value);
    setReported(given);
    // The reported text comes back trimmed, and more may have been typed meanwhile.
    if (given !== reported.trim()) setText(given);
  }
  const type = (typed: string) => {
    setText(typed);
    reportSoon(typed, location.pathname);
  };
  return [text, type];
}
