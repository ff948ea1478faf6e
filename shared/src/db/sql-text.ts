import { storableText } from "../core/text.ts";

/** A `like` pattern for texts that contain `text`, in which an underscore is an underscore. */
export const containing = (text: string): string => `%${text.replace(/[\\%_]/g, "\\$&")}%`;

/**
 * A statement in a few shapes, each written once: the driver composes tagged fragments again with every call, which costs too much for the hot statements.
 * The text is without indentation, as each run hashes and copies it.
 */
export function memoizeText(write: (shape: string) => string): (shape: string) => string {
  const written = new Map<string, string>();
  return (shape) => {
    const text = written.get(shape) ?? write(shape).trim().replaceAll(/\s+/g, " ");
    written.set(shape, text);
    return text;
  };
}

type Cell = string | number | boolean | null;

/** Rows as the text of an array of a composite type with these members in this order: the cheapest way to pass many rows. */
export const rowsText = <Member extends string>(rows: readonly Record<Member, Cell>[], members: readonly Member[]): string =>
  `{${rows.map((row) => `"(${members.map((member) => cell(row[member])).join(",")})"`).join(",")}}`;

const plainText = /^[\w+:.-]+$/;

/** An empty cell is null, so an empty text is quoted. */
function cell(value: Cell): string {
  if (value === null) return "";
  if (typeof value !== "string") return String(value);
  return plainText.test(value) ? value : quoted(value);
}

/** Escaped twice at once: for the row's text, and for the array's text around it. */
const quoted = (text: string): string => `\\"${text.replace(/\\/g, "\\\\\\\\").replace(/"/g, '\\"\\"')}\\"`;

/** The value's JSON, in which PostgreSQL can read every text: `->>` fails on NUL and on lone surrogates. */
export const storableJson = (value: object): string =>
  JSON.stringify(value, (_, member: unknown) => (typeof member === "string" ? storableText(member) : member));
