import fc from "fast-check";
import { expect, test } from "vitest";
import { data } from "../../../../test/support/data.ts";
import { amountOf } from "./money.ts";

test.each(data<[string[], string, string, string | null][]>("core-sources-money", "in for is"))(
  "%j in %s for %s is %s",
  (amounts, currency, quantity, amount) => {
    expect(amountOf(amounts, currency, quantity)).toBe(amount);
  },
);

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
