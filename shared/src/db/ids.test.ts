import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { isUuid, uuidFloor, uuidTime } from "../core/uuid.ts";
import { newId, uuidv7 } from "./ids.ts";

afterEach(() => vi.useRealTimers());

test("ids are UUIDs of now, and each is greater than the one before", () => {
  const before = Date.now();
  const ids = Array.from({ length: 20_000 }, newId);
  expect(ids.every((id) => isUuid(id) && id[14] === "7")).toBe(true);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toEqual(ids.toSorted());
  expect(uuidTime(ids[0] ?? "")).toBeGreaterThanOrEqual(before);
});

test("a clock that steps back does not take the ids with it", () => {
  const id = newId();
  vi.useFakeTimers({ now: Date.now() - 60_000 });
  expect(newId() > id).toBe(true);
});

const instant = fc.integer({ min: 0, max: 2 ** 48 - 1 });
const random = fc.uint8Array({ minLength: 10, maxLength: 10 });

test("the example of RFC 9562", () => {
  const bytes = Uint8Array.from([0x0c, 0xc3, 0x18, 0xc4, 0xdc, 0x0c, 0x0c, 0x07, 0x39, 0x8f]);
  expect(uuidv7(1645557742000, bytes)).toBe("017f22e2-79b0-7cc3-98c4-dc0c0c07398f");
});

test("carries its time, version and variant, and is not below the floor of its millisecond", () => {
  fc.assert(
    fc.property(instant, random, (ms, bytes) => {
      const uuid = uuidv7(ms, bytes);
      expect(isUuid(uuid)).toBe(true);
      expect(uuid).toMatch(/^.{14}7.{4}[89ab]/);
      expect(uuidTime(uuid)).toBe(ms);
      expect(uuid > uuidFloor(ms)).toBe(true);
      expect(ms === 2 ** 48 - 1 || uuid < uuidFloor(ms + 1)).toBe(true);
    }),
    { seed: 3 },
  );
});
