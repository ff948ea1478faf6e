import { VisuallyHidden } from "@mantine/core";
import type { ReactNode } from "react";
import { textLength } from "shared/core/text";
import classes from "./template-editor.module.css";

interface FieldNoteProps {
  text: string;
  limit: number;
  /** The rules that the platform has for the field. */
  children?: ReactNode;
}

/** What stands under a field's label: its rules, and how much of its limit is used, as the server counts. */
export function FieldNote({ text, limit, children }: FieldNoteProps) {
  const length = textLength(text);
  return (
    <span className={classes["note"]}>
      <span>{children}</span>
      <span className={classes["count"]} data-over={length > limit || undefined}>
        {length} / {limit} <VisuallyHidden>characters</VisuallyHidden>
      </span>
    </span>
  );
}
