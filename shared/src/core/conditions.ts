import { type ComparedValue, comparedText, compileComparedAt, decimalOf, keyOf, toKey } from "./compared-value.ts";
import { compareDecimals, readDecimal } from "./decimal.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import { compareCodePoints, memoize, shorten, storableText } from "./text.ts";

export const comparing = ["eq", "neq", "gt", "gte", "lt", "lte", "starts_with"] as const;
export const searching = ["contains", "not_contains"] as const;
export const listing = ["in", "not_in"] as const;
export const asking = ["exists", "missing"] as const;
export const conditionOps = [...comparing, ...searching, ...listing, ...asking] as const;
export type ConditionOp = (typeof conditionOps)[number];

/** Whether the op compares with a list of values. */
export const takesList = (op: ConditionOp): op is (typeof listing)[number] => (listing as readonly ConditionOp[]).includes(op);
/** Whether the op takes no value. */
export const takesNone = (op: ConditionOp): op is (typeof asking)[number] => (asking as readonly ConditionOp[]).includes(op);

export const mostRules = 20;
export const mostValues = 100;

type Compared = string | number | boolean;
export type ConditionRule =
  | { path: string; op: (typeof comparing)[number]; value: Compared }
  | { path: string; op: (typeof searching)[number]; value: Compared }
  | { path: string; op: (typeof listing)[number]; value: Compared[] }
  | { path: string; op: (typeof asking)[number]; value?: undefined };
export interface Conditions {
  match: "all" | "any";
  rules: ConditionRule[];
}

/** A rule with the event's value at its path. Long texts are cut. */
export interface JudgedRule {
  path: string;
  op: ConditionOp;
  values: string[];
  /** Null when the value is missing. */
  saw: string | null;
}

/** Conditions that do not hold: with `all` the first rule that fails, with `any` the first rule. */
export interface UnmetConditions {
  match: "all" | "any";
  rules: JudgedRule[];
  /** The number of further rules, with `any`. */
  more: number;
}

/** The path that is judged for each recipient: the country of the phone, ISO 3166-1 alpha-2. */
export const countryPath = "recipient.country";

/** A function of an event's payload: null when the conditions hold, else the unmet ones. */
export interface CompiledConditions {
  (payload: JsonObject): UnmetConditions | null;
  /** Of conditions with a rule on `countryPath`: judges the recipients in one country, null where it is unknown. The payload alone decides the rest. */
  ofCountry?: (payload: JsonObject) => (country: string | null) => UnmetConditions | null;
}

/** Compiles conditions: paths are parsed, and values read, once. Never throws, whatever the payload holds; its time grows with the payload and the number of rules. */
export function compileConditions({ match, rules }: Conditions): CompiledConditions {
  const ofCountry = rules.filter(({ path }) => path === countryPath);
  if (ofCountry.length === 0) return compileRules(match, rules);
  const others = compileRules(
    match,
    rules.filter(({ path }) => path !== countryPath),
  );
  const judge = compileRules(match, ofCountry);
  const judgeCountry = (country: string | null) => judge({ recipient: { country } });
  if (match === "all") return Object.assign(others.bind(null), { ofCountry: () => judgeCountry });
  const hasOthers = ofCountry.length < rules.length;
  return Object.assign(() => null, {
    ofCountry: (payload: JsonObject) => (hasOthers && others(payload) === null ? () => null : judgeCountry),
  });
}

function compileRules(match: Conditions["match"], rules: readonly ConditionRule[]): CompiledConditions {
  const compiled = rules.map(compileRule);
  if (match === "any") {
    const told = compiled.slice(0, mostTold);
    const more = compiled.length - told.length;
    return (payload) =>
      compiled.some(({ holds }) => holds(payload)) ? null : { match, rules: told.map(({ tell }) => tell(payload)), more };
  }
  return (payload) => {
    const failed = compiled.find(({ holds }) => !holds(payload));
    return failed === undefined ? null : { match, rules: [failed.tell(payload)], more: 0 };
  };
}

const mostTold = 3;

/** Whether each rule holds, and the value that it saw in the payload, for a preview. `country`: of a recipient. */
export const judgeRules = ({ rules }: Conditions, payload: JsonObject, country: string | null = null) =>
  rules.map((rule) => {
    const { holds, tell } = compileRule(rule);
    const seen = rule.path === countryPath ? { recipient: { country } } : payload;
    return { holds: holds(seen), saw: tell(seen).saw };
  });

const mostSeen = 100;
const mostToldValues = 3;

function compileRule(rule: ConditionRule): { holds: (payload: JsonObject) => boolean; tell: (payload: JsonObject) => JudgedRule } {
  const { path, op } = rule;
  const texts = textsOf(rule);
  const test = tests[op](texts);
  const see = compileComparedAt(path);
  return {
    holds: (payload) => test(see(payload)),
    tell: (payload) => {
      const { text } = see(payload);
      return { path, op, values: texts.slice(0, mostToldValues).map(shown), saw: text === undefined ? null : shown(text) };
    },
  };
}

const shown = (text: string): string => storableText(shorten(text, mostSeen));

/** A rule's values as the texts by which they are compared. */
export const textsOf = ({ value }: ConditionRule): string[] => (value === undefined ? [] : [value].flat().map(String));

type CompileTest = (texts: readonly string[]) => (seen: ComparedValue) => boolean;

const isIn: CompileTest = (texts) => {
  const wanted = new Set(texts.map(toKey));
  return (seen) => seen.text !== undefined && wanted.has(keyOf(seen));
};

const contains: CompileTest = ([text = ""]) => {
  const key = toKey(text);
  return (seen) => {
    if (seen.text === undefined) return false;
    return Array.isArray(seen.value) ? elementsOf(seen.value).has(key) : searchable(seen, seen.text).includes(text);
  };
};

const ordered =
  (fits: (order: number) => boolean): CompileTest =>
  ([text = ""]) => {
    const decimal = readDecimal(text);
    return (seen) => {
      if (seen.text === undefined) return false;
      const number = decimal && decimalOf(seen);
      return fits(decimal && number ? compareDecimals(number, decimal) : compareCodePoints(seen.text, text));
    };
  };

const not =
  (compile: CompileTest): CompileTest =>
  (texts) => {
    const test = compile(texts);
    return (seen) => !test(seen);
  };

const exists: CompileTest = () => (seen) => seen.text !== undefined;

/** The meaning of each op. A missing value fails every test but the negated ones. */
const tests: Readonly<Record<ConditionOp, CompileTest>> = {
  eq: isIn,
  neq: not(isIn),
  in: isIn,
  not_in: not(isIn),
  contains,
  not_contains: not(contains),
  starts_with:
    ([text = ""]) =>
    (seen) =>
      seen.text?.startsWith(text) === true,
  gt: ordered((sign) => sign > 0),
  gte: ordered((sign) => sign >= 0),
  lt: ordered((sign) => sign < 0),
  lte: ordered((sign) => sign <= 0),
  exists,
  missing: not(exists),
};

/** The characters of one text that an event's rules may search in all. Later rules search only its beginning, so that a thousand rules cannot hold a gateway up. */
const mostSearched = 10_000_000;
const searchedBeginning = 65_536;

function searchable(seen: ComparedValue, text: string): string {
  seen.searched += text.length;
  return seen.searched <= mostSearched ? text : text.slice(0, searchedBeginning);
}

/** The keys of the elements that are not missing. */
const elementsOf = memoize(
  (array: JsonValue[]) => new Set(array.map(comparedText).flatMap((text) => (text === undefined ? [] : toKey(text)))),
);
