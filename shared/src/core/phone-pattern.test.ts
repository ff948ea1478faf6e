import { expect, test } from "vitest";
import { phonePattern } from "./phone-pattern.ts";

const finds = (text: string, phone = "+491701234567"): boolean => new RegExp(phonePattern(phone)).test(text);

test.each([
  "+491701234567",
  "491701234567",
  "00491701234567",
  "tel:+49-170-1234567",
  '{"phone":"+49 (170) 123 45 67"}',
  '{"phone":491701234567}',
  String.raw`{"phone":"\u002b\u0034917\u00301234567"}`,
  String.raw`{"phone":"\u00a0491701234567"}`,
  "49/170/1234567",
  "%2B491701234567",
  "+49 (0)170 1234567",
  "+49\u00a0170\u00a01234567",
  "+49\u202f170\u20111234567",
  "+49\u200b1701234567",
  String.raw`{"phone":"+49\u202f170\t1234567"}`,
])("is found in %s", (text) => expect(finds(text)).toBe(true));

test.each(["1491701234567", "4917012345678", "+49170123456", "+491701234568", "49 and 1701234567", "0170 1234567"])(
  "is not found in %s",
  (text) => expect(finds(text)).toBe(false),
);

test("a short number is not found in a longer one, and each form of a number is", () => {
  expect(finds("+49170129999", "+4917012")).toBe(false);
  expect(finds("553187654321", "+5531987654321")).toBe(true);
  expect(finds("+55 31 98765-4321", "+553187654321")).toBe(true);
});
