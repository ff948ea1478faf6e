import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hostileText } from "../../../test/support/arbitrary/json.ts";
import { parseIsoDate } from "./iso-date.ts";

const read = (text: string, zone = "Europe/Berlin"): string | null => {
  const instant = parseIsoDate(text, zone);
  return instant === null ? null : new Date(instant).toISOString();
};

describe("dates as shops write them", () => {
  test.each([
    ["2026-11-20", "2026-11-19T23:00:00.000Z"],
    ["20261120", "2026-11-19T23:00:00.000Z"],
    ["2026-11-20T15:00", "2026-11-20T14:00:00.000Z"],
    ["2026-11-20 15:00:30", "2026-11-20T14:00:30.000Z"],
    ["2026-11-20T15:00:30.1239", "2026-11-20T14:00:30.123Z"],
    ["2026-11-20T15:00:30,5", "2026-11-20T14:00:30.500Z"],
    [" 2026-11-20T15:00:00Z ", "2026-11-20T15:00:00.000Z"],
    ["2026-11-20t15:00:00z", "2026-11-20T15:00:00.000Z"],
    ["20261120T150000Z", "2026-11-20T15:00:00.000Z"],
    ["2026-11-20T15:00:00+05:45", "2026-11-20T09:15:00.000Z"],
    ["2026-11-20T15:00:00-0330", "2026-11-20T18:30:00.000Z"],
    ["2026-11-20T15:00:00+02", "2026-11-20T13:00:00.000Z"],
    ["2026-11-20 15:00:00 +0100", "2026-11-20T14:00:00.000Z"],
    ["2026-11-20 15:00:00 UTC", "2026-11-20T15:00:00.000Z"],
    ["2026-11-20T24:00", "2026-11-20T23:00:00.000Z"],
    ["2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z"],
    ["2028-02-29", "2028-02-28T23:00:00.000Z"],
    ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"],
    ["2026-03-29T02:30", "2026-03-29T01:00:00.000Z"],
    ["2026-10-25T02:30", "2026-10-25T00:30:00.000Z"],
  ])("%j is %s", (text, instant) => {
    expect(read(text)).toBe(instant);
  });

  test.each([
    "",
    "tomorrow",
    "2026",
    "2026-11",
    "2026-1120",
    "2026-13-01",
    "2026-00-10",
    "2026-11-00",
    "2026-11-31",
    "2026-02-29",
    "0000-00-00",
    "2026-11-20T25:00",
    "2026-11-20T24:01",
    "2026-11-20T15:60",
    "2026-11-20T15:00:61",
    "2026-11-20T15:00:00+24:00",
    "2026-11-20T15:00:00+2",
    "2026-11-20Z",
    "2026-11-20T",
    "20.11.2026",
    "11/20/2026",
    "1795186800",
    "٢٠٢٦-١١-٢٠",
    `2026-11-20${" ".repeat(100)}`,
  ])("%j is none", (text) => {
    expect(read(text)).toBeNull();
  });
});

test("what toISOString prints is read as it was, with any offset", () => {
  const date = fc.date({ min: new Date("0001-01-02T00:00:00Z"), max: new Date("9999-12-30T00:00:00Z"), noInvalidDate: true });
  fc.assert(
    fc.property(date, fc.integer({ min: -14 * 60, max: 14 * 60 }), (instant, minutes) => {
      expect(parseIsoDate(instant.toISOString(), "Asia/Kathmandu")).toBe(instant.getTime());
      const local = new Date(instant.getTime() + minutes * 60_000).toISOString().slice(0, -1);
      const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60].map((n) => String(n).padStart(2, "0"));
      expect(parseIsoDate(`${local}${minutes < 0 ? "-" : "+"}${hours}:${rest}`, "Asia/Kathmandu")).toBe(instant.getTime());
    }),
  );
});

test("any text is a date or none", () => {
  const near = fc.stringMatching(/^[0-9T :.+Z-]{0,40}$/);
  fc.assert(
    fc.property(fc.oneof(hostileText, near), fc.constantFrom("UTC", "America/Sao_Paulo"), (text, zone) => {
      expect(Number.isNaN(parseIsoDate(text, zone))).toBe(false);
    }),
  );
});
