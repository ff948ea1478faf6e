import { i18n, type Messages } from "@lingui/core";

// The dashboard's texts stand in English where they are used. Their translations are in `texts/{language}/{page}.json`, one file for each folder of `pages/` and one,
// `base`, for the rest. Texts are ICU messages: `{name}` and `{count, plural, one {# message} other {# messages}}`.

/** The languages of the dashboard, by their own names. */
export const languageNames = { en: "English", de: "Deutsch", es: "Español", pt: "Português", ar: "العربية" };

export type Language = keyof typeof languageNames;

const isLanguage = (text: string): text is Language => Object.hasOwn(languageNames, text);

/** Where this device keeps the language that was chosen. */
export const languageKey = "language";

/** The chosen language, else the first of the browser's that the dashboard has. It stays until the page is loaded anew. */
export const language: Language =
  chosenLanguage() ??
  browserLanguages()
    .map((tag) => tag.split("-", 1)[0] ?? "")
    .find(isLanguage) ??
  "en";

/** The language that was chosen on this device; null where the browser decides, or keeps nothing. */
export function chosenLanguage(): Language | null {
  try {
    const stored = globalThis.localStorage?.getItem(languageKey) ?? "";
    return isLanguage(stored) ? stored : null;
  } catch {
    return null;
  }
}

/** The server names the texts in the head of its answer. Each page tells it anew: some browsers keep such a cookie for days only. */
export function tellServer(): void {
  const chosen = chosenLanguage();
  document.cookie = `tidings_language=${chosen ?? ""};path=/;samesite=lax;max-age=${chosen === null ? 0 : 31_536_000}`;
}

/**
 * The locale of numbers and dates: the browser's variant of the language, such as `en-GB`, where it has one. Its digits are those of phone numbers, orders
 * and codes, beside which they stand.
 */
export const locale: string = new Intl.Locale(browserLanguages().find((tag) => tag.split("-", 1)[0] === language) ?? language, {
  numberingSystem: "latn",
}).toString();

export const direction: "ltr" | "rtl" = language === "ar" ? "rtl" : "ltr";

/** Those of the browser's languages that `Intl` takes: some systems name theirs `en-US@posix`. */
function browserLanguages(): readonly string[] {
  return (globalThis.navigator?.languages ?? []).filter(isTag);
}

function isTag(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length > 0;
  } catch {
    return false;
  }
}

i18n.load(language, {});
i18n.activate(language, [locale]);
/** The folder into which the build puts the texts; undefined in tests, which read the sources' own English. */
const folder = import.meta.env["TEXTS"] as string | undefined;
// The build compiles only texts that have more than plain placeholders.
if (folder !== undefined) {
  i18n.setMessagesCompiler((text) => text.split(/[{}]/u).map((part, index) => (index % 2 === 0 ? part : [part])));
  tellServer();
}

/** Loads the texts of pages, by their folders, before the modules that use them: some use them as they are read. */
export async function loadTexts(...pages: string[]): Promise<void> {
  if (folder === undefined) return;
  const answers = await Promise.all(pages.map((page) => fetch(`${folder}/${language}/${page}.json`)));
  for (const answer of answers) if (answer.ok) i18n.load(language, (await answer.json()) as Messages);
}

// Modules that import `t` wait for these texts. If they do not load, the page stays English.
await loadTexts("base").catch(() => undefined);

type Values = Record<string, string | number | false | null | undefined>;

/** The text in the reader's language. `values`: the values of its placeholders, by name; false leaves one empty. */
export function t(text: string, values?: Values): string {
  return i18n._(text, isolatedValues(values));
}

const isolatedValues = (values: Values | undefined) =>
  values && Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value === false ? "" : isolated(value)]));

/** Isolates a value in languages that run from right to left, so that a phone or a code keeps its order and does not reorder the sentence. */
export const isolated = <Value>(value: Value): Value | string =>
  direction === "rtl" && typeof value === "string" && !/^\d*$/u.test(value)
    ? `${/[\u0590-\u08ff]/u.test(value) ? "\u2067" : "\u2066"}${value}\u2069`
    : value;

/** The translation of a text of the server, or of `shared`, if a loaded catalogue has it; otherwise `written`, which is the text itself, with its values, unless given. */
export function translated(text: string, values?: Values, written?: string): string {
  const isPlain = !Object.hasOwn(i18n.messages, text) && (written !== undefined || values === undefined);
  return isPlain ? (written ?? text) : i18n._(text, isolatedValues(values));
}
