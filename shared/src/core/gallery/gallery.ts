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

const languages: Record<GalleryLanguage, LanguageTexts> = {
  en: {
    noName: "there",
    noCarrier: "our delivery partner",
    stop: "Stop",
    examples: {
      total: "USD 49.90",
    },
  },
  de: {
    noName: "und guten Tag",
    noCarrier: "unser Zustellpartner",
    stop: "Abmelden",
    examples: {
      name: "Jonas",
      total: "EUR 49,90",
      refundAmount: "19,95",
      deliveryDate: "18. März",
      pickupPlace: "Marktstraße 12",
      plan: "Kaffeebox",
      renewalDate: "1. April",
      renewalAmount: "24,00 EUR",
      service: "Zahnkontrolle",
      appointmentDate: "18. März",
      appointmentTime: "9:30 Uhr",
      product: "Die blaue Teekanne",
    },
  },
  es: {
    noName: "buenas",
    noCarrier: "nuestro transportista",
    stop: "Baja",
    examples: {
      name: "Lucía",
      deliveryDate: "18 de marzo",
      pickupPlace: "Calle del Mercado 12",
      plan: "Caja de café",
      renewalDate: "1 de abril",
      renewalAmount: "24,00 EUR",
      service: "Revisión dental",
      appointmentDate: "18 de marzo",
      product: "Tetera azul",
    },
  },
  fr: {
    noName: "à vous",
    noCarrier: "notre transporteur",
    stop: "Se désabonner",
    examples: {
      name: "Camille",
      deliveryDate: "18 mars",
      pickupPlace: "12 rue du Marché",
      plan: "Coffret café",
      renewalDate: "1er avril",
      renewalAmount: "24,00 EUR",
      service: "Contrôle dentaire",
      appointmentDate: "18 mars",
      appointmentTime: "9 h 30",
      product: "La théière bleue",
    },
  },
  it: {
    noName: "a te",
    noCarrier: "il nostro corriere",
    stop: "Disiscrivimi",
    examples: {
      name: "Giulia",
      deliveryDate: "18 marzo",
      pickupPlace: "Via del Mercato 12",
      plan: "Box del caffè",
      renewalDate: "1 aprile",
      renewalAmount: "24,00 EUR",
      service: "Visita dentistica",
      appointmentDate: "18 marzo",
      product: "Teiera blu",
    },
  },
  pt_BR: {
    noName: "tudo bem",
    noCarrier: "nossa transportadora",
    stop: "Descadastrar",
    examples: {
      name: "Ana",
      total: "BRL 249.90",
      refundAmount: "89.90",
      currency: "BRL",
      deliveryDate: "18 de março",
      pickupPlace: "Rua do Mercado, 12",
      plan: "Caixa de café",
      renewalDate: "1º de abril",
      renewalAmount: "R$ 99,00",
      service: "Consulta odontológica",
      appointmentDate: "18 de março",
      product: "Bule azul",
    },
  },
  tr: {
    noName: "değerli müşterimiz",
    noCarrier: "anlaşmalı kargo firmamız",
    stop: "Abonelikten çık",
    examples: {
      name: "Elif",
      total: "TRY 1490.00",
      refundAmount: "350.00",
      currency: "TRY",
      carrier: "Yurtiçi Kargo",
      deliveryDate: "18 Mart",
      pickupPlace: "Çarşı Caddesi 12",
      plan: "Kahve kutusu",
      renewalDate: "1 Nisan",
      renewalAmount: "690,00 TL",
      service: "Diş kontrolü",
      appointmentDate: "18 Mart",
      appointmentTime: "09.30",
      product: "Mavi çaydanlık",
    },
  },
  ar: {
    noName: "بك",
    noCarrier: "شركة التوصيل المتعاقدة معنا",
    stop: "إلغاء الاشتراك",
    examples: {
      name: "ليلى",
      total: "SAR 189.00",
      refundAmount: "75.00",
      currency: "SAR",
      carrier: "أرامكس",
      deliveryDate: "18 مارس",
      pickupPlace: "شارع السوق 12",
      plan: "صندوق القهوة",
      renewalDate: "1 أبريل",
      renewalAmount: "SAR 90.00",
      service: "فحص الأسنان",
      appointmentDate: "18 مارس",
      product: "إبريق الشاي الأزرق",
    },
  },
};
