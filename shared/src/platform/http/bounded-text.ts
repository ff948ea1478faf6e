import { storableText } from "../../core/text/storable-text.ts";

const longest = 2_000;

/** What a stranger wrote, cut to 2,000 UTF-16 units, as the database takes it. */
export function boundedText(text: string): string {
  return storableText(text.slice(0, longest));
}
