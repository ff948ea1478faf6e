import { expect, test } from "vitest";
import { blankedVariables, VARIABLE, variableFaults } from "./variables.ts";

const malformed = "has a malformed variable: write {{1}}, {{2}} and so on, without spaces";
const gaps = "must number its variables from {{1}} without gaps";
const neighbours = "must have text between two variables";
const upTo = (count: number): string => Array.from({ length: count }, (_, index) => `{{${index + 1}}}`).join(" ");

test("a text's variables become a character that the text itself does not hold", () => {
  expect(blankedVariables(`a\0b {{1}} {{12}} {{x}} {1}`)).toBe(`ab ${VARIABLE} ${VARIABLE} {{x}} {1}`);
});

test.each([
  ["", []],
  [upTo(12), []],
  ["{{2}} and {{1}} and {{2}}", []],
  ["{1} } {", []],
  [`${upTo(9)} {{11}}`, [gaps]],
  ["{{01}}", [gaps]],
  ["{{1}}{{2}}", [neighbours]],
  ["{{1}}{{1}} {{3}}", [gaps, neighbours]],
  ["{{1}} {{", [malformed]],
  ["{{1}} }}", [malformed]],
  ["{{{1}}", [malformed]],
  ["{{1}}}", [malformed]],
  ["{{1}}{{2}} {{x}}", [malformed]],
])("%j: %j", (text, faults) => {
  expect(variableFaults(text)).toEqual(faults);
});
