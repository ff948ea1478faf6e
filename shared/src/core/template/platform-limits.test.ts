import { expect, test, describe } from "vitest";
import { data } from "../../../../test/support/data.ts";
import { likeLanguage, formatOfType, mediaFormats, mediaTypes, typeNames, typeOfBytes } from "./platform-limits.ts";

describe("languages", () => {
  test.each(data<[string, string][]>("core-template-platform-limits", "is to be written as"))(
    "%s is to be written as %s",
    (code, instead) => {
      expect(likeLanguage(code)).toBe(instead);
    },
  );

  test.each(["", "xx", "en_DE", "toString"])("for %j there is nothing else to write", (code) => {
    expect(likeLanguage(code)).toBeNull();
  });
});

describe("media types", () => {
  test.each(data<[string, number[], string | null][]>("core-template-platform-limits", "is told by its first bytes"))(
    "%s is told by its first bytes",
    (_, bytes, type) => {
      expect(typeOfBytes(Uint8Array.from(bytes))).toBe(type);
    },
  );

  test("each type belongs to one header", () => {
    expect(["image/jpeg", "image/png", "video/mp4", "application/pdf", "image/gif", ""].map(formatOfType)).toEqual(
      data("core-template-platform-limits", "each type belongs to one header"),
    );
    expect(mediaFormats.map(typeNames)).toEqual(["JPEG or PNG", "MP4", "PDF"]);
  });

  test("each header's file may have the platform's size, in bytes", () => {
    expect(mediaFormats.map((format) => mediaTypes[format].maxBytes)).toEqual([5_242_880, 16_777_216, 104_857_600]);
  });
});
