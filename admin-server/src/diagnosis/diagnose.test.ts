import { expect, test } from "vitest";
import { isAlike } from "./diagnose.ts";

test.each([
  ["order.created", "orders.created", true],
  ["order.created", "order.create", true],
  ["order.created", "order_created", true],
  ["order.created", "oder.creatd", true],
  ["order.created", "order.shipped", false],
  ["cart", "card", false],
  ["a.b", "a_b", true],
  ["", "", false],
])("%j and %j are nearly one name: %s", (a, b, alike) => {
  expect(isAlike(a, b)).toBe(alike);
  expect(isAlike(b, a)).toBe(alike);
});
