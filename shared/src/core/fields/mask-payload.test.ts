import { expect, test } from "vitest";
import { maskPayload } from "./mask-payload.ts";

test("what may be a person's is masked, the rest is as it was", () => {
  const payload = {
    event: "order.created",
    customer: { first_name: "Ada", phone_e164: "+491701234567", age: 36 },
    order: { id: "10042", total: "49.90", placed_at: "2026-11-20T15:30:00Z", items: [{ name: "Mug", qty: 2, note: "for Bob" }] },
    data: { whatsapp: 491701234567, contact: { "+491701234567": true }, ref: "call +49 170 1234567" },
    empty: { list: [], nothing: null, text: "" },
    extra: { "+٤٩١٧٠١٢٣٤٥٦٧": "＋４９１７０１２３４５６７", at: "２０２６－１１－２０ １５:３０" },
  };
  expect(JSON.parse(maskPayload(JSON.stringify(payload)))).toEqual({
    event: "order.created",
    customer: { first_name: "•••", phone_e164: "•••", age: "•••" },
    order: { id: "10042", total: "49.90", placed_at: "2026-11-20T15:30:00Z", items: [{ name: "Mug", qty: 2, note: "•••" }] },
    data: { whatsapp: "•••", contact: { "•••67": true }, ref: "•••" },
    empty: { list: [], nothing: null, text: "" },
    extra: { "•••67": "•••", at: "２０２６－１１－２０ １５:３０" },
  });
});

test("nothing and an empty text say nothing of a person", () => {
  const payload = '{"customer":{"first_name":null,"last_name":"","list":[],"more":{}}}';
  expect(maskPayload(payload)).toBe(payload);
});

test("what lies very deep is masked whole, in objects as in arrays", () => {
  const [open, close] = ["[".repeat(64), "]".repeat(64)];
  expect(maskPayload(`${open}[1]${close}`)).toBe(`${open}"•••"${close}`);
  expect(maskPayload(`${open}1${close}`)).toBe(`${open}1${close}`);
  expect(maskPayload(`${"[".repeat(20_000)}"+491701234567"${"]".repeat(20_000)}`)).not.toContain("1234567");
});

test("escapes hide nothing, numbers keep their digits, and depth costs no stack", () => {
  expect(
    maskPayload('{"x":"\\u002b\\u0034917\\u00301234567","n":12345678901234567890.0,"order":{"id":12345678901234567890}}'),
  ).not.toContain("4917");
  expect(maskPayload('{"order":{"id":12345678901234567890}}')).toBe('{"order":{"id":12345678901234567890}}');
  expect(maskPayload(`${'{"a":'.repeat(20_000)}"+491701234567"${"}".repeat(20_000)}`)).not.toContain("1234567");
  expect(maskPayload('{"__proto__":{"phone":"+491701234567"}}')).toBe('{"__proto__":{"phone":"•••"}}');
});
