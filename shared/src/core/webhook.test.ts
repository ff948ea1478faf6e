import fc from "fast-check";
import { expect, test } from "vitest";
import { exampleBody, messageBody, messageTypes, nextTry, webhookTypes } from "./webhook.ts";

test("attempts: eight, each later than the one before, spread by a fifth", () => {
  const pauses = Array.from({ length: 8 }, (_, failures) => nextTry(failures + 1, null, 0));
  expect(pauses).toEqual([5, 300, 1_800, 7_200, 18_000, 36_000, 36_000, null]);
  expect(nextTry(1, null, 1)).toBe(6);
});

test("an endpoint may ask for more time, a day at most, and never for less", () => {
  const wish = fc.option(fc.double({ min: 0, max: 1e9, noNaN: true }));
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 7 }), wish, fc.integer({ min: 0, max: 100 }), (failures, seconds, percent) => {
      const [least, wait] = [nextTry(failures, null, 0) ?? 0, nextTry(failures, seconds, percent / 100) ?? 0];
      expect(wait).toBeGreaterThanOrEqual(Math.max(least, Math.min(seconds ?? 0, 86_400)));
      expect(wait).toBeLessThanOrEqual(Math.max(least * 1.2, 86_400));
    }),
  );
  expect(nextTry(8, 10, 0)).toBeNull();
});

test("bodies have the specification's members, in its order", () => {
  const message = { event_id: "e", site_id: "s", binding_id: "b", template: "t", to_phone: "+1", wa_message_id: "w", occurred_at: "now" };
  expect(JSON.stringify(messageBody("message.delivered", message))).toBe(
    '{"type":"message.delivered","event_id":"e","site_id":"s","binding_id":"b","template":"t","to_phone":"+1","wa_message_id":"w","status":"delivered","occurred_at":"now"}',
  );
  for (const type of webhookTypes) expect(exampleBody(type, "site", new Date(0))).toMatchObject({ type });
  expect(messageTypes.map((type) => Object.keys(exampleBody(type, "site", new Date(0))).length)).toEqual([9, 9, 9, 9]);
  expect(Object.keys(exampleBody("message.updated", "site", new Date(0)))).toHaveLength(15);
});
