import { describe, expect, test } from "vitest";
import { languageOf, type Language } from "./language.ts";
import { tokensOf } from "./tokens.ts";

const kindsOf = (text: string, language: Language) =>
  Object.fromEntries(tokensOf(text, language).map((token) => [token.text.trim(), token.kind]));

describe("what a reader tells apart", () => {
  test.each<[Language, string, Record<string, string>]>([
    [
      "sh",
      `body='{"a":1}' # why\ncurl "$URL" -H 'X: 1'`,
      { body: "variable", "'{\"a\":1}'": "string", "# why": "comment", curl: "keyword", '"$URL"': "string" },
    ],
    ["js", 'const a = "x // y"; // 12', { const: "keyword", '"x // y"': "string", "// 12": "comment" }],
    ["php", "$a = ['it\\'s' => 12];", { $a: "variable", "'it\\'s'": "string", "12": "number" }],
    ["python", 'import hmac  # "why"', { import: "keyword", '# "why"': "comment" }],
    ["json", '{"a": "b", "c": true, "d": 1.5}', { '"a"': "key", '"b"': "string", true: "keyword", "1.5": "number" }],
  ])("in %s", (language, text, kinds) => {
    expect(kindsOf(text, language)).toMatchObject(kinds);
  });

  test.each<Language>(["sh", "js", "php", "python", "json", "text"])("nothing is lost in %s, however odd the text", (language) => {
    for (const text of ["", "'", '"never closed\n', "a 'b' # c\n// \\ $x 1.2.3", "\u{1F600} {{1}}\n\n"]) {
      expect(
        tokensOf(text, language)
          .map((token) => token.text)
          .join(""),
      ).toBe(text);
    }
  });
});

test("a fence's word names the language, any other none", () => {
  expect([languageOf("python"), languageOf("bash"), languageOf("cobol"), languageOf(undefined)]).toEqual(["python", "sh", "text", "text"]);
});
