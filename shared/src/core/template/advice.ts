import type { Reason } from "../reason.ts";
import { textLength } from "../text.ts";
import adviceWords from "./advice-words.json" with { type: "json" };
import { blankedVariables, checkTemplate, type Fault, faults, hostOf, templateWarnings, variableMark } from "./check.ts";
import { textAt, toDefinition, type UncheckedTemplate } from "./draft.ts";

/** Something that gets, or may get, a template rejected: a broken rule of the platform, or something that its reviewers and the recipients dislike. */
export interface TemplateProblem {
  level: "error" | "warning";
  /** A dotted path into the input (`buttons.0.url`). */
  field: string;
  reason: Reason;
}

/** Every problem of a template, the broken rules first. */
export const findProblems = (input: UncheckedTemplate): TemplateProblem[] => [
  ...checkTemplate(input).map(({ field, reason }): TemplateProblem => ({ level: "error", field, reason })),
  ...warnings(input).map(({ field, reason }): TemplateProblem => ({ level: "warning", field, reason })),
];

export const problemKey = ({ field, reason }: TemplateProblem): string => `${field} ${reason.code}`;

const warnings = (input: UncheckedTemplate): Fault[] => [
  ...bodyWarnings(input.body),
  ...wordingWarnings(input),
  ...buttonWarnings(input.buttons ?? []),
  ...exampleWarnings(input),
  ...templateWarnings(toDefinition(input)).map((reason) => ({ field: reason.code.startsWith("buttons") ? "buttons" : "body", reason })),
];

function bodyWarnings(body: string): Fault[] {
  const blanked = blankedVariables(body);
  const variables = blanked.split(variableMark).length - 1;
  const words = blanked.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
  return faults(
    "body",
    /\0[^\S\n]+\0/.test(blanked) && { code: "variables_close" },
    variables > 0 && variables <= words && words < 2 * variables + 1 && { code: "few_words", variables, words },
    /\t| {3}/.test(body) && { code: "spaces_in_row" },
  );
}

type Button = NonNullable<UncheckedTemplate["buttons"]>[number];

const shorteners: ReadonlySet<string> = new Set(
  "bit.ly tinyurl.com t.co goo.gl ow.ly is.gd buff.ly rebrand.ly cutt.ly rb.gy shorturl.at tiny.cc s.id t.ly v.gd lnkd.in".split(" "),
);

function buttonWarnings(buttons: readonly Button[]): Fault[] {
  const labels = new Set<string>();
  return buttons.slice(0, mostButtons).flatMap((button, index) => {
    const label = button.text.trim().toLowerCase();
    const isRepeated = label !== "" && labels.has(label);
    labels.add(label);
    return [...faults(`buttons.${index}.text`, isRepeated && { code: "label_repeated" }), ...addressWarnings(button, index)];
  });
}

const mostButtons = 50;

function addressWarnings(button: Button, index: number): Fault[] {
  if (button.type === "PHONE_NUMBER")
    return faults(`buttons.${index}.phone`, /^\s*[^\s+]/.test(button.phone) && { code: "no_country_code" });
  if (button.type !== "URL") return [];
  const host = hostOf(button.url);
  if (host === null) return [];
  return faults(
    `buttons.${index}.url`,
    shorteners.has(host) && { code: "address_shortened", host },
    /^http:/i.test(button.url) && { code: "address_unencrypted" },
  );
}

/** The most characters of an example before it gets a warning: nobody reads longer ones in a review. */
export const longestExample = 100;

function exampleWarnings({ examples }: UncheckedTemplate): Fault[] {
  const seen = new Set<string>();
  return (examples?.body ?? []).slice(0, mostExamples).flatMap((example, index) => {
    const text = example.trim();
    const isRepeated = text !== "" && seen.has(text);
    seen.add(text);
    return faults(
      `examples.body.${index}`,
      isRepeated && { code: "example_repeated" },
      textLength(text) > longestExample && { code: "example_long", limit: longestExample },
    );
  });
}

const mostExamples = 100;

function wordingWarnings(input: UncheckedTemplate): Fault[] {
  const { category } = input;
  const language = input.language.split("_", 1)[0] ?? "";
  const text = ["header.text", "body", "footer"].map((field) => textAt(input, field) ?? "").join("\n");
  const words = wordsOf(text.slice(0, longestRead));
  const phrase = ` ${words.join(" ")} `;
  const promotional = category === "UTILITY" ? (promotions[language] ?? []).filter((word) => phrase.includes(` ${word} `)) : [];
  const hasCode = category !== "AUTHENTICATION" && oneTimeCodes.some((code) => phrase.includes(` ${code} `));
  const seems = likelyLanguage(words);
  // The small words of other languages are not known, and some resemble those of a neighbour.
  const isUnlike = seems !== null && seems !== language && (seems === "en" || Object.hasOwn(functionWords, language));
  return [
    ...faults(
      "category",
      promotional.length > 0 && { code: "words_promotional", words: promotional.slice(0, 5) },
      hasCode && { code: "one_time_code" },
    ),
    ...faults("language", isUnlike && { code: "language_unlike", seems }),
  ];
}

const longestRead = 4_000;
const wordsOf = (text: string): string[] =>
  blankedVariables(text)
    .toLowerCase()
    .match(/[\p{L}\p{N}%-]+/gu) ?? [];

const list = (words: string): string[] => words.split("|");

/** Words that make reviewers call a message advertising, by language. */
const promotions: Readonly<Record<string, string[]>> = Object.fromEntries(
  Object.entries(adviceWords.promotions).map(([language, words]) => [language, list(words)]),
);

const oneTimeCodes = list(adviceWords.oneTimeCodes);

/** Words that nearly every message of a language has, and that no other of these languages has. */
const functionWords: Readonly<Record<string, ReadonlySet<string>>> = Object.fromEntries(
  Object.entries(adviceWords.functionWords).map(([language, words]) => [language, new Set(words.split(" "))]),
);

/** The language of a text if that is plain: many of its small words, and next to none of any other language. */
function likelyLanguage(words: readonly string[]): string | null {
  const hits = Object.entries(functionWords)
    .map(([language, known]) => [language, words.filter((word) => known.has(word)).length] as const)
    .toSorted(([, a], [, b]) => b - a);
  const [[best, count], [, next]] = hits as [readonly [string, number], readonly [string, number]];
  return count >= 4 && count >= 4 * next && count * 6 >= words.length ? best : null;
}
