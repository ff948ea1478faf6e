import { describe, expect, test } from "vitest";
import { data } from "../../../test/support/data.ts";
import { parseEventName, orderReference, orderSummary, isSource, isTestEvent, outcome } from "./event.ts";
import { parseJson, type JsonObject } from "./json.ts";

describe("event", () => {
  const payloadOf = (text: string): JsonObject => parseJson(text) as JsonObject;

  describe("parseEventName", () => {
    test.each([
      ["order.created", "order.created"],
      ["Order.Created", "order.created"],
      ["test", "test"],
      ["a_b-c.1", "a_b-c.1"],
      ["a".repeat(128), "a".repeat(128)],
    ])("%s", (text, name) => {
      expect(parseEventName(text)).toBe(name);
    });

    test.each(["", ".", "a.", ".a", "a..b", "a b", "a/b", "ä", "\u212a", "\u017f", "\u0130", "a\n", "a".repeat(129), "%41"])(
      "refuses %j",
      (text) => {
        expect(parseEventName(text)).toBeNull();
      },
    );
  });

  test("isSource", () => {
    expect(["woocommerce", "My-Shop_1.2", "x".repeat(64)].map(isSource)).toEqual([true, true, true]);
    expect(["", "x".repeat(65), "a b", "a/b", "ä", "a\n"].some(isSource)).toBe(false);
  });

  describe("isTestEvent", () => {
    test.each(data<[string, string, boolean][]>("core-event", "with"))("%s with %s: %s", (name, payload, expected) => {
      expect(isTestEvent(name, payloadOf(payload))).toBe(expected);
    });
  });

  describe("orderReference", () => {
    test.each(data<[string, null | object][]>("core-event", "examples"))("%s", (payload, expected) => {
      expect(orderReference(payloadOf(payload))).toEqual(expected);
    });
  });

  test("orderSummary gives texts that PostgreSQL can store, and null for what is missing", () => {
    expect(orderSummary(payloadOf('{"order":{"id":7,"number":"a\\u0000\\ud800","status":"","total":49.9}}'))).toEqual(
      data("core-event", "orderSummary gives texts that PostgreSQL can store, and null"),
    );
    expect(orderSummary(payloadOf('{"order":{"status":"paid","currency":"EUR"}}'))).toMatchObject({ status: "paid", currency: "EUR" });
  });
});

describe("outcome", () => {
  test.each(data<[number, number, string][]>("core-event", "i sent and i failed is s"))(
    "%i sent and %i failed is %s",
    (sent, failed, expected) => {
      expect(outcome(sent, failed)).toBe(expected);
    },
  );
});
