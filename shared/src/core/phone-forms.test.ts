import { expect, test } from "vitest";
import { phoneForms } from "./phone-forms.ts";

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
