import { expect, test, describe } from "vitest";
import { data } from "../../../../test/support/data.ts";
import { typeOf, weightOf, conventionalKeys, conventionOf, isDataKey, isPlainWord } from "./learn.ts";

describe("field", () => {
  test("every value has its type", () => {
    expect([null, [], {}, "", 0, 1n, false].map(typeOf)).toEqual(["null", "array", "object", "string", "number", "number", "boolean"]);
  });

  test("null tells nothing, an empty text only its type, anything else all", () => {
    const weights = [
      weightOf({ type: "null", sample: null }),
      weightOf({ type: "string", sample: null }),
      weightOf({ type: "string", sample: "x" }),
      weightOf({ type: "object", sample: null }),
      weightOf({ type: "array", sample: null }),
    ];
    expect(weights).toEqual([0, 1, 2, 2, 2]);
  });
});

describe("conventional", () => {
  test("the keys that events have by convention, whichever element of an array they are in", () => {
    expect(conventionalKeys("")).toEqual(["event", "test", "site", "data", "customer", "order", "cart"]);
    expect(conventionalKeys("customer")).toEqual(["first_name", "last_name", "full_name", "email", "phone_e164"]);
    expect(conventionalKeys("order")).toEqual(
      "id number status total currency items_count order_url_customer tracking_number tracking_carrier items".split(" "),
    );
    expect(conventionalKeys("cart")).toEqual(["id", "total", "currency", "items_count", "recovery_url", "items"]);
    expect(conventionalKeys("site")).toEqual(["name", "url"]);
    for (const path of ["order.items[]", "cart.items[]", "order.items.0", "cart.items.12"])
      expect(conventionalKeys(path)).toEqual(["name", "qty", "price"]);
  });

  test.each(["order.items", "order.id", "order.items[].name", "order.items[].name.first", "invoice", "orders"])(
    "%s leads to no such keys",
    (path) => {
      expect(conventionalKeys(path)).toEqual([]);
    },
  );

  test.each(data<[string, number][]>("core-fields-learn", "examples"))("%s: %d", (path, convention) => {
    expect(conventionOf(path)).toBe(convention);
  });
});

describe("data key", () => {
  test.each(data<string[]>("core-fields-learn", "is data"))("%s is data", (key) => {
    expect(isDataKey(key)).toBe(true);
  });

  test.each(data<string[]>("core-fields-learn", "is none"))("%s is none", (key) => {
    expect(isDataKey(key)).toBe(false);
  });

  test.each(data<[string, boolean][]>("core-fields-learn", "is a plain word"))("%j is a plain word: %s", (key, plain) => {
    expect(isPlainWord(key)).toBe(plain);
  });
});
