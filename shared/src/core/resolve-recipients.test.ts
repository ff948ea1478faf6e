import { describe, expect, test } from "vitest";
import { data } from "../../../test/support/data.ts";
import { normalizePhone } from "../normalize-phone.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import type { RecipientStrategy } from "./recipient.ts";
import { type RecipientInput, resolveRecipients } from "./resolve-recipients.ts";

const strategy = { strategy: "customer" } as const;
const at = { strategy: "field_path", path: "data.phone" } as const;

const resolve = (payload: JsonObject, site: Partial<RecipientInput["site"]> = {}, by: RecipientStrategy = strategy, test = false) =>
  resolveRecipients(by, { payload, test, site: { testPhone: "+4900000000", activePhones: [], ...site }, readPhone: normalizePhone });
const on = { normalizePhones: true, country: "DE" };

describe("with the switch on", () => {
  test.each<[string, JsonObject, string]>(
    data<[string, { phone_e164?: string; phone?: string; country?: string }, string][]>("core-resolve-recipients", "s"),
  )("%s", (_name, customer, phone) => {
    expect(resolve({ customer }, on)).toEqual({ phones: [phone], dropped: [], phoneProblems: [], reason: null });
  });

  test("phone, where phone_e164 cannot be used, which is told", () => {
    expect(resolve({ customer: { phone_e164: "n/a", phone: "0171 2345678" } }, on)).toEqual(
      data("core-resolve-recipients", "phone, where phone_e164 cannot be used, which is"),
    );
  });

  test("neither: each value once, with its reason", () => {
    const problem = (customer: JsonObject) => resolve({ customer }, on);
    expect(problem({ phone_e164: "123", phone: "123" })).toEqual(
      data("core-resolve-recipients", "neither: each value once, with its reason"),
    );
    expect(problem({})).toMatchObject({ phones: [], phoneProblems: [], reason: { code: "no_phone_at_path", path: "customer.phone_e164" } });
  });

  test("a path of one's own alike, by the customer's country first", () => {
    expect(resolve({ data: { phone: "06 12 34 56 78" }, customer: { country: "FR" } }, on, at).phones).toEqual(["+33612345678"]);
    expect(resolve({ data: { phone: "0171 2345678" }, customer: { country: 49 } }, on, at).phones).toEqual(["+491712345678"]);
  });

  test("a test event goes to the test phone alone", () => {
    expect(resolve({ customer: { phone: "0171 2345678" } }, on, strategy, true).phones).toEqual(["+4900000000"]);
  });
});

test("a person who is named in two forms of a number gets one message", () => {
  const activePhones = ["+5215512345678", "+551187654321", "+525512345678", "+5511987654321", "+491712345678"];
  expect(resolve({}, { activePhones }, { strategy: "site_recipients" }).phones).toEqual([
    "+5215512345678",
    "+551187654321",
    "+491712345678",
  ]);
});

describe("with the switch off", () => {
  test("a phone in E.164 is taken as it is", () => {
    expect(resolve({ customer: { phone_e164: "+4901712345678" } }).phones).toEqual(["+4901712345678"]);
  });

  test.each<[JsonValue, JsonObject, { value: string }[]]>(
    data<[JsonValue, { country?: string }, { value: string; reason: string }[]][]>(
      "core-resolve-recipients",
      "s is dropped and told, with j",
    ),
  )("%j is dropped and told, with %j", (phone, more, phoneProblems) => {
    const dropped = phoneProblems.map(({ value }) => value);
    const found = resolve({ customer: { phone_e164: phone, phone: "+491712345678", ...more } });
    expect(found).toEqual({ phones: [], dropped, phoneProblems, reason: { code: "phones_not_e164", count: 1 } });
  });

  test("customer.phone is not looked at", () => {
    expect(resolve({ customer: { phone: "+491712345678" } }).phones).toEqual([]);
  });
});
