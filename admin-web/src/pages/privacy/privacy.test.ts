import { expect, test } from "vitest";
import { countWords } from "./erasing.tsx";
import { isShorter } from "./privacy-page.tsx";

test("what was changed is named in words, what was not is left out", () => {
  expect(countWords({ event_payload: 2, notification: 0, "sandbox.message": 1, new_table: 3 })).toBe(
    "event data: 2, sandbox messages: 1, new_table: 3",
  );
});

test("nothing changed is empty", () => {
  expect(countWords({ site: 0 })).toBe("");
});

test.each([
  [90, 90, false],
  [91, 90, false],
  [89, 90, true],
  [365, 30, true],
])("%i days of payloads and %i of the log: %s", (payloadDays, logDays, shorter) => {
  expect(isShorter({ payloadDays, logDays }, { payloadDays: 90, logDays: 90 })).toBe(shorter);
});
