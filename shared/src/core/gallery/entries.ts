import type { UncheckedTemplate } from "../template/draft.ts";
import type { VarSpec, VariableMap } from "../variables.ts";
import allEntries from "./entries.json" with { type: "json" };
import allLanguages from "./languages.json" with { type: "json" };
import allTexts from "./texts.json" with { type: "json" };
import allVariables from "./variables.json" with { type: "json" };

/** The gallery's languages, by the platform's codes. */
export const galleryLanguages = ["en", "de", "es", "fr", "it", "pt_BR", "tr", "ar"] as const;
export type GalleryLanguage = (typeof galleryLanguages)[number];

/** A template's texts. The header stands above the body and has no variables. */
export type GalleryTexts = Record<GalleryLanguage, { header: string; body: string }>;

export interface GalleryEntry {
  /** The title for the operator, in the dashboard's language. */
  title: string;
  category: "UTILITY" | "MARKETING";
  /** The events that the template fits. */
  events: readonly [string, ...string[]];
  /** The meanings of the body's variables, in the order of their numbers. */
  variables: readonly GalleryVariable[];
}

/** Messages that shops and practices send, ready to be submitted. One-time codes are not among them: the platform has a fixed text for those, made in its own manager. */
export const gallery = allEntries as unknown as Readonly<Record<keyof typeof allEntries, GalleryEntry>>;

export type GalleryName = keyof typeof gallery;

/** Where each variable's value stands in events by our conventions, with an example. */
export const galleryVariables = allVariables as Readonly<Record<keyof typeof allVariables, { spec: VarSpec; example: string }>>;

export type GalleryVariable = keyof typeof galleryVariables;

export const galleryNames = Object.keys(gallery) as GalleryName[];

const texts: Record<GalleryName, GalleryTexts> = allTexts;

/** The template in the form that `templates.create` takes. */
export function galleryTemplate(name: GalleryName, language: GalleryLanguage) {
  const { category, variables: used }: GalleryEntry = gallery[name];
  const { examples, stop } = languages[language];
  const { header, body } = texts[name][language];
  return {
    name,
    language,
    category,
    header: { format: "TEXT", text: header },
    body,
    buttons: category === "MARKETING" ? [{ type: "QUICK_REPLY", text: stop }] : [],
    examples: { body: used.map((variable) => examples[variable] ?? galleryVariables[variable].example) },
  } satisfies UncheckedTemplate;
}

/** The places of values that a shop system keeps elsewhere than the conventions say. */
export type OtherValues = Partial<Record<GalleryVariable, VarSpec>>;

/** The map that fills the template from its event. */
export function galleryMap(name: GalleryName, language: GalleryLanguage, others: OtherValues = {}): VariableMap {
  const { noName, noCarrier } = languages[language];
  const fallbacks: Partial<Record<GalleryVariable, string>> = { name: noName, carrier: noCarrier };
  const used: readonly GalleryVariable[] = gallery[name].variables;
  const specs = used.map((variable, index) => {
    const spec: VarSpec = others[variable] ?? galleryVariables[variable].spec;
    const fallback = fallbacks[variable];
    return [String(index + 1), fallback === undefined ? spec : { ...spec, fallback }];
  });
  return { body: Object.fromEntries(specs) as VariableMap["body"] };
}

/** The gallery's language for a locale such as `pt-BR` or `de-AT`; null when it has none. */
export function nearestLanguage(locale: string): GalleryLanguage | null {
  const [spoken = ""] = locale.toLowerCase().split(/[-_]/);
  return galleryLanguages.find((language) => language.split("_")[0] === spoken) ?? null;
}

/** The texts that templates of one language have in common. */
interface LanguageTexts {
  /** The word in a greeting if the event has no first name. */
  noName: string;
  /** The words if the event does not name the carrier. */
  noCarrier: string;
  /** The button of marketing messages, with one of the words that stop them. */
  stop: string;
  /** Examples of a language in which the common ones would sound foreign. */
  examples: Partial<Record<GalleryVariable, string>>;
}

const languages: Record<GalleryLanguage, LanguageTexts> = allLanguages;
