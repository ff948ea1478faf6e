import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { scaled } from "../../../test/faults/harness/scale.ts";
import { hostilePayload, hostileText } from "../../../test/support/arbitrary/json.ts";
import { data } from "../../../test/support/data.ts";
import { compileConditions, conditionOps, type ConditionOp, type ConditionRule, judgeRules, type Conditions } from "./conditions.ts";
import { conditionsSchema } from "./input/binding-members.ts";
import { type JsonObject, type JsonValue, parseJson, printJson } from "./json.ts";

const ruleOf = (path: string, op: ConditionOp, value?: ConditionRule["value"]) => ({ path, op, value }) as ConditionRule;
const holds = (payload: JsonObject, ...rules: ConditionRule[]): boolean => compileConditions({ match: "all", rules })(payload) === null;
/** Whether the rule holds for a payload whose `v` is the JSON text. */
const rule = (json: string | null, op: ConditionOp, value?: ConditionRule["value"]): boolean =>
  holds(parseJson(json === null ? "{}" : `{"v":${json}}`) as JsonObject, ruleOf("v", op, value));

describe("what a rule means", () => {
  test.each<[string, ConditionOp, ConditionRule["value"], boolean]>([
    ["[]", "exists", undefined, true],
    ...data<[string, ConditionOp, string, boolean][]>("core-conditions", "what a rule means"),
  ])("%s %s %j: %j", (json, op, value, expected) => {
    expect(rule(json, op, value)).toBe(expected);
  });

  test.each([null, "null", '""', "1e999"])("a value that is %j is missing, which satisfies only missing and the negated ones", (json) => {
    const satisfied = conditionOps.filter((op) => rule(json, op, op === "in" || op === "not_in" ? ["", "null"] : "null"));
    expect(satisfied).toEqual(["neq", "not_contains", "not_in", "missing"]);
  });

  test.each(["__proto__.polluted", "constructor.name", "toString", "v.length", "v.0", "list.length", "list.00"])(
    "%s is missing unless the sender wrote it",
    (path) => {
      expect(holds({ v: "text", list: ["a"] }, { path, op: "missing" })).toBe(true);
    },
  );

  test("keys that the sender did write are found", () => {
    const payload = parseJson('{"__proto__":{"constructor":"x"}}') as JsonObject;
    expect(holds(payload, { path: "__proto__.constructor", op: "eq", value: "x" })).toBe(true);
  });
});

const scalarText = fc.oneof(
  hostileText,
  fc.constantFrom("", "0", "-0", "5", "5.0", "05", "a", "ab", "\ud800", "\uff5e", "😀"),
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
);
const path = fc.constantFrom("v", "v.0", "v.a", "v.a.0", "__proto__", "constructor");
const anyRule = fc.oneof(
  fc.record({ path, op: fc.constantFrom(...conditionOps.slice(0, 9)), value: fc.oneof(scalarText, fc.boolean(), fc.integer()) }),
  fc.record({ path, op: fc.constantFrom("in", "not_in"), value: fc.array(scalarText, { minLength: 1, maxLength: 5 }) }),
  fc.record({ path, op: fc.constantFrom("exists", "missing") }),
) as fc.Arbitrary<ConditionRule>;
const anyConditions: fc.Arbitrary<Conditions> = fc.record({
  match: fc.constantFrom("all", "any"),
  rules: fc.array(anyRule, { minLength: 1, maxLength: 6 }),
});
const payloads = fc.oneof(
  hostilePayload,
  fc.oneof(scalarText, fc.array(scalarText), fc.jsonValue()).map((v) => ({ v: v as JsonValue })),
) as fc.Arbitrary<JsonObject>;

describe("for any payload and rules", () => {
  test("never throws; all is every rule, any is one of them; what fails is named", () => {
    fc.assert(
      fc.property(anyConditions, payloads, (conditions, payload) => {
        const before = printJson(payload);
        const unmet = compileConditions(conditions)(payload);
        const judged = judgeRules(conditions, payload);
        const failed = conditions.rules.filter((_, index) => judged[index]?.holds === false);
        expect(unmet === null).toBe(conditions.match === "all" ? failed.length === 0 : failed.length < conditions.rules.length);
        const [first] = failed;
        expect(
          unmet === null || conditions.match === "any" || (unmet.rules[0]?.path === first?.path && unmet.rules[0]?.op === first?.op),
        ).toBe(true);
        expect(printJson(payload)).toBe(before);
      }),
    );
  });

  test("each negated op is the other's opposite; the orders are, where there is a value", () => {
    fc.assert(
      fc.property(path, scalarText, payloads, (at, value, payload) => {
        const is = (op: ConditionOp, of: ConditionRule["value"] = value): boolean => holds(payload, ruleOf(at, op, of));
        expect(is("neq")).toBe(!is("eq"));
        expect(is("not_in", [value])).toBe(!is("in", [value]));
        expect(is("not_contains")).toBe(!is("contains"));
        expect(is("missing", undefined)).toBe(!is("exists", undefined));
        const there = is("exists", undefined);
        expect([is("gte"), is("gt")]).toEqual([there && !is("lt"), there && !is("lte")]);
        expect(is("in", [value, "other"])).toBe(is("eq") || is("eq", "other"));
        expect(is("eq")).toBe(is("gte") && is("lte"));
      }),
    );
  });

  test("text is ordered by code points", () => {
    const points = (text: string): number[] => Array.from(text, (character) => character.codePointAt(0) ?? 0);
    const before = (a: number[], b: number[]): boolean => {
      const at = a.findIndex((point, index) => point !== b[index]);
      return at < 0 ? a.length < b.length : at < b.length && (a[at] ?? 0) < (b[at] ?? 0);
    };
    const unit = fc.constantFrom("a", "\ud83d", "\ude00", "\ue000", "\uffff", "😀", "🌍");
    const text = fc.string({ unit, minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(holds({ v: a }, { path: "v", op: "lt", value: b })).toBe(before(points(a), points(b)));
      }),
      { numRuns: scaled(400, 2_000) },
    );
  });
});

describe("the largest payloads and rules", () => {
  test("numbers of any length are never computed with", () => {
    const compute = vi.spyOn(BigInt.prototype, "toString");
    const long = `1${"0".repeat(900_000)}`;
    const payload = parseJson(`{"n":${long},"text":"${long}","fraction":"0.${long}"}`) as JsonObject;
    const value = "9".repeat(10_000);
    expect(
      holds(payload, { path: "n", op: "gt", value }, { path: "text", op: "neq", value }, { path: "fraction", op: "lt", value: "0.2" }),
    ).toBe(true);
    expect(compute.mock.calls.length).toBe(0);
    vi.restoreAllMocks();
  });

  test("an array is read once, however many rules look into it", () => {
    let reads = 0;
    const list = new Proxy(
      Array.from({ length: 1000 }, (_, index) => index),
      {
        get: (target, key, receiver): unknown => {
          if (typeof key === "string" && /^\d+$/.test(key)) reads += 1;
          return Reflect.get(target, key, receiver);
        },
      },
    );
    const rules = Array.from({ length: 20 }, (_, index): ConditionRule => ({ path: "list", op: "contains", value: index }));
    const judge = compileConditions({ match: "all", rules });
    const payload: JsonObject = { list };
    for (let binding = 0; binding < 50; binding += 1) expect(judge(payload)).toBeNull();
    // The elements are read once by themselves, and once as the text that they make.
    expect(reads).toBeLessThanOrEqual(2000);
  });

  test("no more of nested objects is printed than a value can equal", () => {
    const depth = 100_000;
    const payload = parseJson(`{"v":${'{"a":'.repeat(depth)}1${"}".repeat(depth)}}`) as JsonObject;
    const stringify = vi.spyOn(JSON, "stringify");
    const rules = Array.from({ length: 20 }, (_, n): ConditionRule => ({ path: `v${".a".repeat(n)}`, op: "contains", value: "never" }));
    expect(holds(payload, ...rules)).toBe(false);
    expect(holds(payload, { path: "v", op: "starts_with", value: '{"a":{"a":' })).toBe(true);
    expect(stringify.mock.results.reduce((sum, { value }) => sum + String(value).length, 0)).toBeLessThan(1_000_000);
    vi.restoreAllMocks();
  });

  test("the end of a long text is searched, but not a thousand times for one event", () => {
    const judge = compileConditions({ match: "any", rules: [ruleOf("v", "contains", "end"), ruleOf("v", "contains", "a".repeat(200))] });
    const payload: JsonObject = { v: `${"a".repeat(199)}b`.repeat(5_000) + "end" };
    for (let event = 0; event < 3; event += 1) expect(judge({ ...payload })).toBeNull();
    const answers = Array.from({ length: 100 }, () => judge(payload) === null);
    expect(answers.indexOf(false)).toBeGreaterThan(3);
  });

  test("what is told of a rule is short and can be stored", () => {
    const conditions: Conditions = {
      match: "any",
      rules: Array.from({ length: 20 }, () => ({ path: "v", op: "in", value: ["x".repeat(1000), "\0", "c", "d"] })),
    };
    const unmet = compileConditions(conditions)({ v: `\0\ud800${"y".repeat(1000)}` });
    expect(unmet?.more).toBe(17);
    expect(unmet?.rules[0]).toEqual({
      path: "v",
      op: "in",
      values: [`${"x".repeat(100)}…`, "\ufffd", "c"],
      saw: `\ufffd\ufffd${"y".repeat(98)}…`,
    });
  });
});

describe("schema", () => {
  const input = z.object({ conditions: conditionsSchema.nullish() });
  const messagesOf = (conditions: unknown): string[] => input.safeParse({ conditions }).error?.issues.map(({ message }) => message) ?? [];
  const ofRule = (rule: unknown): string[] => messagesOf({ match: "all", rules: [rule] });

  test("takes all that conditions may hold, in one order", () => {
    const rules = [
      { value: "x".repeat(16_384), op: "eq", path: "a.b" },
      { path: "__proto__", op: "gt", value: -1.5 },
      { path: "a", op: "contains", value: true },
      { path: "a", op: "not_in", value: Array.from({ length: 100 }, (_, n) => n) },
      { op: "exists", path: "a" },
    ];
    const parsed = conditionsSchema.parse({ rules, match: "any" });
    expect(parsed).toEqual({ match: "any", rules });
    expect(JSON.stringify(parsed)).toMatch(/^\{"match":"any","rules":\[\{"path":"a.b","op":"eq","value":/);
    expect(Object.keys(parsed.rules[4] ?? {})).toEqual(["path", "op"]);
  });

  test.each<[unknown, string]>([
    [[], "conditions: must be an object with match and rules, or null"],
    [{ match: "one", rules: [{ path: "a", op: "exists" }] }, "conditions.match: must be all or any"],
    [{ match: "all", rules: [] }, "conditions.rules: must contain 1 to 20 rules"],
    [
      { match: "all", rules: Array.from({ length: 21 }, () => ({ path: "a", op: "exists" })) },
      "conditions.rules: must contain 1 to 20 rules",
    ],
    [{ match: "all", rules: [{ path: "a", op: "exists" }], not: 1 }, "conditions: has no member not"],
    [
      { match: "all", rules: Array.from({ length: 17 }, () => ({ path: "a", op: "eq", value: "x".repeat(16_000) })) },
      "conditions: must contain values of at most 262144 characters in total",
    ],
  ])("refuses conditions and says why: case %#", (conditions, message) => {
    expect(messagesOf(conditions)).toEqual([message]);
  });

  const valueKinds = "must be a text, a number, or true or false";
  test.each<[unknown, string]>([
    ["x", "conditions.rules[0]: must be an object with path, op and value"],
    [{ path: "a", op: "like", value: "x" }, `conditions.rules[0].op: must be one of ${conditionOps.join(", ")}`],
    [{ path: "a" }, `conditions.rules[0].op: must be one of ${conditionOps.join(", ")}`],
    [{ op: "exists" }, "conditions.rules[0].path: must be a dotted path, as in customer.first_name"],
    [{ path: "a..b", op: "exists" }, "conditions.rules[0].path: must be keys joined by single dots, as in customer.first_name"],
    [{ path: "a", op: "eq" }, `conditions.rules[0].value: ${valueKinds}`],
    [{ path: "a", op: "eq", value: null }, `conditions.rules[0].value: ${valueKinds}`],
    [{ path: "a", op: "eq", value: ["x"] }, `conditions.rules[0].value: ${valueKinds}`],
    [{ path: "a", op: "gt", value: { a: 1 } }, `conditions.rules[0].value: ${valueKinds}`],
    [{ path: "a", op: "eq", value: Infinity }, `conditions.rules[0].value: ${valueKinds}`],
    [{ path: "a", op: "eq", value: "x".repeat(16_385) }, "conditions.rules[0].value: must be at most 16384 characters long"],
    [{ path: "a", op: "not_contains", value: "x".repeat(201) }, "conditions.rules[0].value: must be at most 200 characters long"],
    [{ path: "a", op: "in", value: "x" }, "conditions.rules[0].value: must be a list of 1 to 100 texts, numbers, or true or false"],
    [{ path: "a", op: "in", value: [] }, "conditions.rules[0].value: must contain 1 to 100 values"],
    [{ path: "a", op: "not_in", value: Array.from({ length: 101 }, String) }, "conditions.rules[0].value: must contain 1 to 100 values"],
    [{ path: "a", op: "in", value: ["x", null] }, `conditions.rules[0].value[1]: ${valueKinds}`],
    [{ path: "a", op: "exists", value: "x" }, "conditions.rules[0].value: must be left out"],
    [{ path: "a", op: "missing", value: null }, "conditions.rules[0].value: must be left out"],
    [{ path: "a", op: "eq", value: "x", negate: true }, "conditions.rules[0]: has no member negate"],
  ])("refuses a rule and names it: case %#", (rule, message) => {
    expect(ofRule(rule)).toEqual([message]);
  });
});
