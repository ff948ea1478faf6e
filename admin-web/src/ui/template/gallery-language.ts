import { type GalleryLanguage, galleryLanguages, nearestLanguage } from "shared/core/gallery/entries";
import { formatLanguage } from "../../format.ts";
import { locale } from "../../language.ts";

/** The language to begin with: that of the country, else the reader's. */
export function firstLanguage(country: string | null = null): GalleryLanguage {
  const spoken = country === null ? null : new Intl.Locale("und", { region: country }).maximize().language;
  return (spoken === null ? null : nearestLanguage(spoken)) ?? nearestLanguage(locale) ?? "en";
}

/** The languages of the gallery by their names. */
export const galleryChoices = () =>
  galleryLanguages
    .map((language) => ({ value: language, label: formatLanguage(language) }))
    .toSorted((a, b) => a.label.localeCompare(b.label));

export const galleryLanguage = (code: string | undefined): GalleryLanguage | undefined => galleryLanguages.find((each) => each === code);
