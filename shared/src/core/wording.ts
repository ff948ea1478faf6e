/** The values of a text's placeholders, by name. */
export type Values = Readonly<Record<string, string | number>>;

/**
 * Writes a text, which is an ICU message: `{name}` and `{count, plural, one {# message} other {# messages}}`. A function that makes sentences takes one:
 * `english`, or the dashboard's `t`, which writes in the reader's language.
 */
export type Write = (text: string, values?: Values) => string;

/** Writes English. Placeholders without a value stay in the text, which may come from anybody. */
export const english: Write = (text, values = {}) => {
  const has = (name: string): boolean => Object.hasOwn(values, name);
  return text
    .replace(plurals, (mark, name: string, branches: string) => (has(name) ? pluralOf(Number(values[name]), branches) : mark))
    .replace(/\{(\w+), number\}/gu, (mark, name: string) => (has(name) ? Number(values[name]).toLocaleString("en") : mark))
    .replace(/\{(\w+)\}/gu, (mark, name: string) => (has(name) ? String(values[name]) : mark));
};

/** A sentence as data, which travels beside its English, so that a page can write it in the reader's language. A value may be a sentence itself. */
export interface Said {
  text: string;
  values: Readonly<Record<string, string | number | Said>>;
}

export const say = (text: string, values: Said["values"] = {}): Said => ({ text, values });

/** A text of a closed list, such as a status, whose translations the dashboard has for itself. */
export const fixed = (text: string): Said => ({ text, values: {} });

/** A sentence that is stored as text. It has no values, so that the dashboard can find its translation. */
export const storedText = (text: string): string => text;

export const write = ({ text, values }: Said, t: Write = english): string =>
  t(text, Object.fromEntries(Object.entries(values).map(([name, value]) => [name, typeof value === "object" ? write(value, t) : value])));

/** An error whose message is for people, and travels as data. */
export class SaidError extends Error {
  readonly said: Said;
  constructor(said: Said, options?: ErrorOptions) {
    super(write(said), options);
    this.said = said;
  }
}

const rules = new Map<string, { text: string; values: Values }>();

/** A schema's message for a broken rule, in English. It is remembered as data, so its values are constants. */
export function rule(text: string, values: Values = {}): string {
  const sentence = english(text, values);
  rules.set(sentence, { text, values });
  return sentence;
}

/** The data of a sentence that `rule` has made. */
export const findRule = (sentence: string): { text: string; values: Values } | undefined => rules.get(sentence);

const plurals = /\{(\w+), plural,((?: (?:=\d+|one|other) \{(?:[^{}]|\{\w+\})*\})+)\}/gu;

function pluralOf(count: number, branches: string): string {
  const texts = new Map(
    Array.from(branches.matchAll(/(=\d+|one|other) \{((?:[^{}]|\{\w+\})*)\}/gu), ([, rule = "", text = ""]) => [rule, text]),
  );
  const text = texts.get(`=${count}`) ?? (count === 1 ? texts.get("one") : undefined) ?? texts.get("other") ?? "";
  return text.replaceAll("#", count.toLocaleString("en"));
}
