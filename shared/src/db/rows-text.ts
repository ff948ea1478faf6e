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
