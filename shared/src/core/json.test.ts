import fc from "fast-check";
import { expect, test, describe } from "vitest";
import { scaled } from "../../../test/faults/harness/scale.ts";
import { hostileJson } from "../../../test/support/arbitrary/json.ts";
import { parseJson, printJson, type JsonObject, type JsonValue, parseLossless } from "./json.ts";

describe("print", () => {
  const seeded = { seed: 2, numRuns: scaled(150, 500) };

  test.each<[JsonValue, string]>([
    [2n ** 64n, "18446744073709551616"],
    [{ a: [1n, "x", null], b: {}, c: [] }, '{"a":[1,"x",null],"b":{},"c":[]}'],
    [[Number.POSITIVE_INFINITY, 1n], "[null,1]"],
    ["\ud800", '"\\ud800"'],
  ])("%o prints as %s", (value, text) => {
    expect(printJson(value)).toBe(text);
  });

  test("leaves out members without a value as JSON.stringify does", () => {
    const object: Record<string, unknown> = { a: undefined, b: 1n };
    expect(printJson(object as JsonObject)).toBe('{"b":1}');
  });

  test("equals JSON.stringify, whichever way it goes", { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
        const native = JSON.stringify(value);
        expect(printJson(value as JsonValue)).toBe(native);
        // The bigint makes the whole value take the other way.
        expect(printJson([value as JsonValue, 1n])).toBe(`[${native},1]`);
      }),
      seeded,
    );
  });

  test("what it prints of anything parses back to the same print", { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(hostileJson, (value) => {
        const text = printJson(value);
        expect(printJson(parseJson(text))).toBe(text);
      }),
      seeded,
    );
  });
});

describe("parse", () => {
  const seeded = { seed: 1, numRuns: scaled(150, 500) };

  describe("parseJson", () => {
    test.each([
      ["9007199254740991", 9007199254740991],
      ["9007199254740993", 9007199254740993n],
      ["-9007199254740993", -9007199254740993n],
      ["0.12345678901234567890", 0.12345678901234568],
      ["12345678901234567890.5", Number("12345678901234567890.5")],
      ["1234567890123456789e3", Number("1234567890123456789e3")],
      ['"12345678901234567890"', "12345678901234567890"],
      ['{"a":[1,{"b":12345678901234567890}],"c":"\\u00e9\\"\\\\"}', { a: [1, { b: 12345678901234567890n }], c: 'é"\\' }],
      [" [ 1234567890123456789 , { } , [ ] , true , false , null ] \r\n\t", [1234567890123456789n, {}, [], true, false, null]],
    ])("%s", (text, value) => {
      expect(parseJson(text)).toStrictEqual(value);
    });

    test.each(["", "{", "01", "\ufeff{}", "[1234567890123456789,]", '{"a":1234567890123456789'])(
      "refuses %j as JSON.parse does",
      (text) => {
        expect(() => parseJson(text)).toThrow(SyntaxError);
      },
    );

    test("keeps __proto__ as a key of its own, with and without long numbers", () => {
      for (const number of ["1", "12345678901234567890"]) {
        const value = parseJson(`{"__proto__":{"polluted":${number}},"a":1}`);
        expect(Object.keys(value as object)).toEqual(["__proto__", "a"]);
        expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
        expect(Object.getOwnPropertyDescriptor(value, "__proto__")).toMatchObject({ writable: true, enumerable: true, configurable: true });
      }
    });

    test("takes the last of equal keys, in the place of the first", () => {
      const value = parseJson('{"a":1,"__proto__":1,"b":2,"a":12345678901234567890,"__proto__":3}');
      expect(printJson(value)).toBe('{"a":12345678901234567890,"__proto__":3,"b":2}');
    });

    test("a megabyte of brackets, closed or not, and half of one number", { timeout: 60_000 }, () => {
      const half = 2 ** 19;
      const text = "[".repeat(half) + "12345678901234567890" + "]".repeat(half);
      expect(printJson(parseJson(text))).toBe(text);
      expect(() => parseJson("[".repeat(2 * half))).toThrow(SyntaxError);
      expect(printJson(parseJson("7".repeat(2_000)))).toBe("7".repeat(2_000));
      expect(parseJson("7".repeat(half))).toBe("7".repeat(half));
    });

    test("a string that ends in many backslashes", () => {
      const text = JSON.stringify(["\\".repeat(100_000), '\\"'.repeat(1000), 1]);
      expect(parseLossless(text)).toStrictEqual(JSON.parse(text));
    });
  });

  test("lossless parsing equals JSON.parse but for long integers, key order included", { timeout: 60_000 }, () => {
    const documents = fc.tuple(fc.jsonValue({ stringUnit: "binary" }), fc.constantFrom("", " ", "\t", "\r\n"));
    const asDouble = (_: string, value: unknown): unknown => (typeof value === "bigint" ? Number(value) : value);
    fc.assert(
      fc.property(documents, ([value, indent]) => {
        const text = JSON.stringify(value, null, indent);
        const native: unknown = JSON.parse(text);
        const lossless = parseLossless(text);
        expect(JSON.parse(JSON.stringify(lossless, asDouble))).toStrictEqual(native);
        expect(printJson(lossless)).toBe(JSON.stringify(native));
      }),
      seeded,
    );
  });

  test("the shortest integer that a double cannot hold is found wherever it stands", () => {
    for (let before = 0; before < 40; before += 1) {
      const text = `["${"x".repeat(before)}",9007199254740993]`;
      expect(printJson(parseJson(text))).toBe(text);
    }
  });

  test("integers of any length come back digit for digit", () => {
    const integers = fc.array(fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }));
    fc.assert(
      fc.property(integers, (values) => {
        const text = `[${values.join(",")}]`;
        expect(printJson(parseJson(text))).toBe(text);
      }),
      seeded,
    );
  });
});
