import { expect, test } from "vitest";
import { data } from "../../../test/support/data.ts";
import { isUuid, uuidFloor } from "./uuid.ts";

test("the floor is the instant and zeros", () => {
  expect(uuidFloor(1645557742000)).toBe("017f22e2-79b0-0000-0000-000000000000");
  expect(uuidFloor(0.9)).toBe("00000000-0000-0000-0000-000000000000");
});

test.each(data<string[]>("core-uuid", "j is no UUID"))("%j is no UUID", (text) => {
  expect(isUuid(text)).toBe(false);
});
