import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeReference, parseReference } from "./reference.ts";

const siteId = "019aa000-0000-7000-8000-00000000000a";
const notificationId = "019aa000-0000-7000-8000-00000000000b";

test("a reference is short, and plain ids", () => {
  const text = encodeReference({ siteId, notificationId, attempt: 2 });
  expect(text).toBe("t1:019aa00000007000800000000000000a:019aa00000007000800000000000000b:2");
  expect(encodeReference({ siteId, notificationId, attempt: 32_767 }).length).toBeLessThan(512);
});

test("every reference comes back", () => {
  fc.assert(
    fc.property(fc.uuid(), fc.uuid(), fc.integer({ min: 1, max: 32_767 }), (site, notification, attempt) => {
      const reference = { siteId: site, notificationId: notification, attempt };
      expect(parseReference(encodeReference(reference))).toEqual(reference);
    }),
  );
});

test("an id in capitals comes back as the database writes it", () => {
  const id = randomUUID();
  expect(parseReference(encodeReference({ siteId: id.toUpperCase(), notificationId, attempt: 1 }))?.siteId).toBe(id);
});

const good = encodeReference({ siteId, notificationId, attempt: 1 });

test.each([
  null,
  undefined,
  "",
  "evt_01J9Z:att_1",
  `${good}\n`,
  ` ${good}`,
  good.slice(0, -1) + "0",
  `${good.slice(0, -1)}32768`,
  `${good}00000`,
  good.replace("t1", "t2"),
  good.slice(1),
  good.replace("a:", "g:"),
  `t1:${siteId}:${notificationId}:1`,
])("%j is none of ours", (text) => {
  expect(parseReference(text)).toBeNull();
});

test("any text is told apart without an error", { timeout: 60_000 }, () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(parseReference(text)).toBeNull();
    }),
  );
});
