import { expect, test } from "vitest";
import { nextVariable } from "./fields.tsx";

test.each([
  ["", "{{1}}"],
  ["Hello {{1}}, {{2}}", "{{3}}"],
  ["Hello {{1}} and {{3}}", "{{2}}"],
  ["Hello {{2}} {{name}}", "{{1}}"],
])("behind %j comes %s", (text, variable) => {
  expect(nextVariable(text)).toBe(variable);
});
