import { storableText } from "../../core/text/storable-text.ts";

const longest = 2_000;
const longestId = 500;

/** What a stranger wrote, cut to 2,000 UTF-16 units, as the database takes it. */
export function boundedText(text: string): string {
  return storableText(text.slice(0, longest));
}

/** An id that a stranger made up, cut to what the database can index; the same id is cut the same way each time. */
export function boundedId(id: string): string {
  return storableText(id.slice(0, longestId));
}
