import { expect, test } from "vitest";
import { maskPhone, maskPhonesIn, maskPhonesInJson } from "./mask-phone.ts";

test("of a phone the last two digits are left", () => {
  expect(maskPhone("+491701234567")).toBe("•••67");
  expect(maskPhone("+4917012")).toBe("•••12");
});

test.each([
  ["call +491701234567 now", "call •••67 now"],
  ["+49 170 123-45-67", "•••67"],
  ["0049 (170) 1234567", "•••67"],
  ["491701234567", "•••67"],
  ["+4917012", "•••12"],
  ["+49\u00a0170\u00a0123\u00a045\u00a067", "•••67"],
  ["+49\u200b170/1234567", "•••67"],
  ["to +491701234567, +15551230001", "to •••67, •••01"],
  ["2026-11-20 15:30", "2026-11-20 15:30"],
  ["2026-11-20T15:30:00Z", "2026-11-20T15:30:00Z"],
  ["491701234 2026-11-20", "•••20"],
  ["2026-11-2 012345", "•••45"],
  ["USD 49.90 for 3 x 12", "USD 49.90 for 3 x 12"],
  ["order 10042", "order 10042"],
])("in %j phones are masked", (text, masked) => expect(maskPhonesIn(text)).toBe(masked));

test("JSON stays JSON", () => {
  expect(maskPhonesInJson('[{"type":"body","parameters":[{"text":"\\u002b491701234567"},{"n":12345678901}]},{"491701234567":null}]')).toBe(
    '[{"type":"body","parameters":[{"text":"•••67"},{"n":12345678901}]},{"•••67":null}]',
  );
});
