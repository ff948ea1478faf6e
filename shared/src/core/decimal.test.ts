import fc from "fast-check";
import { expect, test } from "vitest";
import { compareDecimals, type Decimal, printDecimal, readDecimal } from "./decimal.ts";

const digits = fc.string({ unit: fc.constantFrom(..."0123456789".split("")), maxLength: 30 });
const decimal = fc
  .tuple(
    fc.boolean(),
    fc.oneof(
      fc.constant("0"),
      digits.map((text) => `1${text}`),
    ),
    fc.option(digits.map((text) => `${text}0`)),
  )
  .map(([negative, whole, fraction]) => `${negative ? "-" : ""}${whole}${fraction === null ? "" : `.${fraction}`}`);
const read = (text: string): Decimal => {
  const found = readDecimal(text);
  if (found === null) throw new Error(`${text} is a decimal number`);
  return found;
};

test("reads what the documented pattern matches, and nothing else", () => {
  const nearly = fc.oneof(decimal, fc.string({ unit: fc.constantFrom(..."-+0123456789.e ١\n".split("")), maxLength: 8 }));
  fc.assert(
    fc.property(nearly, (text) => {
      expect(readDecimal(text) !== null).toBe(/^-?(0|[1-9][0-9]*)(\.[0-9]+)?$/.test(text) && !text.endsWith("\n"));
    }),
    { numRuns: 2000 },
  );
});

test("compares as exact fractions do", () => {
  const scaled = (text: string): bigint => {
    const [whole = "", fraction = ""] = text.split(".");
    return BigInt(whole + fraction.padEnd(40, "0"));
  };
  fc.assert(
    fc.property(decimal, decimal, (a, b) => {
      const difference = scaled(a) - scaled(b);
      expect(Math.sign(compareDecimals(read(a), read(b)))).toBe(difference < 0n ? -1 : Number(difference > 0n));
      expect(printDecimal(read(a)) === printDecimal(read(b))).toBe(difference === 0n);
    }),
  );
});

test.each([
  ["-0.00", "0", 0],
  ["5.00", "5", 0],
  ["-5", "-4.999", -1],
  ["10", "9", 1],
  ["0.1", "0.09", 1],
  ["9007199254740993", "9007199254740992", 1],
  [`1${"0".repeat(1_000_000)}`, `1${"0".repeat(999_999)}1`, -1],
  [`0.${"0".repeat(1_000_000)}1`, "0", 1],
])("%.20s against %.20s", (a, b, sign) => {
  expect(Math.sign(compareDecimals(read(a), read(b)))).toBe(sign);
});
