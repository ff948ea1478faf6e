import { VisuallyHidden } from "@mantine/core";
import type { EmptySlot } from "./text-piece.ts";
import classes from "./message-bubble.module.css";

/** A slot that nothing fills: coloured for the eye, and told with its reason to who does not see it. */
export function EmptySlotMark({ slot, reason }: EmptySlot) {
  return (
    <mark className={classes["empty"]} title={reason}>
      {slot}
      <VisuallyHidden> is empty: {reason} </VisuallyHidden>
    </mark>
  );
}
