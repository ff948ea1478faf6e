import fc from "fast-check";
import { expect, test } from "vitest";
import { amountOf } from "./money.ts";

test.each<[string[], string, string, string | null]>([
  [["50.00"], "EUR", "3", "16.67"],
  [["1.69", "0.32"], "EUR", "2", "1.01"],
  [["1.005"], "EUR", "1", "1.01"],
  [["10"], "PKR", "1", "10.00"],
  [["100.5"], "JPY", "1", "101"],
  [["12.5"], "KWD", "1", "12.500"],
  [["6000", "0.00"], "CLP", "0.5", "12000"],
  [["-10"], "USD", "1", "-10.00"],
  [["-0.004"], "USD", "1", "0.00"],
  [["0"], "USD", "3", "0.00"],
  [["5"], "usd", "1", "5.00"],
  [["5"], "", "1", "5.00"],
  [["5"], "USD", "0", null],
  [["5"], "USD", "-1", null],
  [[], "USD", "1", null],
  [["five"], "USD", "1", null],
  [["9".repeat(41)], "USD", "1", null],
])("%j in %s for %s is %s", (amounts, currency, quantity, amount) => {
  expect(amountOf(amounts, currency, quantity)).toBe(amount);
});

test("what is shared out comes together again, to half a unit a piece", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 1e9 }),
      fc.integer({ min: 1, max: 1e4 }),
      fc.constantFrom("EUR", "JPY", "KWD", "CLF"),
      (total, pieces, currency) => {
        const each = Number(amountOf([String(total)], currency, String(pieces)));
        const unit = { EUR: 0.01, JPY: 1, KWD: 0.001, CLF: 0.0001 }[currency] ?? 1;
        expect(Math.abs(each - total / pieces)).toBeLessThanOrEqual(unit / 2 + 1e-6);
      },
    ),
  );
});
