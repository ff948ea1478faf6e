import { expect, test, describe } from "vitest";
import { data } from "../../../test/support/data.ts";
import { isE164, phoneForms, asciiDigits, foreignZeros } from "./phone.ts";

describe("phone", () => {
  test.each(["+1234567", "+491701234567", "+123456789012345"])("%s is E.164", (phone) => {
    expect(isE164(phone)).toBe(true);
  });

  test.each(data<string[]>("core-phone", "is not"))("%j is not", (phone) => {
    expect(isE164(phone)).toBe(false);
  });
});

describe("phone forms", () => {
  test("a number has one form, but for the countries that changed theirs", () => {
    expect(phoneForms("+491701234567")).toEqual(["491701234567"]);
    expect(phoneForms("15551230001")).toEqual(["15551230001"]);
    expect(phoneForms("+5511987654321")).toEqual(["551187654321", "5511987654321"]);
    expect(phoneForms("+525512345678")).toEqual(["525512345678", "5215512345678"]);
    expect(phoneForms("+541123456789")).toEqual(["541123456789", "5491123456789"]);
  });

  test.each(["+5511987654321", "+525512345678", "+541123456789", "+491701234567"])("all forms of %s know each other", (phone) => {
    const forms = phoneForms(phone);
    for (const form of forms) expect(phoneForms(`+${form}`)).toEqual(forms);
  });

  test("a Mexican number that begins with 1 is not taken for a shorter one", () => {
    expect(phoneForms("+521234567890")).toEqual(["521234567890", "5211234567890"]);
    expect(phoneForms("+5211234567890")).toEqual(["521234567890", "5211234567890"]);
  });
});

describe("phone digits", () => {
  test.each(data<[string, string][]>("core-phone", "reads"))("%s reads %s", (text, ascii) => expect(asciiDigits(text)).toBe(ascii));

  test("every script's ten digits stand together, in their order", () => {
    expect(foreignZeros().length).toBeGreaterThan(60);
    expect(foreignZeros()).toEqual(expect.arrayContaining([0x660, 0x6f0, 0x966, 0xff10, 0x1d7ce, 0x1d7f6]));
    for (const zero of foreignZeros()) {
      const ten = String.fromCodePoint(...Array.from({ length: 10 }, (_, digit) => zero + digit));
      expect(ten).toMatch(/^\p{Nd}{10}$/u);
      expect(asciiDigits(ten)).toBe("0123456789");
    }
  });
});
