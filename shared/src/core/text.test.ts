import fc from "fast-check";
import { expect, test, describe } from "vitest";
import { data } from "../../../test/support/data.ts";
import { memoize, textLength } from "./text.ts";

describe("memoize", () => {
  test("makes a value once an object, undefined too, and another for an equal object", () => {
    const made: object[] = [];
    const remember = memoize((key: object) => void made.push(key));
    const [one, other] = [{}, {}];
    [one, other, one].forEach(remember);
    expect(made).toHaveLength(2);
    expect(made[0]).toBe(one);
    expect(made[1]).toBe(other);
  });
});

describe("length", () => {
  test.each(data<[string, number][]>("core-text", "has characters"))("%j has %d characters", (text, length) => {
    expect(textLength(text)).toBe(length);
  });

  test("counts as the language's own iteration does", () => {
    const unit = fc.constantFrom("a", "\ud800", "\udbff", "\udc00", "\udfff", "\ud7ff", "\ue000");
    fc.assert(
      fc.property(fc.string({ unit }), (text) => {
        expect(textLength(text)).toBe(Array.from(text).length);
      }),
      { seed: 9 },
    );
  });
});
