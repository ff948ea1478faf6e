import { describe, expect, test } from "vitest";
import type { Field } from "./field.ts";
import { MASK, maskSample } from "./mask-sample.ts";

const shown = (path: string, sample: string, type: Field["type"] = "string"): string | null => maskSample({ path, type, sample }).sample;

describe("maskSample", () => {
  test.each([
    ["customer.first_name", "Ada"],
    ["customer.locale", "de"],
    ["billingAddress.zip", "10115"],
    ["order.shipping_address.line1", "1 Main Street"],
    ["order.customer_note", "Please ring twice"],
    ["data.name", "Ada Lovelace"],
    ["name", "Ada"],
    ["order.contactName", "Ada"],
    ["order.recipients[].name", "Ada"],
    ["data.Vorname_phone", "x"],
    ["data.phone_number", "0170"],
    ["data.dob", "1815-12-10"],
    ["data.ip", "10.0.0.1"],
  ])("masks %s by its path", (path, sample) => {
    expect(shown(path, sample)).toBe(MASK);
  });

  test.each([
    ["ada@example.com"],
    ["write to ada@example.com"],
    ["+491701234567"],
    ["call +49 170 123-4567 now"],
    ["+49170/1234567"],
    ["+49\u00a0170\u00a01234567"],
    ["0170 123 45 67 8"],
    ["4111 1111 1111 1111"],
    ["(0)170-1234-5678"],
    ["+4 9 1 7 0 1 2"],
    ["2026-11-2 123456"],
    ["x 2026-11-20 15"],
    ["＋４９１７０１２３"],
    ["tel ٠١٧٠ ١٢٣ ٤٥٦٧"],
    ["𝟒𝟗 𝟏𝟕𝟎 𝟏𝟐𝟑𝟒𝟓𝟔𝟕"],
  ])("masks %s by its shape", (sample) => {
    expect(shown("data.value", sample)).toBe(MASK);
  });

  test("masks a phone that is a number", () => {
    expect(shown("data.value", "491701234567", "number")).toBe(MASK);
  });

  test.each([
    ["order.id", "12345678901"],
    ["order.id", "１２３４５６７８９０１"],
    ["data.value", "١٢٣٤٥٦٧٨"],
    ["data.value", "２０２６-１１-２０ １５:３０:００"],
    ["order.number", "1000000042"],
    ["order.tracking_number", "00340434161094042557"],
    ["order.created_at", "2026-05-18 14:05:00"],
    ["data.when", "2026-05-18T14:05:00Z"],
    ["data.updated_at", "1779112800000"],
    ["order.items[].name", "Mug"],
    ["order.items.0.product_name", "Mug"],
    ["site.name", "Shop"],
    ["order.total", "49.90"],
    ["order.status", "paid"],
    ["data.coupon", "SPRING"],
    ["event", "order.created"],
    ["data.value", "2026-11-20 15:30:00"],
    ["data.value", "+12345"],
    ["data.value", "+a1234567"],
    ["data.value", "12345678"],
    ["id", "1234567890"],
    ["data.order_product_name", "Mug"],
  ])("shows %s", (path, sample) => {
    expect(shown(path, sample)).toBe(sample);
  });

  test("leaves what tells nothing, and the rest of the field", () => {
    const field = { path: "customer.email", type: "null" as const, sample: null, last: "e" };
    expect(maskSample(field)).toBe(field);
    expect(maskSample({ ...field, type: "boolean", sample: "true" }).sample).toBe("true");
    expect(maskSample({ ...field, type: "string", sample: "x" })).toEqual({ ...field, type: "string", sample: MASK });
  });
});
