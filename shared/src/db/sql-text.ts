import { storableText } from "../core/text.ts";

/** A `like` pattern for texts that contain `text`, in which an underscore is an underscore. */
export const containing = (text: string): string => `%${text.replace(/[\\%_]/g, "\\$&")}%`;

/**
 * A statement that comes in a few shapes, each written once. The driver composes tagged fragments anew with every call, which the two statements of
 * an event's way are too frequent for. Without the indentation, as its text is hashed here and copied there each time that it runs.
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

/** Rows as the text of an array of a composite type with these members in this order: a statement's cheapest way to many rows. */
export const rowsText = <Member extends string>(rows: readonly Record<Member, Cell>[], members: readonly Member[]): string =>
  `{${rows.map((row) => `"(${members.map((member) => cell(row[member])).join(",")})"`).join(",")}}`;

const PLAIN = /^[\w+:.-]+$/;

/** Nothing at all is null, so an empty text is quoted. */
function cell(value: Cell): string {
  if (value === null) return "";
  if (typeof value !== "string") return String(value);
  return PLAIN.test(value) ? value : quoted(value);
}

/** For both at once, the row's text and the array's around it, which would escape the row's own marks once more. */
const quoted = (text: string): string => `\\"${text.replace(/\\/g, "\\\\\\\\").replace(/"/g, '\\"\\"')}\\"`;

/** The value's JSON, with texts that PostgreSQL can take out of it again: `->>` fails on NUL and on half a character. */
export const storableJson = (value: object): string =>
  JSON.stringify(value, (_, member: unknown) => (typeof member === "string" ? storableText(member) : member));
