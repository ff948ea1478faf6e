import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scaled } from "../../../../test/faults/harness/scale.ts";
import { hostilePayload } from "../../../../test/support/arbitrary/json.ts";
import { data } from "../../../../test/support/data.ts";
import { type JsonObject, type JsonValue, lookUp, parseJson, pathProblem, textOf } from "../json.ts";
import { storableText } from "../text.ts";
import { mergeFields } from "./known.ts";
import { type Field, maxFields, typeOf, learnFields } from "./learn.ts";

const order: JsonObject = {
  event: "order.created",
  customer: { first_name: "Ada", phone_e164: "+491701234567", tags: [] },
  order: {
    id: 12345678901234567890n,
    paid: true,
    note: null,
    items: [
      { name: "Mug", qty: 2 },
      { name: "Tea", gift: "" },
    ],
  },
};
const useful = data<string[]>("shared-core-fields-learn-fields", "useful");

const byPath = (payload: JsonValue) => new Map(learnFields(payload).map(({ path, ...rest }) => [path, rest]));
const paths = (payload: JsonValue): string[] => learnFields(payload).map(({ path }) => path);
const many = (count: number, entry: (n: number) => [string, JsonValue]): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => entry(n)));

describe("learnFields", () => {
  test("tells every path of an event, arrays as any element and by index", () => {
    expect(Object.fromEntries(byPath(order))).toEqual(data("core-fields-learn-fields", "tells every path of an"));
  });

  test("takes of any element the one that tells something, and arrays within arrays", () => {
    const fields = byPath({ data: { list: [null, "", "red"], grid: [[1], [2, 3]] } });
    expect(fields.get("data.list[]")).toEqual({ type: "string", sample: "red" });
    expect(fields.get("data.list.0")).toEqual({ type: "null", sample: null });
    expect(fields.get("data.grid[][]")).toEqual({ type: "number", sample: "1" });
    expect(fields.get("data.grid.1.1")).toEqual({ type: "number", sample: "3" });
  });

  test("cuts samples between characters, and makes them such that they can be stored", () => {
    const fields = byPath({ long: "a" + "😀".repeat(200), odd: "x\0\ud800y", huge: "z".repeat(1_000_000), endless: Infinity });
    expect(fields.get("long")?.sample).toBe("a" + "😀".repeat(79));
    expect(fields.get("odd")?.sample).toBe("x\ufffd\ufffdy");
    expect(fields.get("huge")?.sample).toHaveLength(80);
    expect(fields.get("endless")).toEqual({ type: "number", sample: null });
  });

  test.each([
    ["two keys in one", { "a.b": 1 }],
    ["nothing", { "": 1, " ": 1, " a": 1 }],
    ["the sign for elements", { "a[]": 1, "a[0]": 1 }],
    ["control characters and halves of one", { "a\0": 1, "a\ud800": 1 }],
    ["an id", { "0f8fad5b-d9cb-469f-a165-70867728950e": 1, "507f1f77bcf86cd799439011": 1, cus_9s6XKzkNRiz8i3: 1, "1234567": 1 }],
    ["somebody's address or phone", { "ada@example.com": 1, "+491701234567": 1, "0170 123 45 67": 1 }],
    ["a date", { "2026-05-18": 1, "2026-05": 1, "2026-05-18T10:00:00Z": 1 }],
    ["a text", { ["x".repeat(65)]: 1, ["lorem ipsum ".repeat(1000)]: 1 }],
  ])("leaves out keys that are %s", (_, keys) => {
    expect(paths({ keys: keys as JsonObject })).toEqual(["keys"]);
  });

  test("keeps keys that only look odd", () => {
    const odd = { phone_e164: 1, line2: 1, "Größe in cm": 1, "meta-data": 1, _id: 1, utm_source: 1, __proto: 1, address_line_1: 1, "0": 1 };
    expect(paths(odd).toSorted()).toEqual(Object.keys(odd).toSorted());
    expect(paths(parseJson('{"__proto__":{"a":1}}'))).toEqual(["__proto__", "__proto__.a"]);
  });

  test("learns nothing of what is no object", () => {
    for (const value of [null, 5, "text", [order]]) expect(learnFields(value)).toEqual([]);
  });

  test("goes twelve levels deep, and no path is longer than 256 characters", () => {
    const nested = (levels: number): JsonValue => (levels === 0 ? 1 : { a: nested(levels - 1) });
    expect(paths(nested(14)).at(-1)).toBe(Array(12).fill("a").join("."));
    const keys = ["k", "l", "m", "n"].map((letter) => letter.repeat(60));
    const long = (length: number): JsonValue => ({
      data: keys.reduceRight<JsonValue>((inner, key) => ({ [key]: inner }), { ["z".repeat(length)]: 1 }),
    });
    expect(paths(long(7)).map((path) => path.length)).toEqual([4, 65, 126, 187, 248, 256]);
    expect(paths(long(8)).map((path) => path.length)).toEqual([4, 65, 126, 187, 248]);
  });

  test("looks at the first twenty elements, of arrays within arrays too, and names three of them", () => {
    const elements = Array.from({ length: 30 }, (_, n) => (n === 19 || n === 20 ? { [`at${n}`]: n } : {}));
    const found = paths({ list: elements, grid: [[], elements] });
    expect(found).toEqual(expect.arrayContaining(["list[].at19", "list.0", "list.2", "grid[][].at19", "grid.1.2"]));
    for (const path of ["list[].at20", "list.3", "grid[][].at20", "grid.1.3", "grid[].0", "grid.0[]", "list.19.at19"])
      expect(found).not.toContain(path);
  });

  test("takes the first few of keys that count, as of elements", () => {
    expect(paths({ list: { 0: "a", 2: "b", 7: "c", 8: "d" } })).toEqual(["list", "list.0", "list.2", "list.7"]);
  });
});

describe("a hostile payload", () => {
  const nested = (depth: number): JsonValue => {
    let value: JsonValue = order;
    for (let level = 0; level < depth; level += 1) value = { [`level${level}`]: value };
    return value;
  };
  test.each<[string, JsonObject]>([
    ["words", many(40_000, (n) => [`word${"abcdefghij"[n % 10]}${"x".repeat(n % 30)}_${n.toString(26).replaceAll(/\d/g, "q")}`, n])],
    ["numbered keys", many(40_000, (n) => [`key${n}`, "text"])],
    ["ids", many(40_000, (n) => [`0f8fad5b-d9cb-469f-a165-${String(n).padStart(12, "0")}`, { name: "x" }])],
    ["objects alike", many(40_000, (n) => [`k${n}`, { a: n, b: [n] }])],
    ["objects that differ", many(20_000, (n) => [`w${n.toString(36)}`, { [`v${n.toString(36)}`]: n }])],
    ["depth", { deep: nested(5_000) }],
    ["long keys", many(400, (n) => [`${"k".repeat(2_000)}${n}`, n])],
    ["wide arrays", { wide: Array.from({ length: 50 }, () => many(300, (n) => [`c${n}`, Array.from({ length: 100 }, () => n)])) }],
  ])("of %s hides no useful path, wherever it stands", (_, junk) => {
    const invoice = { invoice: { number: "R-7" } };
    const within = {
      ...junk,
      ...order,
      ...invoice,
      customer: { ...junk, ...(order["customer"] as JsonObject) },
      order: { ...junk, ...(order["order"] as JsonObject) },
    };
    const found = paths(within);
    expect(found.length).toBeLessThanOrEqual(maxFields);
    expect(found).toEqual(expect.arrayContaining([...useful, "invoice", "invoice.number"]));
  });

  test("of forty thousand keys teaches a few of them", () => {
    expect(paths(many(40_000, (n) => [`key${n}`, "text"])).length).toBeLessThanOrEqual(5);
    expect(paths({ prices: many(40_000, (n) => [`k${n}`, { eur: n, usd: n }]) }).length).toBeLessThanOrEqual(20);
  });

  test("a wide record of named fields is no such list", () => {
    const columns = many(280, (n) => [`column_${n}`, "text"]);
    expect(paths(columns)).toEqual(Object.keys(columns));
  });
});

const isFit = (sample: string): boolean => Array.from(sample).length <= 80 && storableText(sample) === sample;

function resolves(payload: JsonObject, { path, type, sample }: Field): boolean {
  const value = lookUp(payload, path);
  if (pathProblem(path) !== null || value === undefined || typeOf(value) !== type) return false;
  const text = type === "object" || type === "array" ? undefined : textOf(value);
  return text === undefined ? sample === null : sample !== null && storableText(text).startsWith(sample.replace(/\ufffd$/, ""));
}

describe("of any payload", () => {
  test("paths are few, short, each once and fit for a binding; what is by index resolves to the sample", () => {
    fc.assert(
      fc.property(hostilePayload, (payload) => {
        const fields = learnFields(payload);
        expect(fields.length).toBeLessThanOrEqual(maxFields);
        expect(new Set(fields.map(({ path }) => path)).size).toBe(fields.length);
        expect(fields.filter(({ path, sample }) => path.length > 256 || !isFit(sample ?? ""))).toEqual([]);
        expect(fields.filter((field) => !field.path.includes("[]") && !resolves(payload, field))).toEqual([]);
      }),
      { seed: 8, numRuns: scaled(60, 200) },
    );
  }, 30_000);

  test("what is kept survives being stored as JSON", () => {
    fc.assert(
      fc.property(hostilePayload, (payload) => {
        const known = mergeFields([], [{ eventId: "e", fields: learnFields(payload) }]);
        const stored = JSON.stringify(known);
        expect(stored).not.toMatch(/\\u0000|\\ud[89a-f]/i);
        expect(JSON.parse(stored)).toEqual(known);
      }),
      { seed: 9, numRuns: scaled(30, 100) },
    );
  }, 30_000);
});
