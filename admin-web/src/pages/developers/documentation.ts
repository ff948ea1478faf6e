import { fillAddresses, type KnownAddresses, toBundle, topics, topicsByGroup } from "shared/docs/topics";
import { t } from "../../language.ts";
import { tableOf } from "../../ui/base/labels.ts";
import groupLabels from "./group-labels.json";
import headings from "./headings.json";

export const topicTitle = (topic: string): string =>
  topic === "overview" ? t("Overview") : (places.find((place) => place.topic === topic)?.title ?? topic);

/** Markdown below the topic's own heading, with its references as links. */
export const topicBody = (text: string, addresses: KnownAddresses): string =>
  linkSections(
    fillAddresses(text, addresses)
      .trim()
      .replace(/^#.*\n/u, ""),
  );

export async function documentationBundle(addresses: KnownAddresses): Promise<string> {
  const texts = await Promise.all(topics.map(readTopic));
  const bundle = toBundle((topic) => texts[topics.indexOf(topic)] ?? "");
  return fillAddresses(bundle, addresses);
}

/** A heading. */
interface Place {
  topic: string;
  title: string;
  /** The anchor; empty for the topic's own heading. */
  slug: string;
}

/** A heading with the text up to the next one. */
export interface Section extends Place {
  /** Markdown. */
  text: string;
}

/** Turns section titles in quotes, as in `see "Limits"`, into links, except in code. A topic comes before a section of the same title. */
export function linkSections(text: string): string {
  const targets = new Map(
    places
      .toSorted((a, b) => Number(a.slug === "") - Number(b.slug === ""))
      .map(({ topic, title, slug }) => [title, slug === "" ? topic : `${topic}#${slug}`]),
  );
  return text.replaceAll(/^```[\s\S]*?^```|`[^`\n]*`|"([^"\n]+)"/gmu, (whole, title: string | undefined) => {
    const target = title === undefined ? undefined : targets.get(title);
    return target === undefined ? whole : `[${title ?? ""}](${target})`;
  });
}

/** The sections of a topic; the first has the topic's own heading. */
export function sectionsOf(topic: string, text: string): Section[] {
  const sections: Section[] = [];
  let inFence = false;
  for (const line of text.trim().split("\n")) {
    if (line.startsWith("```")) inFence = !inFence;
    const title = inFence ? undefined : /^#+ (.*)$/u.exec(line)?.[1];
    const last = sections.at(-1);
    if (title !== undefined) sections.push({ topic, title, slug: last === undefined ? "" : slugOf(title), text: "" });
    else if (last !== undefined) last.text += `${line}\n`;
  }
  return sections;
}

/** A heading's anchor. */
export const slugOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
    .replaceAll(/^-|-$/gu, "");

/** Every heading, in reading order: a page names them all, and loads the text of one topic. */
export const places: readonly Place[] = topics.flatMap((topic) =>
  ((headings as Partial<Record<string, string>>)[topic] ?? "")
    .split("\n")
    .map((title, index) => ({ topic, title, slug: index === 0 ? "" : slugOf(title) })),
);

// The files are part of the build, so that no other host is asked.
const files = import.meta.glob<string>("../../../../shared/src/docs/*.md", { query: "?raw", import: "default" });

export async function readTopic(topic: string): Promise<string> {
  const text = await files[`../../../../shared/src/docs/${topic}.md`]?.();
  if (text === undefined) throw new Error(`The build lacks the topic ${topic}`);
  return /^\{(?:sample|codes) /mu.test(text) ? (await import("./topic-samples.ts")).withSamples(text) : text;
}

/** Every section, in reading order. */
export const readSections = async () => (await Promise.all(topics.map(async (topic) => sectionsOf(topic, await readTopic(topic))))).flat();

/** Every topic by group, in reading order. */
export const topicGroups = Object.entries(tableOf(groupLabels)).map(([group, label]) => ({ label, topics: topicsByGroup[group] ?? [] }));

export interface Hit {
  section: Section;
  /** The text around the first match. */
  snippet: string;
  /** The place in the topic: the row of the code that was searched for, else the section's heading. */
  anchor: string;
}

const reach = 90;
const mostHits = 40;

export const wordsOf = (query: string): string[] =>
  query
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== "");

/** The sections with every word, in any case. Matches in headings come first, then reading order. */
export function searchSections(sections: readonly Section[], query: string): Hit[] {
  const words = wordsOf(query);
  if (words.length === 0) return [];
  const found = sections.flatMap((section) => {
    const text = plainText(section.text);
    const title = section.title.toLowerCase();
    const all = `${title} ${text.toLowerCase()}`;
    if (!words.every((word) => all.includes(word))) return [];
    const isRow = section.text
      .split("\n")
      .some((line) => line.startsWith("|") && line.toLowerCase().includes(`\`${query.trim().toLowerCase()}\` |`));
    const inTitle = words.filter((word) => title.includes(word)).length + Number(isRow);
    return [{ section, snippet: snippetOf(text, words), anchor: isRow ? slugOf(query) : section.slug, inTitle }];
  });
  return found
    .toSorted((a, b) => b.inTitle - a.inTitle)
    .slice(0, mostHits)
    .map(({ section, snippet, anchor }) => ({ section, snippet, anchor }));
}

function snippetOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const places = words.map((word) => lower.indexOf(word)).filter((at) => at >= 0);
  const at = places.length === 0 ? 0 : Math.min(...places);
  // The snippet begins with a whole word.
  const start = at <= reach ? 0 : text.indexOf(" ", at - reach) + 1;
  const end = at + 2 * reach >= text.length ? text.length : text.lastIndexOf(" ", at + 2 * reach);
  return `${start > 0 ? "… " : ""}${text.slice(start, Math.max(end, at))}${end < text.length ? " …" : ""}`;
}

/** Markdown without its markup. */
export const plainText = (markdown: string): string =>
  markdown
    .replaceAll(/^```.*$/gmu, "")
    .replaceAll(/^\|[-| :]+\|$/gmu, "")
    .replaceAll(/^\| *|(?<! ) *\|$/gmu, "")
    .replaceAll(/(?<! ) *\| */gu, ", ")
    .replaceAll(/^(?:[-*]|\d+\.) /gmu, "")
    .replaceAll(/\*\*|`/gu, "")
    .replaceAll(/\s+/gu, " ")
    .trim();
