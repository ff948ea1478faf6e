import fc from "fast-check";
import { expect, test } from "vitest";
import { data } from "../../../test/support/data.ts";
import { isUuid, uuidFloor, uuidTime, uuidv7 } from "./uuid.ts";

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

test("the floor is the instant and zeros", () => {
  expect(uuidFloor(1645557742000)).toBe("017f22e2-79b0-0000-0000-000000000000");
  expect(uuidFloor(0.9)).toBe("00000000-0000-0000-0000-000000000000");
});

test.each(data<string[]>("core-uuid", "j is no UUID"))("%j is no UUID", (text) => {
  expect(isUuid(text)).toBe(false);
});
