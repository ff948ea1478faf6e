import { expect, test } from "vitest";
import { memoize } from "./memoize.ts";

test("makes a value once an object, undefined too, and another for an equal object", () => {
  const made: object[] = [];
  const remember = memoize((key: object) => void made.push(key));
  const [one, other] = [{}, {}];
  [one, other, one].forEach(remember);
  expect(made).toHaveLength(2);
  expect(made[0]).toBe(one);
  expect(made[1]).toBe(other);
});
