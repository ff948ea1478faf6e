/** What stands for the placeholders of a text, by name. */
export type Values = Readonly<Record<string, string | number>>;

/**
 * Writes a text, which is an ICU message: `{name}` and `{count, plural, one {# message} other {# messages}}`. Whoever makes sentences takes one: `english`,
 * or the dashboard's `t`, which writes in the reader's language.
 */
export type Write = (text: string, values?: Values) => string;

export const english: Write = (text, values = {}) =>
  text
    .replace(plurals, (_, name: string, branches: string) => pluralOf(Number(values[name]), branches))
    .replace(/\{(\w+)\}/gu, (_, name: string) => String(values[name]));

const plurals = /\{(\w+), plural,((?: (?:=\d+|one|other) \{(?:[^{}]|\{\w+\})*\})+)\}/gu;

function pluralOf(count: number, branches: string): string {
  const texts = new Map(
    Array.from(branches.matchAll(/(=\d+|one|other) \{((?:[^{}]|\{\w+\})*)\}/gu), ([, rule = "", text = ""]) => [rule, text]),
  );
  const text = texts.get(`=${count}`) ?? (count === 1 ? texts.get("one") : undefined) ?? texts.get("other") ?? "";
  return text.replaceAll("#", String(count));
}
