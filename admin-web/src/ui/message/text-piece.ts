/** A slot that nothing fills, in the midst of a message's text. */
export interface EmptySlot {
  /** As the template writes it, such as `{{1}}`. */
  slot: string;
  /** Why it is empty. */
  reason: string;
}

/** What a text of a message is made of. */
export type TextPiece = string | EmptySlot;
