import { Box, Button, Tabs } from "@mantine/core";
import { useDisclosure, useLocalStorage } from "@mantine/hooks";
import { formatCount } from "../../format.ts";
import { t } from "../../language.ts";
import { CopyButton } from "./buttons.tsx";
import grammars from "./grammars.json";
import classes from "./code-sample.module.css";

export interface Sample {
  /** The tab's label. */
  name: string;
  language: Language;
  code: string;
}

/** One program in several languages. The chosen language applies everywhere and outlasts a reload. `label`: for screen readers. */
export function CodeSample({ label, samples }: { label: string; samples: readonly Sample[] }) {
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

const mostLines = 10;

/** Its first ten lines until somebody wants all; on paper all. `label`: for screen readers. */
export function CodeBlock({ code, language, label }: { code: string; language: Language; label: string }) {
  const [isWhole, { toggle }] = useDisclosure(false);
  const lines = code.trimEnd().split(/(?<=\n)/u);
  const [first, rest] = [lines.slice(0, mostLines), lines.slice(mostLines)];
  const words = isWhole ? t("Show fewer") : t("Show all {count} lines", { count: formatCount(lines.length) });
  return (
    <Box pos="relative" miw={0} dir="ltr" className={classes["block"] ?? ""}>
      <Box pos="absolute" top="0.6rem" style={{ insetInlineEnd: "0.6rem" }}>
        <CopyButton text={code} what={label} size="compact-xs" />
      </Box>
      {/* A scrolling element must be reachable by keyboard. */}
      <pre className={classes["code"]} role="group" aria-label={label} tabIndex={0} data-whole={isWhole}>
        {[first, rest].map((part, at) => (
          <code key={at}>
            {tokensOf(part.join(""), language).map(({ kind, text }, index) => (
              <span key={index} data-kind={kind} style={{ color: kind && `var(--${kind})` }}>
                {text}
              </span>
            ))}
          </code>
        ))}
      </pre>
      {rest.length > 0 && (
        <Button variant="subtle" size="compact-sm" mt={4} aria-label={`${words}: ${label}`} aria-expanded={isWhole} onClick={toggle}>
          {words}
        </Button>
      )}
    </Box>
  );
}

export type Token = { kind: "comment" | "string" | "key" | "variable" | "number" | "keyword" | undefined; text: string };

/** Splits a text for colouring by its language's grammar, which has a group named after each kind of token and of which the first match counts; the pieces join to the same text. Good enough for samples, not a parser. */
export function tokensOf(text: string, language: Language): Token[] {
  if (language === "text") return [{ kind: undefined, text }];
  const tokens: Token[] = [];
  let end = 0;
  for (const match of text.matchAll(new RegExp(grammars[language], "gmu"))) {
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
