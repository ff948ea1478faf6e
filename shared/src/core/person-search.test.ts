import { expect, test } from "vitest";
import { shopPersonPattern } from "./person-search.ts";
import { phoneFinder } from "./phone-search.ts";

const nobody = { phone: null, email: null, customer: null };
const finds = (person: Partial<typeof nobody> | { email?: string; customer?: string; phone?: string }, text: string): boolean =>
  phoneFinder(shopPersonPattern({ ...nobody, ...person }))(text);

test.each([
  ['{"email":"Ada.B@Example.com"}', true],
  ['{"note":"write to\\nada.b@example.com."}', true],
  ["ada.b@example.com", true],
  ['{"email":"xada.b@example.com"}', false],
  ['{"email":"ada.b@example.com.br"}', false],
  ['{"email":"adaxb@example.com"}', false],
])("an address in %s: %s", (text, isFound) => {
  expect(finds({ email: "ada.b@example.com" }, text)).toBe(isFound);
});

test.each([
  ['{"customer":{"id":"191167","name":"A"}}', true],
  ['{"customer":{"name":"A","id":191167}}', true],
  ['{"default_address":{"customer_id":"191167"}}', true],
  ['{"admin_graphql_api_id":"gid://shopify/Customer/191167"}', true],
  ['{"customer":{"id":"1911670"}}', false],
  ['{"id":"191167","total":"191167"}', false],
  ['{"admin_graphql_api_id":"gid://shopify/Order/191167"}', false],
])("a customer's id in %s: %s", (text, isFound) => {
  expect(finds({ customer: "191167" }, text)).toBe(isFound);
});

test("the phone is found beside them, and nothing finds nobody", () => {
  expect(finds({ phone: "+491701234567", email: "a@b.example" }, '{"p":"+49 170 1234567"}')).toBe(true);
  expect(finds({}, '{"p":"+49 170 1234567"}')).toBe(false);
  expect(finds({}, "")).toBe(false);
});
