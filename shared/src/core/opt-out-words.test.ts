import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hostileText } from "../../../test/support/arbitrary/json.ts";
import { data } from "../../../test/support/data.ts";
import { defaultStartWords, defaultStopWords, foldWord, readWords } from "./opt-out-words.ts";

const read = readWords({ stopWords: defaultStopWords, startWords: defaultStartWords });

test("no word of the defaults means both, and none stands twice", () => {
  const words = [...defaultStopWords, ...defaultStartWords].map(foldWord);
  expect(new Set(words).size).toBe(words.length);
  expect(words.every((word) => word.length > 0)).toBe(true);
});

describe("a text is a word", () => {
  test.each(data<[string, "stop" | "start"][]>("core-opt-out-words", "examples"))("%j", (text, word) => {
    expect(read(text)).toBe(word);
  });

  test.each([
    "",
    " ",
    "stop it",
    "do not stop",
    "don't stop!",
    "cancel",
    "stop?start",
    "👍",
    "!",
    "s t o p",
    "stopstop",
    "x".repeat(1_000_000),
    `stop${" ".repeat(400)}`,
    "constructor",
  ])("but not %.30j", (text) => {
    expect(read(text)).toBeNull();
  });

  test.each(data<[string, string[]][]>("core-opt-out-words", "s is each of j"))("%s is each of %j", (word, spellings) => {
    const own = readWords({ stopWords: [word], startWords: [] });
    for (const text of [word, ...spellings]) expect(own(text)).toBe("stop");
  });

  test("of any language, whatever its case", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        expect(foldWord(foldWord(text))).toBe(foldWord(text));
        expect(["stop", "start", null]).toContain(read(text));
      }),
      { numRuns: 500 },
    );
    for (const word of defaultStopWords)
      for (const text of [word.toUpperCase(), word.toLowerCase(), ` ${word} `, word.normalize("NFD")]) expect(read(text)).toBe("stop");
  });
});

test("a word of signs alone is that word, and no other text of signs", () => {
  const own = readWords({ stopWords: ["🛑", "!!", ",", "\u200e"], startWords: ["✅", "2"] });
  expect(["🛑", " 🛑 ", "!!", ",", "✅", "2."].map(own)).toEqual(["stop", "stop", "stop", "stop", "start", "start"]);
  expect(["👍", "!", "🛑🛑", "", " "].map(own)).toEqual(Array(5).fill(null));
});

test("a word in both lists stops", () => {
  expect(readWords({ stopWords: ["on"], startWords: ["ON"] })("on")).toBe("stop");
});
