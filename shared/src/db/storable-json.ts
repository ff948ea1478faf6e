import { storableText } from "../core/text/storable-text.ts";

/** The value's JSON, with texts that PostgreSQL can take out of it again: `->>` fails on NUL and on half a character. */
export const storableJson = (value: object): string =>
  JSON.stringify(value, (_, member: unknown) => (typeof member === "string" ? storableText(member) : member));
