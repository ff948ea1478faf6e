/** JSON without truth values and nulls: as it stands it is also JavaScript and Python. */
export type PlainJson = string | number | PlainJson[] | { [name: string]: PlainJson };

/** How a language writes a literal. */
export interface LiteralStyle {
  text: (text: string) => string;
  /** What stands before and after an object's members, and between a name and its value. */
  object: readonly [string, string];
  is: string;
  indent: string;
}

const widest = 80;

/** A literal as a person would lay it out: on one line where it fits, else a member a line. */
export function layOut(value: PlainJson, style: LiteralStyle, margin = ""): string {
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return style.text(value);
  const [open, close] = Array.isArray(value) ? ["[", "]"] : style.object;
  const within = margin + style.indent;
  const members = (inner: string): string[] =>
    Array.isArray(value)
      ? value.map((item) => layOut(item, style, inner))
      : Object.entries(value).map(([name, item]) => `${style.text(name)}${style.is}${layOut(item, style, inner)}`);
  const line = `${open}${members("").join(", ")}${close}`;
  if (!line.includes("\n") && within.length + line.length <= widest) return line;
  return `${open}\n${members(within)
    .map((member) => within + member)
    .join(",\n")}\n${margin}${close}`;
}

const json = { text: (text: string) => JSON.stringify(text), object: ["{", "}"], is: ": " } as const;

export const layOutJson = (value: PlainJson, indent = "  "): string => layOut(value, { ...json, indent });
