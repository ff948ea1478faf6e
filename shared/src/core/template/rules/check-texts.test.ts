import { expect, test } from "vitest";
import { checkBody, checkHeader } from "./check-texts.ts";

const messages = (faults: { message: string }[]): string[] => faults.map((fault) => fault.message);

test.each([
  ["Hi{{1}}you, {{2}}.", []],
  ["... {{1}} ...", ["has too many variables for its length: 1 to 0 words"]],
  ["a {{1}} {{2}} {{3}} b", ["has too many variables for its length: 3 to 2 words"]],
  ["a\r\rb", []],
  ["a\r\r\rb", ["must not hold more than two line breaks in a row"]],
  ["\r\r\ra\n\n\n", []],
])("the body %j: %j", (body, expected) => {
  expect(messages(checkBody(body))).toEqual(expected);
});

test.each([
  ["Order {{1}}", []],
  ["{{1}} and {{10}}", ["must number its variables from {{1}} without gaps", "must hold at most one variable"]],
  [
    "*{{x}}*\n",
    [
      "must be one line",
      "must not hold asterisks or other markup",
      "has a malformed variable: write {{1}}, {{2}} and so on, without spaces",
    ],
  ],
])("the header %j: %j", (text, expected) => {
  expect(messages(checkHeader({ format: "TEXT", text }))).toEqual(expected);
});
