import shapeFits from "./fits.json" with { type: "json" };
import wordLists from "./words.json" with { type: "json" };

/** The text in lower case and without accents. */
export const foldedText = (text: string): string =>
  /^[ -~]*$/u.test(text)
    ? text.toLowerCase()
    : text
        .normalize("NFD")
        .replaceAll(/\p{M}/gu, "")
        .toLowerCase()
        .replaceAll(/[ıßłøæœđ]/gu, (letter) => plainLetters[letter] ?? letter);

const plainLetters: Record<string, string> = { ı: "i", ß: "ss", ł: "l", ø: "o", æ: "ae", œ: "oe", đ: "d" };

/** The shapes of values, in an example of a template or in an event, each with its forms: the first that fits counts, in a text without accents and in lower case. */
const forms = {
  empty: [/^$/u],
  boolean: [/^(?:true|false)$/u],
  url: [/^(?:https?:\/\/|www\.)\S+$/u, /^[a-z\d-]+(?:\.[a-z\d-]+)*\.[a-z]{2,}\/\S*$/u],
  email: [/^[^\s@]+@[^\s@]+\.[^\s@]+$/u],
  uuid: [/^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/u],
  datetime: [/^\d{4}-\d\d-\d\d[t ]\d\d:\d\d/u, /^\d{1,4}[./-]\d{1,2}[./-]\d{1,4},?\s.{0,8}\d{1,2}[:.h]\d\d/u],
  date: [/^\d{4}[-/.]\d{1,2}[-/.]\d{1,2}$/u, /^\d{1,2}[./-]\d{1,2}[./-]\d{2,4}$/u, /^\d{1,2}\.\d{1,2}\.$|^\d{1,2}\/\d{1,2}$/u],
  time: [
    /^\d{1,2}(?:[:h]\d\d|h)(?::\d\d)?\s?(?:[ap]\.?m\.?|uhr|h|hs)?$/u,
    /^\d{1,2}\sh\s\d\d$/u,
    /^\d{1,2}\.\d\d\s?(?:[ap]\.?m\.?|uhr|h|hs)$/u,
    /^\d{1,2}\s?(?:[ap]\.?m\.?|uhr)$/u,
  ],
  span: [/^\d{1,2}(?:[:.h]\d\d)?\s?(?:[ap]m|uhr|h|hs)?\s?(?:[-–]|to|bis|a|and|und|y|et|e)\s?\d{1,2}(?:[:.h]\d\d|\s?[ap]m|\s?h|\s?uhr)/u],
  phone: [/^\+\d[\d ()/.-]{6,20}$/u, /^0\d{1,5}[ /-][\d ()/-]{5,16}$/u],
  percent: [/^-?\d{1,3}(?:[.,]\d{1,2})?\s?%$/u],
  money: [
    /^(?:[$€£₺¥₹]|r\$|us\$|(?:usd|eur|gbp|chf|brl|mxn|try|tl|pln|sek|dkk|nok|zl|kr|aud|cad|nzd|inr|jpy|cny|sar|aed|egp|mad|zar|czk|huf|ron)\b)\s?-?\d[\d.,' ]*$/u,
    /^-?\d[\d.,' \u00a0\u202f]*(?:[$€£₺¥₹]|usd|eur|gbp|chf|brl|mxn|try|tl|pln|sek|dkk|nok|kr|zl|aud|cad|nzd|inr|jpy|cny|sar|aed|egp|mad|zar|czk|huf|ron|euros?)$/u,
  ],
  decimal: [/^-?\d+[.,]\d{1,4}$/u, /^\d{1,3}(?:[.,]\d{3})+[.,]\d\d$/u],
  integer: [/^-?\d{1,18}$/u],
  code: [/^\d+$/u],
  masked: [/^[*•x]{2}[*•x .-]*\d+$/u],
  slug: [],
  salutation: [],
  weekday: [],
  month: [],
  address: [],
  person: [],
  name: [],
  text: [],
} satisfies Record<string, RegExp[]>;
export type Shape = keyof typeof forms;
const shapes = Object.keys(forms) as Shape[];

export const setOf = (spaced: string): ReadonlySet<string> => new Set(spaced.split(" "));
const months = setOf(wordLists.months);
const weekdays = setOf(wordLists.weekdays);
const salutations = setOf(wordLists.salutations);
/** First names that people write as examples, and that many have. */
const givenNames = setOf(wordLists.givenNames);
/** Whether the first word, or the one behind a salutation, is a given name. */
export function startsWithGivenName(text: string): boolean {
  const words = foldedText(text.slice(0, mostRead)).match(/\p{L}+/gu) ?? [];
  return words.length < 5 && !/\d/u.test(text) && givenNames.has(words[startsWithSalutation(text) ? 1 : 0] ?? "");
}

const streets =
  /\b(?:street|st|road|rd|avenue|ave|av|lane|ln|drive|square|blvd|rue|place|allee|chemin|quai|calle|c|plaza|avenida|avda|paseo|carrera|rua|praca|travessa|rodovia|via|viale|piazza|corso|sokak|sk|cadde|caddesi|cad|mah|mahallesi|bulvari|ul|ulica|aleja|al|plac|laan|weg|plein|gracht|allee|platz|ring|gatan|vagen|torg)\b|(?:strasse|str\.|weg|platz|gasse|straat|laan|gatan|vagen)\b/u;

/** Whether the text begins with a salutation and goes on. */
export function startsWithSalutation(text: string): boolean {
  const [first = "", second] = foldedText(text.slice(0, mostRead)).split(/[\s.]+/u);
  return second !== undefined && second !== "" && salutations.has(first);
}

/** The shape of a value is read from this many of its first characters. */
const mostRead = 200;

export function shapeOf(whole: string): Shape {
  const text = whole.slice(0, mostRead).trim();
  const folded = foldedText(text);
  const formed = shapes.find((shape) => forms[shape].some((form) => form.test(folded)));
  if (formed !== undefined) return formed;
  const words = folded.match(/[\p{L}]+/gu) ?? [];
  const digits = /\d/u.test(folded);
  if ((folded.match(/\d{1,2}(?:[:h]\d\d|\s?h\b|\s?[ap]m\b|\s?uhr\b)/gu) ?? []).length > 1) return "span";
  const isDay = words.some((word) => months.has(word)) || weekdays.has(words[0] ?? "");
  if (digits && isDay && text.length < 40) return /\d{1,2}[:.h]\d\d/u.test(folded) ? "datetime" : "date";
  const isGivenName = /^\p{Lu}/u.test(text) && startsWithGivenName(text);
  if (words.length === 1 && !digits && !isGivenName) {
    if (weekdays.has(folded)) return "weekday";
    if (months.has(folded)) return "month";
    if (salutations.has(words[0] ?? "")) return "salutation";
  }
  if (/^#?[\p{L}\d]+(?:[-_/.#*][\p{L}\d]+)*$/u.test(text) && digits) return "code";
  if (/^[\p{L}\d]{1,4}(?:[ -][\p{L}\d]{1,5}){1,3}$/u.test(text) && digits && text === text.toUpperCase()) return "code";
  if (streets.test(folded) && (digits || words.length > 1)) return "address";
  if (/\p{L} \d{1,4} ?[a-z]?,|\b\d{5} \p{L}/u.test(folded)) return "address";
  if (!digits && (startsWithSalutation(text) || (words.length > 1 && isGivenName))) return "person";
  if (/^[a-z]+(?:[_-][a-z]+)+$/u.test(text)) return "slug";
  if (/^\p{Lu}[\p{L}'’.-]*(?: (?:\p{Lu}|de|da|do|dos|del|von|van|di|la)[\p{L}'’.-]*){0,4}$/u.test(text)) return "name";
  return "text";
}

/** How well a value of each shape stands where the example has this one: from -2 to 1.5, by `placeOfShape`. */
export const fitsOf = (example: Shape): Float64Array => Float64Array.from(shapes, (value) => fit(example, value));
export const placeOfShape = (shape: Shape): number => shapes.indexOf(shape);

function fit(example: Shape, value: Shape): number {
  if (value === "empty") return -0.5;
  if (example === value) return loose.has(example) ? 0.8 : example === "slug" ? 1.2 : 1.5;
  return fits[`${example} ${value}`] ?? (loose.has(example) && loose.has(value) ? 0.4 : -1.5);
}

const loose: ReadonlySet<Shape> = new Set(["name", "text"]);
const fits: Readonly<Record<string, number>> = shapeFits;
