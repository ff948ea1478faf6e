import { describe, expect, test } from "vitest";
import { namedError } from "./text.ts";
import { english, findRule, rule, type Said, say, write } from "./wording.ts";

/** Marks texts that were looked up, so that a test sees which ones a catalogue would be asked for. */
const asked: string[] = [];
const noting: typeof english = (text, values) => {
  asked.push(text);
  return english(text, values);
};

describe("a sentence as data", () => {
  test.each<[Said, string]>([
    [say("Sign in first"), "Sign in first"],
    [say("At most {most} a minute", { most: 60 }), "At most 60 a minute"],
    [say("From {least, number} to {most, number}", { least: 1000, most: 10_000_000 }), "From 1,000 to 10,000,000"],
    [say("wait {n, plural, one {# minute} other {# minutes}}", { n: 1 }), "wait 1 minute"],
    [say("wait {n, plural, one {# minute} other {# minutes}}", { n: 12 }), "wait 12 minutes"],
    [say("{what}: {how}", { what: say("{a} is off", { a: "x" }), how: say("wait") }), "x is off: wait"],
  ])("%j reads %s", (said, sentence) => expect(write(said)).toBe(sentence));

  test("asks for the texts of sentences within it, each by itself", () => {
    asked.length = 0;
    write(say("{doing} needs the role {needed}", { doing: say("Looking for a phone"), needed: say("owner") }), noting);
    expect(asked).toEqual(["Looking for a phone", "owner", "{doing} needs the role {needed}"]);
  });

  test.each(["{name}", "{most}", "{n, plural, one {x} other {y}}", "'{most}'", "it's", "$&", "$1", "#", "\\u0041", "<0>x</0>", "{", "}}"])(
    "the value %s is told as it is, also within another sentence",
    (value) => {
      const said = say("{name} has at most {most}", { name: value, most: 5 });
      expect(write(said)).toBe(`${value} has at most 5`);
      expect(write(say("No: {said}", { said }))).toBe(`No: ${value} has at most 5`);
    },
  );

  test("a placeholder without a value stays, and names of every object are no values", () => {
    for (const text of ["{missing} and {toString} and {__proto__}", "{n, plural, one {x} other {y}} and {n, number}"])
      expect(write(say(text))).toBe(text);
  });

  test("a value of a megabyte is copied, not parsed", () => {
    const value = "{n, plural, one {".repeat(60_000);
    expect(write(say("{value}!", { value }))).toBe(`${value}!`);
  });
});

describe("a rule of a schema", () => {
  test("is English, and found as data by its words", () => {
    expect(rule("Has at most {most, number} turns", { most: 2000 })).toBe("Has at most 2,000 turns");
    expect(findRule("Has at most 2,000 turns")).toEqual({ text: "Has at most {most, number} turns", values: { most: 2000 } });
    expect(findRule("Has at most 3,000 turns")).toBeUndefined();
    for (const odd of ["__proto__", "toString", "constructor", ""]) expect(findRule(odd)).toBeUndefined();
  });

  test("stands behind its place, and is found without it", () => {
    const { error } = namedError("must have {most} parts", { most: 3 });
    expect(error({ path: ["conditions", "rules", 0, "path"], code: "custom" })).toBe("conditions.rules[0].path: must have 3 parts");
    expect(findRule("must have 3 parts")).toEqual({ text: "must have {most} parts", values: { most: 3 } });
  });
});
