import { expect, test } from "vitest";
import { judgeTimestamp } from "./judge-timestamp.ts";

const now = 1_795_197_134_000;

test.each(["1795197134", "1795196834", "1795197434"])("%s is near enough", (timestamp) => {
  expect(judgeTimestamp(timestamp, now)).toBeUndefined();
});

test.each([
  ["1795196833", /5 minutes old/u],
  ["1795204434", /2 hours ahead/u],
  ["1795000000", /2 days old/u],
  ["1795197134000", /milliseconds/u],
  ["2026-11-20", /whole number/u],
  ["", /whole number/u],
])("of %j is said %s", (timestamp, fault) => {
  expect(judgeTimestamp(timestamp, now)).toMatch(fault);
});
