import type { UncheckedTemplate } from "../template/draft.ts";
import type { VariableMap, VarSpec } from "../variables.ts";
import { gallery, type GalleryEntry, type GalleryName, type GalleryVariable, galleryVariables } from "./entries.ts";
import { ar } from "./texts-ar.ts";
import { de } from "./texts-de.ts";
import { en } from "./texts-en.ts";
import { es } from "./texts-es.ts";
import { fr } from "./texts-fr.ts";
import { it } from "./texts-it.ts";
import { ptBR } from "./texts-pt-br.ts";
import { tr } from "./texts-tr.ts";

export const galleryNames = Object.keys(gallery) as GalleryName[];

const languages = { en, de, es, fr, it, pt_BR: ptBR, tr, ar };

export type GalleryLanguage = keyof typeof languages;
/** As the platform writes them. */
export const galleryLanguages = Object.keys(languages) as GalleryLanguage[];

/** The template as `templates.create` takes it. */
export function galleryTemplate(name: GalleryName, language: GalleryLanguage) {
  const { category, variables: used }: GalleryEntry = gallery[name];
  const { texts, examples, stop } = languages[language];
  const { header, body } = texts[name];
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

/** Where a shop system keeps values elsewhere than the conventions say. */
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
