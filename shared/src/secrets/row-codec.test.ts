import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRowCodec, isRecord, plainRows, readValue } from "./row-codec.ts";
import { VaultError } from "./vault.ts";

const key = randomBytes(32);
const rows = createRowCodec(key, "account", true);
const text = fc.string({ unit: "grapheme-composite", maxLength: 200 }).map((value) => value.replaceAll("\0", ""));
const rowId = fc.uuid();

describe("a sealed value", () => {
  it("opens in its own column, row and account, and nowhere else", () => {
    fc.assert(
      fc.property(text, rowId, rowId, (value, row, other) => {
        fc.pre(row !== other);
        const sealed = rows.seal(value, "event_payload.payload", row);
        expect(rows.open(sealed, "event_payload.payload", row)).toBe(value);
        expect(() => rows.open(sealed, "event_payload.payload", other)).toThrow(VaultError);
        expect(() => rows.open(sealed, "event_payload.trace", row)).toThrow(VaultError);
        expect(() => createRowCodec(key, "another", true).open(sealed, "event_payload.payload", row)).toThrow(VaultError);
        expect(() => createRowCodec(randomBytes(32), "account", true).open(sealed, "event_payload.payload", row)).toThrow(VaultError);
      }),
    );
  });

  it("is another one each time, and does not open once a sign of it is changed", () => {
    const sealed = rows.seal("{}", "event_payload.payload", "row");
    expect(rows.seal("{}", "event_payload.payload", "row")).not.toBe(sealed);
    for (let at = 3; at < sealed.length - 1; at += 1) {
      const changed = `${sealed.slice(0, at)}${sealed[at] === "A" ? "B" : "A"}${sealed.slice(at + 1)}`;
      expect(readValue(rows, changed, "event_payload.payload", "row", null)).toBeNull();
    }
  });

  it("opens however many rows were written in between", () => {
    const ids = Array.from({ length: 100 }, (_, i) => `${String(i).padStart(8, "0")}-x`);
    const sealed = ids.map((id) => rows.seal(id, "notification.components", id));
    expect(sealed.map((value, i) => rows.open(value, "notification.components", ids[i] ?? ""))).toEqual(ids);
  });
});

describe("a compared value", () => {
  it("is the same for the same text, also later, and for no other text, column or account", () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        fc.pre(a !== b);
        const stored = rows.conceal(a, "notification.to_phone");
        expect(createRowCodec(key, "account", true).conceal(a, "notification.to_phone")).toBe(stored);
        expect(rows.spellings(a, "notification.to_phone")).toEqual([stored, a]);
        expect(rows.open(stored, "notification.to_phone", "any row")).toBe(a);
        expect(rows.conceal(b, "notification.to_phone")).not.toBe(stored);
        expect(rows.conceal(a, "notification.wa_message_id")).not.toBe(stored);
        expect(createRowCodec(key, "another", true).conceal(a, "notification.to_phone")).not.toBe(stored);
        expect(() => rows.open(stored, "notification.wa_message_id", "")).toThrow(VaultError);
        expect(() => createRowCodec(key, "another", true).open(stored, "notification.to_phone", "")).toThrow(VaultError);
      }),
    );
  });

  it("does not tell how many digits a phone has", () => {
    const lengths = ["+15551234", "+1555123456789", "+155512345678901"].map((phone) => rows.conceal(phone, "notification.to_phone").length);
    expect(new Set(lengths).size).toBe(1);
  });
});

it("an account that no longer encrypts writes plainly, and reads both", () => {
  const off = createRowCodec(key, "account", false);
  expect([off.seal("{}", "event_payload.payload", "row"), off.conceal("+1555", "notification.to_phone")]).toEqual(["{}", "+1555"]);
  expect(off.open(rows.seal("{}", "event_payload.payload", "row"), "event_payload.payload", "row")).toBe("{}");
  expect(off.open("{}", "event_payload.payload", "row")).toBe("{}");
  expect(off.spellings("+1555", "notification.to_phone")).toEqual(rows.spellings("+1555", "notification.to_phone"));
});

it("a value that reads as a record is what it was, whether it is stored in the clear or encrypted", () => {
  const sealed = rows.seal("{}", "event_payload.payload", "row");
  const concealed = rows.conceal("+1555", "notification.wa_message_id");
  for (const codec of [plainRows, createRowCodec(key, "account", false), rows])
    for (const value of [
      sealed,
      concealed,
      `p1.${sealed}`,
      `p1.p1.${concealed}`,
      `s1.${"A".repeat(22)}`,
      "p1.",
      "s1.short",
      `${sealed} and more`,
    ]) {
      const stored = codec.seal(value, "customer_order.status", "row");
      expect(codec.open(stored, "customer_order.status", "row")).toBe(value);
      expect(codec.seals || !isRecord(stored)).toBe(true);
      const compared = codec.conceal(value, "notification.wa_message_id");
      expect(codec.spellings(value, "notification.wa_message_id")).toContain(compared);
      expect(codec.open(compared, "notification.wa_message_id", "row")).toBe(value);
    }
});

it("an account that has no key shows no record as if it were a value", () => {
  const sealed = rows.seal("{}", "event_payload.payload", "row");
  expect(() => plainRows.open(sealed, "event_payload.payload", "row")).toThrow(VaultError);
  expect(plainRows.open("+1555", "notification.to_phone", "row")).toBe("+1555");
  expect([plainRows.seal(null, "event_payload.trace", "row"), rows.seal(null, "event_payload.trace", "row")]).toEqual([null, null]);
});
