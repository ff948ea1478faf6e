import { expect, test } from "vitest";
import { isShorter } from "./retention.tsx";

test.each([
  [90, 90, false],
  [91, 90, false],
  [89, 90, true],
  [365, 30, true],
])("%i days of payloads and %i of the log: %s", (payloadDays, logDays, shorter) => {
  expect(isShorter({ payloadDays, logDays }, { payloadDays: 90, logDays: 90 })).toBe(shorter);
});
