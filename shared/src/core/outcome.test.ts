import { expect, test } from "vitest";
import { outcome } from "./outcome.ts";

test.each([
  [3, 0, "sent"],
  [1, 2, "partial"],
  [0, 2, "failed"],
])("%i sent and %i failed is %s", (sent, failed, expected) => {
  expect(outcome(sent, failed)).toBe(expected);
});
