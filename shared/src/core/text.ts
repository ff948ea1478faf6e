import { type Values, rule } from "./wording.ts";

/** `make`, run once an object and remembered as long as the object lives. Neither the object nor the result may change. */
export function memoize<K extends object, V>(make: (key: K) => V): (key: K) => V {
  const made = new WeakMap<K, { value: V }>();
  return (key) => {
    let entry = made.get(key);
    if (entry === undefined) {
      entry = { value: make(key) };
      made.set(key, entry);
    }
    return entry.value;
  };
}

/** `make`, run once a key; results are remembered until there are `most` of them. */
export function remember<K extends string | number, V>(most: number, make: (key: K) => V): (key: K) => V {
  const made = new Map<K, V>();
  return (key) => {
    let value = made.get(key);
    if (value === undefined) {
      if (made.size >= most) made.clear();
      made.set(key, (value = make(key)));
    }
    return value;
  };
}

/** The values of each name, in their order. */
export function grouped<T>(named: readonly (readonly [name: string, value: T])[]): ReadonlyMap<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const [name, value] of named) groups.set(name, [...(groups.get(name) ?? []), value]);
  return groups;
}

/** The part of a zod issue that an error function may rely on. */
interface Issue {
  readonly path?: readonly PropertyKey[] | undefined;
  readonly code?: string | undefined;
  readonly input?: unknown;
  readonly keys?: readonly string[] | undefined;
}

/**
 * The `error` option of a zod schema, for messages that say by themselves where the fault is: `body.2.path: must not be empty`.
 * The message may depend on the issue, by `rule`. Members that an object does not have are named instead.
 */
export function namedError(text: string | ((issue: Issue) => string), values?: Values): { error: (issue: Issue) => string } {
  const message = typeof text === "string" ? rule(text, values) : text;
  return {
    error: (issue) => {
      const told = typeof message === "string" ? message : message(issue);
      return prefix(issue) + (issue.keys === undefined ? told : `has no member ${issue.keys.join(", ")}`);
    },
  };
}

/** The part of the place that is left out: within a binding the map's place is known, and only the place within the map counts. */
function prefix(issue: Issue): string {
  const path = issue.path ?? [];
  const within = path.slice(path.lastIndexOf("variableMap") + 1);
  const place = within.length > 0 ? within : path;
  return place.length === 0 ? "" : `${placeOf(place)}: `;
}

/** A member's place in an input: `buttons.0.url`; rules of conditions are numbered in brackets, `conditions.rules[0].path`. */
export const placeOf = (path: readonly PropertyKey[]): string =>
  path[0] === "conditions"
    ? path.map((key, index) => (typeof key === "number" ? `[${key}]` : `${index === 0 ? "" : "."}${String(key)}`)).join("")
    : path.map(String).join(".");

/** The message of such an issue without the place at its beginning, for a form that shows it at that place. */
export function messageAtPlace({ path, message }: { path: readonly PropertyKey[]; message: string }): string {
  const place = prefix({ path });
  return message.startsWith(place) ? message.slice(place.length) : message;
}

/** The name of a language by its code such as `pt_BR` or `zh-Hant-TW`; the code where it is none. */
export const languageName = (code: string, names: Intl.DisplayNames) => attempt(() => names.of(code.replaceAll("_", "-")) ?? code, code);

export const sentenceCase = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Sequences (families, flags, skin tones) count as one. Built from a text because the compiler's target does not know the `v` flag. */
const emoji = new RegExp("\\p{RGI_Emoji}", "gv");

export const countEmoji = (text: string): number => text.match(emoji)?.length ?? 0;

/**
 * How many characters `text` has, counted in code points. The platform may count an emoji as one character, as two, or by its parts, and does not document
 * it. The lenient count refuses nothing that might be accepted.
 */
export function textLength(text: string): number {
  let length = text.length;
  for (let at = 0; at < text.length; at++) if (isHigh(text.charCodeAt(at)) && isLow(text.charCodeAt(at + 1))) length--;
  return length;
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/** Whether a reader sees nothing of the text: it has only white space, control characters, signs without a glyph (Unicode's "default ignorable", tags of annotations) and Braille's blank. */
export const isBlank = (text: string): boolean => /^[\s\p{Cc}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\u2800]*$/u.test(text);

/** The text, or its first `longest` characters and an ellipsis. */
export const shorten = (text: string, longest: number): string => (text.length > longest ? `${text.slice(0, longest)}…` : text);

/** The text as PostgreSQL's `text` can hold it: NUL and halves of characters become U+FFFD. */
export const storableText = (text: string): string => (doubtful.test(text) ? wellFormed(text).replaceAll("\0", "\ufffd") : text);

const doubtful = /[\0\ud800-\udfff]/;

const loneSurrogate = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** The text with each half of a character that lacks its other half (a cut emoji, say) replaced by U+FFFD, as encoding would do. */
export const wellFormed = (text: string): string => text.replace(loneSurrogate, "\ufffd");

/** Below 0 when `a` comes before `b` by code points, above when behind: JavaScript's own order counts the halves of emoji, which come before some letters. */
export function compareCodePoints(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  let at = 0;
  while (at < shorter && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  if (at === shorter) return a.length - b.length;
  if (at > 0 && isHigh(a.charCodeAt(at - 1))) at -= 1;
  const [of, other] = [a.codePointAt(at) ?? 0, b.codePointAt(at) ?? 0];
  return of === other ? (a.codePointAt(at + 1) ?? 0) - (b.codePointAt(at + 1) ?? 0) : of - other;
}

/** What `act` returns; `otherwise` if it throws. */
export function attempt<T, Otherwise>(act: () => T, otherwise: Otherwise): T | Otherwise {
  try {
    return act();
  } catch {
    return otherwise;
  }
}
