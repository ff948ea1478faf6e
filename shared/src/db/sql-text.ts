import { randomUUID } from "node:crypto";
import { storableText } from "../core/text.ts";
import type { ColumnOptions, Columns } from "./statement.ts";

/** A `like` pattern for texts that contain `text`, in which an underscore is an underscore. */
export const containing = (text: string): string => `%${text.replace(/[\\%_]/g, "\\$&")}%`;

/**
 * A statement in a few shapes, each written once: the driver composes tagged fragments again with every call, which costs too much for the hot statements.
 * The text is without indentation, as each run hashes and copies it. `parts`: the places of its parameters, which follow from its shape.
 */
export function memoizeText<Parts extends unknown[]>(write: (shape: string, ...parts: Parts) => string) {
  const written = new Map<string, string>();
  return (shape: string, ...parts: Parts): string => {
    const text =
      written.get(shape) ??
      write(shape, ...parts)
        .trim()
        .replaceAll(/\s+/g, " ");
    written.set(shape, text);
    return text;
  };
}

/** The parameters of a statement. `add` answers the place of a value in the statement's text, such as `$1`. */
export function createParameters() {
  const values: (string | readonly (string | null)[] | null)[] = [];
  return { values, add: (value: string | readonly (string | null)[] | null): string => `$${values.push(value)}` };
}

/** Makes an array of texts a parameter of the array type with that oid, as in `id = any(${ids}::uuid[])`. Arrays in results stay text. */
export const arrayType = (oid: number) => ({
  to: oid,
  from: [oid],
  serialize: (items: readonly (string | null)[]): string => `{${items.map(element).join(",")}}`,
  parse: (text: string): string => text,
});

/** Characters that JSON escapes in the same way as an array literal, in a fifth of the time. */
const alikeInJson = /^[ -\ud7ff\ue000-\uffff]*$/;

function element(text: string | null): string {
  if (text === null) return "NULL";
  return alikeInJson.test(text) ? JSON.stringify(text) : `"${text.replaceAll(/["\\]/g, "\\$&")}"`;
}

/** The separators between cells and between rows, and the sign for null. */
export type Separators = readonly [cell: string, row: string, none: string];

const usual: Separators = ["\u001f", "\u001e", "\u001d"];
const holdsSeparator = (text: string): boolean => text.includes(usual[0]) || text.includes(usual[1]) || text.includes(usual[2]);

/** The rows of each table as one text, for `rowsOf`: this costs both sides less than an array of a row type, which is escaped twice. */
export function rowTexts(tables: readonly TableRows[]): { texts: string[]; separators: Separators } {
  const texts = tables.map((table) => textOf(table, usual));
  if (!texts.includes(null)) return { texts: texts as string[], separators: usual };
  // The separators are made after the cells, so that no cell holds them.
  const separators = usual.map((one) => `${one}${randomUUID()}`) as unknown as Separators;
  return { texts: tables.map((table) => textOf(table, separators) ?? ""), separators };
}

interface TableRows {
  rows: readonly Record<string, string | number | boolean | null | undefined>[];
  names: readonly string[];
}

/** The rows as one text; null if a cell holds one of the usual separators, and these are given. */
function textOf({ rows, names }: TableRows, separators: Separators): string | null {
  const [betweenCells, betweenRows, none] = separators;
  let text = "";
  let before = "";
  for (const row of rows) {
    for (const name of names) {
      const value = row[name] ?? null;
      if (typeof value === "string" && separators === usual && holdsSeparator(value)) return null;
      text += before + (value ?? none);
      before = betweenCells;
    }
    before = betweenRows;
  }
  return text;
}

type TextColumns = Pick<Columns<Readonly<Record<string, ColumnOptions>>>, "all" | "names">;

/** SQL: the rows of a text of `rowTexts`, named `alias`. `text` and `separators` are parameters. */
export function rowsOf({ all, names }: TextColumns, alias: string, text: string, separators: Separators): string {
  const [cell, row, none] = separators;
  const cells = names.map((name, i) => `c[${i + 1}]::${all[name]?.sqlType ?? "text"} as ${name}`);
  // Without `offset`, each use of a cell would read it anew. A function among the columns answers row by row; among the tables, it is stored and joined first.
  return `(select ${cells.join(", ")} from (
    select string_to_array(unnest(string_to_array(${text}::text, ${row}::text)), ${cell}::text, ${none}::text) as c offset 0) rows offset 0) as ${alias}`;
}

/** The value's JSON, in which PostgreSQL can read every text: `->>` fails on NUL and on lone surrogates. */
export const storableJson = (value: object): string =>
  JSON.stringify(value, (_, member: unknown) => (typeof member === "string" ? storableText(member) : member));
