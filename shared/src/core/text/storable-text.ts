import { wellFormed } from "./well-formed.ts";

/** The text as PostgreSQL's `text` can hold it: NUL and halves of characters become U+FFFD. */
export const storableText = (text: string): string => wellFormed(text).replaceAll("\0", "\ufffd");
