import { describe, expect, test } from "vitest";
import { data } from "../../test/support/data.ts";
import { formatDay, formatDuration, formatLanguage, formatMoment, formatRelative, formatTimeIn, formatWhen } from "./format.ts";

describe("how far off a time is", () => {
  const now = Date.parse("2026-11-20T12:00:00Z");
  test.each(data<[string, string][]>("admin-web-format", "is"))("%s is %s", (at, words) => expect(formatRelative(at, now)).toBe(words));
});

describe("when, as lists tell it", () => {
  const now = new Date(2026, 10, 23, 15, 30);
  const local = (...at: [number, number, number, number?, number?, number?]) => new Date(...at);
  test.each([
    [local(2026, 10, 23, 15, 29, 1), "now"],
    [local(2026, 10, 23, 15, 30, 59), "now"],
    [local(2026, 10, 23, 15, 26), "4 min ago"],
    [local(2026, 10, 23, 14, 30, 1), "59 min ago"],
    [local(2026, 10, 23, 14, 30), "2:30 PM"],
    [local(2026, 10, 23), "12:00 AM"],
    [local(2026, 10, 22, 23, 59, 59), "Nov 22"],
    [local(2025, 11, 31, 23), "Dec 31, 2025"],
    [local(2026, 10, 23, 16), "in 30 min"],
    [local(2026, 10, 23, 15, 59, 30), "in 30 min"],
    [local(2026, 10, 23, 16, 30), "4:30 PM"],
    [local(2026, 10, 24, 9), "tomorrow, 9:00 AM"],
    [local(2026, 10, 29, 23, 59), "Sun 11:59 PM"],
    [local(2026, 10, 30), "Nov 30, 12:00 AM"],
    [local(2026, 11, 23, 9), "Dec 23"],
    [local(2027, 0, 1, 9), "Jan 1, 2027"],
  ])("%s is %s", (at, words) => expect(formatWhen(at.toISOString(), now.getTime()).replace("\u202F", " ")).toBe(words));

  test("past midnight the last hour stays relative", () => {
    expect(formatWhen(local(2026, 10, 22, 23, 50).toISOString(), local(2026, 10, 23, 0, 10).getTime())).toBe("20 min ago");
  });

  test("a day is the same in every zone", () => expect(formatDay("2026-11-23")).toBe("Nov 23"));
});

test("a code that names no language is shown, and a zone that the browser does not know is UTC", () => {
  expect(["pt_BR", "zh_Hant_TW", "x__y"].map(formatLanguage)).toEqual(["Brazilian Portuguese", "Chinese (Traditional, Taiwan)", "x__y"]);
  const at = Date.UTC(2026, 10, 23, 9, 5);
  expect(formatTimeIn("Mars/Base", at)).toBe(formatTimeIn("UTC", at));
  expect(formatMoment(new Date(at).toISOString(), "Mars/Base")).toBe(formatMoment(new Date(at).toISOString(), "UTC"));
});

describe("about how long", () => {
  test.each(data<[number, string][]>("admin-web-format", "seconds are"))("%d seconds are %s", (seconds, words) =>
    expect(formatDuration(seconds)).toBe(words),
  );
});
