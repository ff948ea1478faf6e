import { expect, test } from "vitest";
import { pastedKind } from "./pasted.ts";

test.each([
  ["017f22e2-79b0-7cc3-98c4-dc0c0c07398f", "a message, an event or an order"],
  ["+49 170 1234567", "messages to this phone"],
  ["wamid.HBgLMTQxNTU1NTAxMjM", "the platform's id of a message"],
  ["order confirmation", null],
  ["10042", null],
])("%s is %s", (text, kind) => {
  expect(pastedKind(text, true)).toBe(kind);
});

test("whoever sees no phones looks for none", () => {
  expect(pastedKind("+491701234567", false)).toBeNull();
});
