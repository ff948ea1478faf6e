import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hostileText } from "../../../test/support/arbitrary/json.ts";
import { data } from "../../../test/support/data.ts";
import { parseIsoDate } from "./iso-date.ts";

const read = (text: string, zone = "Europe/Berlin"): string | null => {
  const instant = parseIsoDate(text, zone);
  return instant === null ? null : new Date(instant).toISOString();
};

describe("dates as shops write them", () => {
  test.each(data<[string, string][]>("core-iso-date", "is"))("%j is %s", (text, instant) => {
    expect(read(text)).toBe(instant);
  });

  test.each(data<string[]>("core-iso-date", "is none"))("%j is none", (text) => {
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
