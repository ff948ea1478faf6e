import type { ButtonValues } from "./template-values.ts";
import type { Draft } from "./use-draft.ts";

export interface ButtonRowProps {
  button: ButtonValues;
  /** `urlSlot`: which of the addresses with a variable is its, -1 for none. */
  place: { index: number; count: number; urlSlot: number };
  draft: Draft;
  onChange: (changes: Partial<ButtonValues>) => void;
  onMove: (to: number) => void;
  onRemove: () => void;
}
