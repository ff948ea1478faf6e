import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Place, VaultError, createVault, readRecord } from "./vault.ts";

const key = randomBytes(32);
const otherKey = randomBytes(32);
const at: Place = { column: "site_secret.secret", row: "row-1", account: "account-1" };

test("every text comes back", { timeout: 60_000 }, () => {
  const vault = createVault(key);
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(vault.open(vault.seal(text, at), at)).toBe(text);
    }),
  );
});

test("a record holds nothing of the text and differs each time", () => {
  const vault = createVault(key);
  const records = Array.from({ length: 50 }, () => vault.seal("wh_secret", at));
  expect(new Set(records).size).toBe(50);
  for (const record of records) {
    expect(record).toMatch(/^v2\.[0-9a-f]{8}\.[A-Za-z0-9_-]{16}\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]+$/);
    expect(record).not.toContain(Buffer.from("wh_secret").toString("base64url"));
  }
});

test("another key is refused with what to do, and never with the text", () => {
  const record = createVault(key).seal("wh_secret", at);
  const [, keyName = ""] = record.split(".");
  const open = () => createVault(otherKey).open(record, at);
  expect(open).toThrow(VaultError);
  expect(open).toThrow(keyName);
  expect(open).toThrow(/MASTER_KEY/);
});

test("an older key opens what it encrypted, and encrypts nothing new", () => {
  const old = createVault(key).seal("old", at);
  const vault = createVault(otherKey, { olderKeys: [key] });
  expect(vault.open(old, at)).toBe("old");
  const fresh = vault.seal("new", at);
  expect(createVault(otherKey).open(fresh, at)).toBe("new");
  expect(() => createVault(key).open(fresh, at)).toThrow(VaultError);
});

test("a record that was changed anywhere is refused", () => {
  const vault = createVault(key, { olderKeys: [otherKey] });
  const record = vault.seal("something secret", at);
  fc.assert(
    fc.property(fc.nat(record.length - 1), fc.constantFrom("0", "a", "A", "_", ".", "-"), (index, letter) => {
      fc.pre(decoded(record) !== decoded(record.slice(0, index) + letter + record.slice(index + 1)));
      expect(() => vault.open(record.slice(0, index) + letter + record.slice(index + 1), at)).toThrow(VaultError);
    }),
  );
});

test.each<Partial<Place>>([{ column: "account.verify_token" }, { row: "row-2" }, { account: "account-2" }])(
  "a record opens nowhere else: not at %j",
  (elsewhere) => {
    const vault = createVault(key);
    const record = vault.seal("wh_secret", at);
    expect(vault.open(record, at)).toBe("wh_secret");
    expect(() => vault.open(record, { ...at, ...elsewhere })).toThrow(VaultError);
    expect(readRecord(vault, record, { ...at, ...elsewhere })).toBeNull();
  },
);

test("a record of the first form, which is bound to no place, still opens; relabelled as bound it does not, nor the other way round", () => {
  const vault = createVault(Buffer.alloc(32, 7));
  const record = "v1.7bd75d78.5f7aZRcRHUNlnIYj.mAVrlmGR_U7iOmh1bf2Yng.QM8wZfMiHpdv";
  expect(vault.open(record, at)).toBe("wh_secret");
  expect(() => vault.open(record.replace("v1", "v2"), at)).toThrow(VaultError);
  const bound = vault.seal("wh_secret", at);
  expect(() => vault.open(bound.replace("v2", "v1"), at)).toThrow(VaultError);
});

test("seals under the key that the database names, and under none that this process lacks", async () => {
  const vault = createVault(otherKey, { olderKeys: [key], readSealingKey: async () => named });
  const sql = undefined as never;
  let named: string | undefined = createVault(key).seal("", at).split(".")[1];
  expect(createVault(key).open((await vault.sealer(sql))("text", at), at)).toBe("text");
  named = undefined;
  expect(createVault(otherKey).open((await vault.sealer(sql))("text", at), at)).toBe("text");
  named = "00000000";
  await expect(vault.sealer(sql)).rejects.toThrow(VaultError);
});

test("a record under another key's name is refused", () => {
  const ours = createVault(key).seal("a", at);
  const theirs = createVault(otherKey).seal("a", at);
  const relabelled = ours.replace(/^v2\.\w{8}/, theirs.slice(0, 11));
  expect(() => createVault(key, { olderKeys: [otherKey] }).open(relabelled, at)).toThrow(VaultError);
});

test.each(["", "plain text", "v1", "v3.00000000.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAA.", "v1.00000000.A.A.A"])(
  "%j is no record",
  (text) => {
    expect(() => createVault(key).open(text, at)).toThrow(VaultError);
  },
);

test("a fingerprint is the same for the same text and key, and tells neither", () => {
  const print = createVault(key).fingerprint("+491701234567");
  expect(createVault(key, { olderKeys: [otherKey] }).fingerprint("+491701234567")).toBe(print);
  expect(createVault(key).fingerprint("+491701234568")).not.toBe(print);
  expect(createVault(otherKey).fingerprint("+491701234567")).not.toBe(print);
  expect(print).toMatch(/^[A-Za-z0-9_-]{43}$/);
});

test.each([0, 16, 31, 33])("a master key of %d bytes is refused", (length) => {
  expect(() => createVault(Buffer.alloc(length))).toThrow(`this one has ${length}`);
  expect(() => createVault(key, { olderKeys: [Buffer.alloc(length)] })).toThrow(VaultError);
});

/** The last letter of a base64url text has unused bits. */
function decoded(record: string): string {
  const [version, keyName, ...parts] = record.split(".");
  return [version, keyName, ...parts.map((part) => Buffer.from(part, "base64url").toString("hex") + part.length)].join(".");
}
