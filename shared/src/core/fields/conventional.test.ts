import { expect, test } from "vitest";
import { conventionalKeys, conventionOf } from "./conventional.ts";

test("the keys that events have by convention, whichever element of an array they are in", () => {
  expect(conventionalKeys("")).toEqual(["event", "test", "site", "data", "customer", "order", "cart"]);
  expect(conventionalKeys("customer")).toEqual(["first_name", "last_name", "full_name", "email", "phone_e164"]);
  expect(conventionalKeys("order")).toEqual(
    "id number status total currency items_count order_url_customer tracking_number tracking_carrier items".split(" "),
  );
  expect(conventionalKeys("cart")).toEqual(["id", "total", "currency", "items_count", "recovery_url", "items"]);
  expect(conventionalKeys("site")).toEqual(["name", "url"]);
  for (const path of ["order.items[]", "cart.items[]", "order.items.0", "cart.items.12"]) {
    expect(conventionalKeys(path)).toEqual(["name", "qty", "price"]);
  }
});

test.each(["order.items", "order.id", "order.items[].name", "order.items[].name.first", "invoice", "orders"])(
  "%s leads to no such keys",
  (path) => {
    expect(conventionalKeys(path)).toEqual([]);
  },
);

test.each([
  ["event", 2],
  ["order", 2],
  ["order.items", 2],
  ["order.items[]", 2],
  ["order.items.0", 2],
  ["cart.items.12.price", 2],
  ["customer.phone_e164", 2],
  ["customer.locale", 1],
  ["order.items[].colour", 1],
  ["data[].x", 1],
  ["site.name.first", 1],
  ["event[]", 2],
  ["invoice", 0],
  ["orders.id", 0],
  ["my.order.id", 0],
])("%s: %d", (path, convention) => {
  expect(conventionOf(path)).toBe(convention);
});
