import { expect, test } from "vitest";
import { niceTicks } from "./nice-ticks.ts";

test.each([
  [0, [0, 1]],
  [1, [0, 1]],
  [4, [0, 1, 2, 3, 4]],
  [7, [0, 2, 4, 6, 8]],
  [25, [0, 10, 20, 30]],
  [400, [0, 100, 200, 300, 400]],
  [401, [0, 200, 400, 600]],
  [123_456, [0, 50_000, 100_000, 150_000]],
])("up to %d the ticks are %j", (most, ticks) => {
  expect(niceTicks(most)).toEqual(ticks);
});
