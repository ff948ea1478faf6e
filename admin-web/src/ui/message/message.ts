import type { EmptySlot, TextPiece } from "./text-piece.ts";

/** A message as it is shown. */
export interface Message {
  header: { format: string; text?: string | readonly TextPiece[]; link?: string | null } | null;
  body: string | readonly TextPiece[];
  footer: string | null;
  /** `empty`: the slot of its address that nothing fills. */
  buttons: readonly { text: string; url?: unknown; phoneNumber?: unknown; empty?: EmptySlot | undefined }[];
  /** When it came, ISO 8601; absent of one that was not sent. */
  at?: string | undefined;
}
