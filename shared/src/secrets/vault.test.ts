import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { VaultError, createVault } from "./vault.ts";

const key = randomBytes(32);
const otherKey = randomBytes(32);

test("every text comes back", { timeout: 60_000 }, () => {
  const vault = createVault(key);
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(vault.decrypt(vault.encrypt(text))).toBe(text);
    }),
  );
});

test("a record holds nothing of the text and differs each time", () => {
  const vault = createVault(key);
  const records = Array.from({ length: 50 }, () => vault.encrypt("wh_secret"));
  expect(new Set(records).size).toBe(50);
  for (const record of records) {
    expect(record).toMatch(/^v1\.[0-9a-f]{8}\.[A-Za-z0-9_-]{16}\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]+$/);
    expect(record).not.toContain(Buffer.from("wh_secret").toString("base64url"));
  }
});

test("another key is refused with what to do, and never with the text", () => {
  const record = createVault(key).encrypt("wh_secret");
  const [, keyName = ""] = record.split(".");
  const open = () => createVault(otherKey).decrypt(record);
  expect(open).toThrow(VaultError);
  expect(open).toThrow(keyName);
  expect(open).toThrow(/MASTER_KEY/);
});

test("an older key opens what it encrypted, and encrypts nothing new", () => {
  const old = createVault(key).encrypt("old");
  const vault = createVault(otherKey, [key]);
  expect(vault.decrypt(old)).toBe("old");
  const fresh = vault.encrypt("new");
  expect(createVault(otherKey).decrypt(fresh)).toBe("new");
  expect(() => createVault(key).decrypt(fresh)).toThrow(VaultError);
});

test("a record that was changed anywhere is refused", () => {
  const vault = createVault(key, [otherKey]);
  const record = vault.encrypt("something secret");
  fc.assert(
    fc.property(fc.nat(record.length - 1), fc.constantFrom("0", "a", "A", "_", ".", "-"), (at, letter) => {
      fc.pre(decoded(record) !== decoded(record.slice(0, at) + letter + record.slice(at + 1)));
      expect(() => vault.decrypt(record.slice(0, at) + letter + record.slice(at + 1))).toThrow(VaultError);
    }),
  );
});

test("a record under another key's name is refused", () => {
  const ours = createVault(key).encrypt("a");
  const theirs = createVault(otherKey).encrypt("a");
  const relabelled = ours.replace(/^v1\.\w{8}/, theirs.slice(0, 11));
  expect(() => createVault(key, [otherKey]).decrypt(relabelled)).toThrow(VaultError);
});

test.each(["", "plain text", "v1", "v2.00000000.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAA.", "v1.00000000.A.A.A"])(
  "%j is no record",
  (text) => {
    expect(() => createVault(key).decrypt(text)).toThrow(VaultError);
  },
);

test("a fingerprint is the same for the same text and key, and tells neither", () => {
  const print = createVault(key).fingerprint("+491701234567");
  expect(createVault(key, [otherKey]).fingerprint("+491701234567")).toBe(print);
  expect(createVault(key).fingerprint("+491701234568")).not.toBe(print);
  expect(createVault(otherKey).fingerprint("+491701234567")).not.toBe(print);
  expect(print).toMatch(/^[A-Za-z0-9_-]{43}$/);
});

test.each([0, 16, 31, 33])("a master key of %d bytes is refused", (length) => {
  expect(() => createVault(Buffer.alloc(length))).toThrow(`this one has ${length}`);
  expect(() => createVault(key, [Buffer.alloc(length)])).toThrow(VaultError);
});

/** The last letter of a base64url text has unused bits. */
function decoded(record: string): string {
  const [version, keyName, ...parts] = record.split(".");
  return [version, keyName, ...parts.map((part) => Buffer.from(part, "base64url").toString("hex") + part.length)].join(".");
}
