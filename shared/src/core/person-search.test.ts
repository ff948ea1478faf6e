import { expect, test } from "vitest";
import { data } from "../../../test/support/data.ts";
import { phoneFinder, shopPersonPattern } from "./phone-search.ts";

const nobody = { phone: null, email: null, customer: null };
const finds = (person: Partial<typeof nobody> | { email?: string; customer?: string; phone?: string }, text: string): boolean =>
  phoneFinder(shopPersonPattern({ ...nobody, ...person }))(text);

test.each(data<[string, boolean][]>("core-person-search", "an address in :"))("an address in %s: %s", (text, isFound) => {
  expect(finds({ email: "ada.b@example.com" }, text)).toBe(isFound);
});

test.each(data<[string, boolean][]>("core-person-search", "a customer's id in :"))("a customer's id in %s: %s", (text, isFound) => {
  expect(finds({ customer: "191167" }, text)).toBe(isFound);
});

test("the phone is found beside them, and nothing finds nobody", () => {
  expect(finds({ phone: "+491701234567", email: "a@b.example" }, '{"p":"+49 170 1234567"}')).toBe(true);
  expect(finds({}, '{"p":"+49 170 1234567"}')).toBe(false);
  expect(finds({}, "")).toBe(false);
});
