import { Textarea } from "@mantine/core";
import { examplePayload } from "shared/core/example";
import { learnFields } from "shared/core/fields/learn";
import { parseJson } from "shared/core/json";
import { t } from "../../language.ts";
import type { Outputs } from "../../trpc.ts";
import { monospace, SmallButton } from "../../ui/base/buttons.tsx";
import { bound } from "../../ui/base/fields.ts";

export const PastedPayload = ({ text, onChange }: { text: string; onChange: (text: string) => void }) => (
  <div>
    <Textarea
      label={t("Event JSON")}
      minRows={6}
      maxRows={16}
      spellCheck={false}
      autoComplete="off"
      styles={monospace}
      error={text.trim() === "" ? undefined : payloadFault(text)}
      {...bound(text, onChange)}
    />
    {text.trim() === "" && (
      <SmallButton mt="xs" onClick={() => onChange(JSON.stringify(examplePayload, null, 2))}>
        {t("Insert example")}
      </SmallButton>
    )}
  </div>
);

type LearnedField = Outputs["events"]["fields"]["fields"][number];

/** The fields of a pasted event that no event of the site had. */
export function fieldsOf(pasted: string | null, known: readonly LearnedField[]): LearnedField[] {
  if (pasted === null) return [];
  const paths = new Set(known.map(({ path }) => path));
  const lastSeenAt = new Date().toISOString();
  return learnFields(parseJson(pasted))
    .filter(({ path }) => !paths.has(path))
    .map((field) => ({ ...field, lastSeenAt }));
}

/** The fault that keeps the text from being an event, with line and column; null if there is none. */
function payloadFault(text: string): string | null {
  const fault = jsonFault(text);
  if (fault !== null)
    return t("Line {line}, column {column}: {message}", { line: fault.line, column: fault.column, message: fault.message });
  return text.trimStart().startsWith("{") ? null : t("Must be a JSON object in braces");
}

/** The place where a text stops being JSON. Line and column start at 1. */
export type JsonFault = { line: number; column: number; message: string };

/** A token with leading white space. Incomplete strings and numbers do not match. */
const token =
  /[ \t\n\r]*(?:([{}[\],:])|("(?:[^"\\\p{Cc}]|[\u007F-\u009F]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)(?!\w))|$)/uy;

const words = {
  value: t("a value"),
  "value or ]": t("a value or ]"),
  key: t("a name in double quotes"),
  "key or }": t("a name in double quotes or '}'"),
  colon: t("a colon"),
  "comma or ]": t("a comma or ]"),
  "comma or }": t("a comma or '}'"),
  end: t("the end of the text"),
};
type Expected = keyof typeof words;

/** The first place that is not JSON, or null. Browsers report it differently or not at all. */
export function jsonFault(text: string): JsonFault | null {
  const open: string[] = [];
  let expected: Expected = "value";
  let at = 0;
  for (;;) {
    token.lastIndex = at;
    const match = token.exec(text);
    const [whole = "", mark = "", string = "", scalar = ""] = match ?? [];
    const isEnd = match !== null && mark === "" && string === "" && scalar === "";
    if (isEnd && expected === "end") return null;
    const next: Expected | null = match === null || isEnd ? null : step(expected, mark, string !== "", open);
    if (next === null) return faultAt(text, at + (/^[ \t\n\r]*/u.exec(text.slice(at))?.[0].length ?? 0), expected);
    expected = next;
    at += whole.length;
  }
}

/** The tokens that may follow this one; null if this one is not allowed here. `open`: the closing marks to come. */
function step(expected: Expected, mark: string, isString: boolean, open: string[]): Expected | null {
  if (expected.startsWith("value") && (mark === "{" || mark === "[")) {
    open.push(mark === "{" ? "}" : "]");
    return mark === "{" ? "key or }" : "value or ]";
  }
  if (expected.startsWith("value") && mark === "") return afterValue(open);
  if (expected.startsWith("key") && isString) return "colon";
  if (expected === "colon" && mark === ":") return "value";
  if (expected.startsWith("comma") && mark === ",") return open.at(-1) === "}" ? "key" : "value";
  if (mark === "" || !expected.endsWith(` ${mark}`)) return null;
  open.pop();
  return afterValue(open);
}

function afterValue(open: readonly string[]): Expected {
  if (open.length === 0) return "end";
  return open.at(-1) === "}" ? "comma or }" : "comma or ]";
}

function faultAt(text: string, at: number, expected: Expected): JsonFault {
  const before = text.slice(0, at).split(/\r\n|\n|\r/u);
  const value = words[expected];
  const message = at >= text.length ? t("the text ends, expected {value}", { value }) : t("expected {value}", { value });
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1, message };
}
