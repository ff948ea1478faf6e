/** Where a text stops being JSON. Line and column begin at 1. */
export interface JsonFault {
  line: number;
  column: number;
  message: string;
}

/** A token with what comes before it. A string and a number that are not whole are none. */
const token =
  /[ \t\n\r]*(?:([{}[\],:])|("(?:[^"\\\p{Cc}]|[\u007F-\u009F]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)(?!\w))|$)/uy;

type Expected = "value" | "value or ]" | "key" | "key or }" | "colon" | "comma or ]" | "comma or }" | "end";

const words: Record<Expected, string> = {
  value: "a value",
  "value or ]": "a value or ]",
  key: "a name in double quotes",
  "key or }": "a name in double quotes or }",
  colon: "a colon",
  "comma or ]": "a comma or ]",
  "comma or }": "a comma or }",
  end: "nothing more",
};

/** The first place where the text is no JSON, which browsers tell each in its own way or not at all; null when there is none. */
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

/** What may follow the token; null when it may not stand here. `open`: the closing marks that are still to come. */
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
  const message = at >= text.length ? `the text ends where ${words[expected]} should follow` : `${words[expected]} should stand here`;
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1, message };
}
