import type { UncheckedTemplate } from "../template/draft.ts";
import type { VariableMap, VarSpec } from "../variables.ts";
import {
  gallery,
  type GalleryEntry,
  type GalleryLanguage,
  galleryLanguages,
  type GalleryName,
  type GalleryTexts,
  type GalleryVariable,
  galleryVariables,
} from "./entries.ts";
import allLanguages from "./languages.json" with { type: "json" };
import allTexts from "./texts.json" with { type: "json" };

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
