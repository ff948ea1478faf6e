import { expect, test } from "vitest";
import { describeAnswer, formatMs } from "./endpoints.tsx";

test.each([
  [{ code: 204, error: null }, "204"],
  [{ code: 500, error: "refused" }, "500 Internal Server Error"],
  [{ code: 599, error: "refused" }, "599"],
  [{ code: null, error: "timeout" }, "No whole answer within 15 seconds"],
  [{ code: null, error: "of_a_later_version" }, "of_a_later_version"],
  [{ code: null, error: null }, ""],
])("an answer %j reads %s", (answer, words) => {
  expect(describeAnswer(answer)).toBe(words);
});

test("an attempt's time is in milliseconds, then seconds", () => {
  expect([formatMs(35), formatMs(999), formatMs(15_004)]).toEqual(["35 ms", "999 ms", "15 seconds"]);
});
