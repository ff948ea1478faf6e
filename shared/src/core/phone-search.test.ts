import { expect, test } from "vitest";
import { phoneEnding, phoneFinder, phonePattern } from "./phone-search.ts";
import { foreignZeros } from "./phone.ts";

const finds = (text: string, phone = "+491701234567"): boolean => phoneFinder(phonePattern(phone))(text);

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
  "+49&nbsp;170&nbsp;123&nbsp;4567",
  String.raw`{"phone":"+49\u0026nbsp;170&#160;123&#xa0;4567"}`,
  "+49_170_1234567",
  "+49 - 170 - 1234567",
  "%2B491701234567",
  "+49 (0)170 1234567",
  '{"+49,170,123,45,67":1}',
  "49=170=1234567",
  "+49·170·1234567",
  "⁺⁴⁹¹⁷⁰¹²³⁴⁵⁶⁷",
  "④⑨①⑦⓪①②③④⑤⑥⑦",
  "④⑨⑰⓪⑫③④⑤⑥⑦",
  "❹❾❶❼⓿❶❷❸❹❺❻❼",
  "4\ufe0f\u20e39\ufe0f\u20e31701234567",
  "%2B49%20170%201234567",
  String.raw`{"phone":"\u207a\u2074\u2079\u00b9\u2077\u2070 \u2460\u2461\u24624567"}`,
  String.raw`{"phone":"49\u00b7170\u2022\"1234567\""}`,
  "+49\u00a0170\u00a01234567",
  "+49\u202f170\u20111234567",
  "+49\u200b1701234567",
  String.raw`{"phone":"+49\u202f170\t1234567"}`,
  "＋４９１７０１２３４５６７",
  "００４９（０）１７０－１２３　４５ー６７",
  "tel ٤٩ ١٧٠ ١٢٣٤٥٦٧",
  "\u202a+۴۹\u200e۱۷۰\u200e۱۲۳۴۵۶۷\u202c",
  "+49 १७० 1234567",
  "𝟒𝟗𝟏𝟕𝟎𝟏𝟐𝟑𝟒𝟓𝟔𝟕",
  String.raw`{"phone":"\uff0b\uff14\uFF19１７０\u0661\u0662\u06634567"}`,
  String.raw`{"phone":"\ud835\udfd2\uD835\uDFD71701234567"}`,
])("is found in %s", (text) => expect(finds(text)).toBe(true));

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
    for (const text of [number, `{"x":"${escaped}"}`, escaped.toUpperCase().replaceAll("U", "u")]) {
      expect([text, find(text), hasOthers.test(text)]).toEqual([text, true, true]);
    }
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
