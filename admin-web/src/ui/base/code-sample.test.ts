import { expect, test, describe } from "vitest";
import { data } from "../../../../test/support/data.ts";
import { prettyJson, languageOf, type Language, tokensOf } from "./code-sample.tsx";

describe("pretty json", () => {
  const values = [{}, [], { a: [1, { b: null }], "c:{,": 'x"\\y[', d: {}, e: [], "": [[], [[]]] }, "text: {", 1.5, [true, false]];

  test.each(values)("%j is set out as JSON.stringify does", (value) => {
    expect(prettyJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
    expect(prettyJson(JSON.stringify(value, null, 7))).toBe(JSON.stringify(value, null, 2));
  });

  test("numbers and texts stay as they were written", () => {
    expect(prettyJson('{"id":10042000000000000001,"price":12.50,"name":"\\u00e9"}')).toBe(
      '{\n  "id": 10042000000000000001,\n  "price": 12.50,\n  "name": "\\u00e9"\n}',
    );
  });
});

describe("tokens", () => {
  const kindsOf = (text: string, language: Language) =>
    Object.fromEntries(tokensOf(text, language).map((token) => [token.text.trim(), token.kind]));

  describe("what a reader tells apart", () => {
    test.each<[Language, string, Record<string, string>]>(data("admin-web-ui-code-sample", "in s"))("in %s", (language, text, kinds) => {
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
    expect([languageOf("python"), languageOf("bash"), languageOf("cobol"), languageOf(undefined)]).toEqual(
      data("admin-web-ui-code-sample", "a fence's word names the language, any other non"),
    );
  });
});
