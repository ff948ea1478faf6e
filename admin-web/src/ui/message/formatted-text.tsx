import { Fragment, type ReactNode } from "react";
import { Pieces } from "./pieces.tsx";
import type { EmptySlot, TextPiece } from "./text-piece.ts";

/** The messenger's own marks: *bold*, _italic_, ~struck~, ```fixed```. A mark stands at a word's edge and encloses no blank at either end. */
const mark =
  /(?<![\p{L}\p{N}])(?:```(?<fixed>[^]+?)```|\*(?<bold>\S(?:[^\n*]*\S)?)\*|_(?<italic>\S(?:[^\n_]*\S)?)_|~(?<struck>\S(?:[^\n~]*\S)?)~)(?![\p{L}\p{N}])/gu;

/** Stands for an empty slot while the text around it is read, since marks may enclose it: characters that no text may hold. */
const placeholder = /\uFDD0(\d+)\uFDD1/u;

export function FormattedText({ text }: { text: string | readonly TextPiece[] }) {
  const pieces = typeof text === "string" ? [text] : text;
  const slots = pieces.filter((piece) => typeof piece !== "string");
  const whole = pieces.map((piece) =>
    typeof piece === "string" ? piece.replaceAll(/[\uFDD0\uFDD1]/gu, "") : `\uFDD0${slots.indexOf(piece)}\uFDD1`,
  );
  return <Marked text={whole.join("")} slots={slots} />;
}

function Marked({ text, slots }: { text: string; slots: readonly EmptySlot[] }) {
  const pieces: ReactNode[] = [];
  let end = 0;
  for (const match of text.matchAll(mark)) {
    pieces.push(plain(text.slice(end, match.index), slots), marked(match.groups ?? {}, slots));
    end = match.index + match[0].length;
  }
  pieces.push(plain(text.slice(end), slots));
  return pieces.map((piece, index) => <Fragment key={index}>{piece}</Fragment>);
}

/** Split at the placeholders, every second piece is a slot's number. */
function plain(text: string, slots: readonly EmptySlot[]): ReactNode {
  return <Pieces pieces={text.split(placeholder).map((piece, index) => (index % 2 === 1 ? (slots[Number(piece)] ?? "") : piece))} />;
}

function marked({ fixed, bold, italic, struck }: Record<string, string | undefined>, slots: readonly EmptySlot[]): ReactNode {
  if (fixed !== undefined) return <code>{plain(fixed, slots)}</code>;
  if (bold !== undefined)
    return (
      <strong>
        <Marked text={bold} slots={slots} />
      </strong>
    );
  if (italic !== undefined)
    return (
      <em>
        <Marked text={italic} slots={slots} />
      </em>
    );
  return (
    <s>
      <Marked text={struck ?? ""} slots={slots} />
    </s>
  );
}
