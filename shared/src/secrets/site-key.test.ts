import { createHash, randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { hashSiteKey, makeInboundToken, makeSiteKey, siteIdOfKey } from "./site-key.ts";

test("a key is the prefix and letters and digits of one length, and differs each time", () => {
  const id = randomUUID();
  const keys = Array.from({ length: 50 }, () => makeSiteKey(id).key);
  for (const key of keys) expect(key).toMatch(/^sk_live_[0-9A-Za-z]{54}$/);
  expect(new Set(keys).size).toBe(50);
});

test("a key and a token begin with their cell, and are read whatever the cell is", () => {
  const id = randomUUID();
  const { key, hash, hint } = makeSiteKey(id, { cell: "eu1" });
  expect([key, hint]).toEqual([expect.stringMatching(/^sk_live_eu1_[0-9A-Za-z]{54}$/), `sk_live_eu1_…${key.slice(-4)}`]);
  expect([siteIdOfKey(key), siteIdOfKey(key.replace("eu1", "us2")), hashSiteKey(key).equals(hash)]).toEqual([id, id, true]);
  for (const cell of ["EU1", "eu-1", "toolongname", ""]) expect(siteIdOfKey(key.replace("eu1", cell))).toBeNull();
  expect([makeInboundToken(undefined), makeInboundToken("eu1")]).toEqual([
    expect.stringMatching(/^[0-9a-f]{64}$/),
    expect.stringMatching(/^eu1_[0-9a-f]{64}$/),
  ]);
});

test.each(["00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff", "019aa000-0000-7000-8000-000000000001"])(
  "the key of %s carries its id",
  (id) => {
    expect(siteIdOfKey(makeSiteKey(id).key)).toBe(id);
  },
);

test("random ids come back", () => {
  for (let i = 0; i < 200; i += 1) {
    const id = randomUUID();
    expect(siteIdOfKey(makeSiteKey(id).key)).toBe(id);
  }
});

test("the hash is the SHA-256 of the key, the hint gives away four characters", () => {
  const { key, hash, hint } = makeSiteKey(randomUUID());
  expect(hash.equals(createHash("sha256").update(key, "utf8").digest())).toBe(true);
  expect(hashSiteKey(key).equals(hash)).toBe(true);
  expect(hint).toBe(`sk_live_…${key.slice(-4)}`);
});

test("what is no key has no site", () => {
  const { key } = makeSiteKey(randomUUID());
  const wrong = ["", "sk_live_", key.slice(0, -1), `${key}0`, key.replace("live", "prod"), ` ${key}`, `${key}\n`, key.replace(/.$/, "_")];
  for (const text of wrong) expect(siteIdOfKey(text)).toBeNull();
  expect(siteIdOfKey(`sk_live_${"z".repeat(54)}`)).toBeNull();
});
