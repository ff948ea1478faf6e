import type { Section } from "./sections.ts";

/** A place of the documentation as its links name it: `templates#media-headers`. */
const placeOf = ({ topic, slug }: Section): string => (slug === "" ? topic : `${topic}#${slug}`);

/**
 * The Markdown with each section that it names in quotes, as in `see "Limits"`, made a link to it. Code stays as it is. Where two sections are called alike, a
 * topic is meant.
 */
export function linkSections(text: string, sections: readonly Section[]): string {
  const places = new Map(
    sections.toSorted((a, b) => Number(a.slug === "") - Number(b.slug === "")).map((section) => [section.title, placeOf(section)]),
  );
  return text.replaceAll(/^```[\s\S]*?^```|`[^`\n]*`|"([^"\n]+)"/gmu, (whole, title: string | undefined) => {
    const place = title === undefined ? undefined : places.get(title);
    return place === undefined ? whole : `[${title ?? ""}](${place})`;
  });
}
