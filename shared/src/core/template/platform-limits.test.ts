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
  test.each<[string, number[], string | null]>([
    ["a JPEG", [0xff, 0xd8, 0xff, 0xe0], "image/jpeg"],
    ["a PNG", [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0], "image/png"],
    ["an MP4, whatever its size", [0, 0, 0, 0x18, 0x66, 0x74, 0x79, 0x70, 0x69], "video/mp4"],
    ["a PDF", [0x25, 0x50, 0x44, 0x46, 0x2d, 0x31], "application/pdf"],
    ["a page", Array.from("<!doctype html>", (letter) => letter.charCodeAt(0)), null],
    ["half a signature", [0x89, 0x50, 0x4e], null],
    ["nothing", [], null],
  ])("%s is told by its first bytes", (_, bytes, type) => {
    expect(typeOfBytes(Uint8Array.from(bytes))).toBe(type);
  });

  test("each type belongs to one header", () => {
    expect(["image/jpeg", "image/png", "video/mp4", "application/pdf", "image/gif", ""].map(formatOfType)).toEqual([
      "IMAGE",
      "IMAGE",
      "VIDEO",
      "DOCUMENT",
      null,
      null,
    ]);
    expect(mediaFormats.map(typeNames)).toEqual(["JPEG or PNG", "MP4", "PDF"]);
  });

  test("each header's file may have the platform's size, in bytes", () => {
    expect(mediaFormats.map((format) => mediaTypes[format].maxBytes)).toEqual([5_242_880, 16_777_216, 104_857_600]);
  });
});
