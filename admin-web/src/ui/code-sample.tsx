import { Tabs } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { CopyButton } from "./buttons.tsx";
import classes from "./code-sample.module.css";

export interface Sample {
  /** The tab's label. */
  name: string;
  language: Language;
  code: string;
}

interface CodeSampleProps {
  /** The label for screen readers. */
  label: string;
  samples: readonly Sample[];
}

/** One program in several languages. The chosen language applies everywhere and outlasts a reload. */
export function CodeSample({ label, samples }: CodeSampleProps) {
  const [chosen, choose] = useLocalStorage({ key: "tidings-code-sample", getInitialValueInEffect: false });
  const shown = samples.find(({ name }) => name === chosen) ?? samples[0];
  if (shown === undefined) return null;
  return (
    <Tabs value={shown.name} onChange={(name) => name !== null && choose(name)} keepMounted={false} miw={0}>
      <Tabs.List aria-label={label} mb="xs">
        {samples.map(({ name }) => (
          <Tabs.Tab key={name} value={name}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {samples.map(({ name, language, code }) => (
        <Tabs.Panel key={name} value={name} tabIndex={-1}>
          <CodeBlock code={code} language={language} label={`${label}: ${name}`} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

interface CodeBlockProps {
  code: string;
  language: Language;
  /** The label for screen readers. */
  label: string;
}

export const CodeBlock = ({ code, language, label }: CodeBlockProps) => (
  <div className={classes["block"]}>
    <div className={classes["copy"]}>
      <CopyButton text={code} what={label} size="compact-xs" />
    </div>
    {/* A scrolling element must be reachable by keyboard. */}
    <pre className={classes["code"]} role="group" aria-label={label} tabIndex={0}>
      <code>
        {tokensOf(code, language).map(({ kind, text }, index) => (
          <span key={index} data-kind={kind}>
            {text}
          </span>
        ))}
      </code>
    </pre>
  </div>
);

export interface Token {
  kind: "comment" | "string" | "key" | "variable" | "number" | "keyword" | undefined;
  text: string;
}

const quoted = String.raw`"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'`;
const words = (list: string): string => String.raw`(?<keyword>\b(?:${list.replaceAll(" ", "|")})\b)`;
const number = String.raw`(?<number>\b\d[\d._]*\b)`;

/** One alternative for each kind of token, in a group named after it; the first match counts. */
const grammars: Record<Exclude<Language, "text">, string[]> = {
  sh: [
    String.raw`(?<comment>(?<=^|\s)#.*)`,
    String.raw`(?<string>"(?:\\.|[^"\\])*"|'[^']*')`,
    String.raw`(?<variable>\$\w+|^\w+(?==))`,
    words("curl printf openssl sed tail date sleep export while for do done if then fi case in esac break"),
  ],
  js: [
    String.raw`(?<comment>\/\/.*)`,
    `(?<string>${quoted}|\`[^\`]*\`)`,
    number,
    words("import from const let await async function return new if else for of break true false null throw"),
  ],
  php: [
    String.raw`(?<comment>\/\/.*)`,
    `(?<string>${quoted})`,
    String.raw`(?<variable>\$\w+)`,
    number,
    words("php echo return new if else for foreach as break true false null function"),
  ],
  python: [
    "(?<comment>#.*)",
    `(?<string>${quoted})`,
    number,
    words("import from with as def return while for in if else try except raise break print True False None"),
  ],
  ruby: ["(?<comment>#.*)", `(?<string>${quoted})`, number, words("require do end if loop lambda rescue exit puts true false nil")],
  go: [
    String.raw`(?<comment>\/\/.*)`,
    `(?<string>${quoted}|\`[^\`]*\`)`,
    number,
    words("package import func const var return defer if for range true false nil"),
  ],
  java: [
    String.raw`(?<comment>\/\/.*)`,
    `(?<string>"""[^]*?"""|${quoted})`,
    number,
    words("import public static final class throws new return try catch for if void int long byte boolean true false null"),
  ],
  csharp: [
    String.raw`(?<comment>\/\/.*)`,
    `(?<string>${quoted})`,
    number,
    words("using public static readonly const class async await new return try catch when for if var int string true false null"),
  ],
  json: [String.raw`(?<key>"(?:\\.|[^"\\])*"(?=\s*:))`, `(?<string>${quoted})`, number, words("true false null")],
};

/** Splits a text for colouring; the pieces join to the same text. Good enough for samples, not a parser. */
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

/** `text`: no colours. */
export type Language = "sh" | "js" | "php" | "python" | "ruby" | "go" | "java" | "csharp" | "json" | "text";

const aliases: Record<string, Language> = { bash: "sh", ts: "js", py: "python" };

/** The language of a fenced block, from the word after its fence. */
export const languageOf = (word = ""): Language => aliases[word] ?? (Object.hasOwn(grammars, word) ? (word as Language) : "text");

/** A string, a run of other characters (a number, true, false, null), or punctuation. */
const token = /"(?:[^"\\]|\\.)*"?|[^\s"{}[\],:]+|[{}[\],:]/gsu;

/** Indents JSON without changing its strings and numbers; parsing would change long numbers. */
export function prettyJson(json: string): string {
  let pretty = "";
  let depth = 0;
  let previous = "";
  const line = () => `\n${"  ".repeat(depth)}`;
  for (const [each] of json.matchAll(token)) {
    const closes = each === "}" || each === "]";
    const isEmpty = closes && (previous === "{" || previous === "[");
    if (closes) depth -= 1;
    if (closes ? !isEmpty : previous === "{" || previous === "[" || previous === ",") pretty += line();
    pretty += each === ":" ? ": " : each;
    if (each === "{" || each === "[") depth += 1;
    previous = each;
  }
  return pretty;
}
