import { expect, test } from "vitest";
import { data } from "../../../test/support/data.ts";
import { isShopSilent, isSilent, longestPause } from "./platform.ts";

const hourMs = 3_600_000;

test.each([
  ["nothing", [], null],
  ["a single afternoon", [0, 1, 2, 3, 4, 5], null],
  ["too few events to tell", [0, 60, 120], null],
  ["every hour of three days", Array.from({ length: 72 }, (_, hour) => hour), 1],
  ["nights off", [0, 1, 2, 14, 15, 24, 38, 39, 48], 14],
  ["a weekend off", [0, 5, 10, 80, 90], 70],
])("the longest pause of %s", (_what, hours, pause) => {
  expect(longestPause(hours)).toBe(pause);
});

test.each([
  [2.5, 1, false],
  [2.6, 1, true],
  [20, 14, false],
  [23, 14, true],
])("%d quiet hours after pauses of up to %d: %s", (quiet, pause, silent) => {
  expect(isSilent(quiet * hourMs, pause)).toBe(silent);
});

test.each(
  data<([string, number[], number, boolean] | [string, never[], number, boolean])[]>(
    "admin-server-problems-silent-sites",
    "a shop of s j that is quiet for d days: s",
  ),
)("a shop of %s (%j) that is quiet for %d days: %s", (_what, busyHours, days, silent) => {
  expect(isShopSilent(days * 24 * hourMs, busyHours)).toBe(silent);
});
