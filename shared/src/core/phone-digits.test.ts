import { expect, test } from "vitest";
import { asciiDigits, foreignZeros } from "./phone-digits.ts";

test.each([
  ["+491701234567", "+491701234567"],
  ["４９ x １７", "49 x 17"],
  ["٠١٢٣٤٥٦٧٨٩", "0123456789"],
  ["۴۹ ०१२ ๗", "49 012 7"],
  ["𝟎𝟏𝟐 𝟡𝟢 𝟷", "012 90 1"],
  ["½ Ⅷ ① 四 ²", "½ Ⅷ ① 四 ²"],
])("%s reads %s", (text, ascii) => expect(asciiDigits(text)).toBe(ascii));

test("every script's ten digits stand together, in their order", () => {
  expect(foreignZeros().length).toBeGreaterThan(60);
  expect(foreignZeros()).toEqual(expect.arrayContaining([0x660, 0x6f0, 0x966, 0xff10, 0x1d7ce, 0x1d7f6]));
  for (const zero of foreignZeros()) {
    const ten = String.fromCodePoint(...Array.from({ length: 10 }, (_, digit) => zero + digit));
    expect(ten).toMatch(/^\p{Nd}{10}$/u);
    expect(asciiDigits(ten)).toBe("0123456789");
  }
});
