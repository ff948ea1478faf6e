import { expect, test } from "vitest";
import { data } from "../../../../test/support/data.ts";
import { describeAnswer, formatMs } from "./endpoints.tsx";

test.each(data<[{ code: number | null; error: null | string }, string][]>("admin-web-ui-endpoints", "an answer j reads s"))(
  "an answer %j reads %s",
  (answer, words) => {
    expect(describeAnswer(answer)).toBe(words);
  },
);

test("an attempt's time is in milliseconds, then seconds", () => {
  expect([formatMs(35), formatMs(999), formatMs(15_004)]).toEqual(["35 ms", "999 ms", "15 seconds"]);
});
