import { memoize } from "../text.ts";
import type { TemplateDefinition } from "./definition.ts";
import { type SlotNames, slotNames, slotPieces } from "./slots.ts";

/** The words next to a slot, in lower case; empty where there is none. */
export type SlotWords = Record<"before" | "after", string>;

/** What a variable map was written for: the slots, and the words around them, which tell what each is for. */
export interface TemplateShape extends SlotNames {
  /** In slot order; absent where it was not noted. */
  words?: Readonly<Record<"header" | "body", readonly SlotWords[]>>;
}

export const shapeOf = memoize((definition: TemplateDefinition): TemplateShape => {
  const names = slotNames(definition);
  const { header, body } = slotPieces(definition);
  return { ...names, words: { header: wordsOf(header ?? [], names.header), body: wordsOf(body, names.body) } };
});

const wordsIn = (text: string | undefined): string[] => text?.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** `pieces`: a text cut at its slots. Of a slot that appears twice, the first appearance counts. */
const wordsOf = (pieces: readonly string[], names: readonly string[]): SlotWords[] =>
  names.map((name) => {
    const at = pieces.findIndex((piece, index) => index % 2 === 1 && piece === name);
    return at === -1
      ? { before: "", after: "" }
      : { before: wordsIn(pieces[at - 1]).at(-1) ?? "", after: wordsIn(pieces[at + 1])[0] ?? "" };
  });

/**
 * The places, in slot order, of the slots that stand for something else than before: one stands behind the word of another, which has left it, or
 * none has a word beside it that it had, where it had one. A text that is only put in other words keeps some.
 */
export function movedSlots(before: readonly SlotWords[], now: readonly SlotWords[]): number[] {
  if (before.length !== now.length) return [];
  const isNew = now.map((words, slot) => words.before !== before[slot]?.before);
  const keeps = ({ before: left, after: right }: SlotWords, words: SlotWords | undefined): boolean =>
    left + right === "" || (left !== "" && left === words?.before) || (right !== "" && right === words?.after);
  if (!before.some((words, slot) => keeps(words, now[slot]))) return [...now.keys()];
  return [...now.keys()].filter((slot) =>
    before.some(
      (other, n) => n !== slot && isNew[slot] === true && isNew[n] === true && other.before !== "" && other.before === now[slot]?.before,
    ),
  );
}
