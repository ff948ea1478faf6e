import { expect, test } from "vitest";
import { data } from "../../../test/support/data.ts";
import { phoneEnding, phoneFinder, phonePattern } from "./phone-search.ts";
import { foreignZeros } from "./phone.ts";

const finds = (text: string, phone = "+491701234567"): boolean => phoneFinder(phonePattern(phone))(text);

test.each(data<string[]>("core-phone-search", "is found in"))("is found in %s", (text) => expect(finds(text)).toBe(true));

test.each(["1491701234567", "4917012345678", "+49170123456", "+491701234568", "49 and 1701234567", "0170 1234567"])(
  "is not found in %s",
  (text) => expect(finds(text)).toBe(false),
);

test.each(["１４９１７０１２３４５６７", "４９１７０１２３４５６７８", "٤٩١٧٠١٢٣٤٥٦٨", "四九一七〇一二三四五六七"])("nor in %s", (text) =>
  expect(finds(text)).toBe(false),
);

test("every script's digits are looked for, as they are and as JSON escapes them; other texts are spared it", () => {
  const pattern = phonePattern("+491701234567");
  const hasOthers = new RegExp(pattern.hasOthers, "u");
  const find = phoneFinder(pattern);
  for (const zero of foreignZeros()) {
    const number = Array.from("491701234567", (digit) => String.fromCodePoint(zero + Number(digit))).join("");
    const escaped = number.replaceAll(/[^]/g, (unit) => String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
    for (const text of [number, `{"x":"${escaped}"}`, escaped.toUpperCase().replaceAll("U", "u")])
      expect([text, find(text), hasOthers.test(text)]).toEqual([text, true, true]);
  }
  for (const text of ["+491701234567", "Größe 42, 注文 😀", String.raw`\u00e9\u4e00\ud83d\ude00`]) expect(hasOthers.test(text)).toBe(false);
});

test("a short number is not found in a longer one, and each form of a number is", () => {
  expect(finds("+49170129999", "+4917012")).toBe(false);
  expect(finds("553187654321", "+5531987654321")).toBe(true);
  expect(finds("+55 31 98765-4321", "+553187654321")).toBe(true);
});

test("the ending of a number is found without its country code, and not within a longer one", () => {
  const find = phoneFinder(phoneEnding("+491701234567"));
  for (const text of ["0170 1234567", "(0170)123-45-67 ext. 9", "+491701234567", "٠١٧٠ ١٢٣٤٥٦٧", '"0170\\u00201234567"'])
    expect(find(text)).toBe(true);
  for (const text of ["0170 12345678", "0170 1234568", "123456"]) expect(find(text)).toBe(false);
});
