import type { Language } from "./language.ts";

export interface Token {
  /** Undefined for what is nothing in particular. */
  kind: "comment" | "string" | "key" | "variable" | "number" | "keyword" | undefined;
  text: string;
}

const quoted = String.raw`"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'`;
const words = (list: string): string => String.raw`(?<keyword>\b(?:${list.replaceAll(" ", "|")})\b)`;
const number = String.raw`(?<number>\b\d[\d._]*\b)`;

/** One alternative a kind, named after it; of two that fit at one place the first counts. */
const grammars: Record<Exclude<Language, "text">, string[]> = {
  sh: [
    String.raw`(?<comment>(?<=^|\s)#.*)`,
    String.raw`(?<string>"(?:\\.|[^"\\])*"|'[^']*')`,
    String.raw`(?<variable>\$\w+|^\w+(?==))`,
    words("curl printf openssl sed cut date export for do done if then fi"),
  ],
  js: [
    String.raw`(?<comment>\/\/.*)`,
    `(?<string>${quoted}|\`[^\`]*\`)`,
    number,
    words("import from const let await async function return new if else for of true false null throw"),
  ],
  php: [
    String.raw`(?<comment>\/\/.*)`,
    `(?<string>${quoted})`,
    String.raw`(?<variable>\$\w+)`,
    number,
    words("php echo return new if else foreach as true false null function"),
  ],
  python: ["(?<comment>#.*)", `(?<string>${quoted})`, number, words("import from with as def return for in if else print True False None")],
  json: [String.raw`(?<key>"(?:\\.|[^"\\])*"(?=\s*:))`, `(?<string>${quoted})`, number, words("true false null")],
};

/** The text in pieces that a reader tells apart by colour. Together they are the text. It is a light made for samples, not a parser. */
export function tokensOf(text: string, language: Language): Token[] {
  if (language === "text") return [{ kind: undefined, text }];
  const tokens: Token[] = [];
  let end = 0;
  for (const match of text.matchAll(new RegExp(grammars[language].join("|"), "gmu"))) {
    if (match.index > end) tokens.push({ kind: undefined, text: text.slice(end, match.index) });
    const [kind] = Object.entries(match.groups ?? {}).find(([, found]) => found !== undefined) ?? [];
    tokens.push({ kind: kind as Token["kind"], text: match[0] });
    end = match.index + match[0].length;
  }
  if (end < text.length) tokens.push({ kind: undefined, text: text.slice(end) });
  return tokens;
}
