import { Fragment } from "react";
import { EmptySlotMark } from "./empty-slot-mark.tsx";
import type { TextPiece } from "./text-piece.ts";

/** A text without marks, such as a header's. */
export function Pieces({ pieces }: { pieces: readonly TextPiece[] }) {
  return pieces.map((piece, index) => <Fragment key={index}>{typeof piece === "string" ? piece : <EmptySlotMark {...piece} />}</Fragment>);
}
