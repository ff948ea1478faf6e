import { type Topic, toBundle, topics } from "shared/docs/topics";

/** What a topic is called. */
export const topicTitle = (topic: Topic): string =>
  topic === "overview" ? "Overview" : (allSections.find((section) => section.topic === topic)?.title ?? topic);

/** What a topic says below its own heading, as Markdown with links to what it names. */
export const topicBody = (topic: Topic): string =>
  linkSections(
    topicText(topic)
      .trim()
      .replace(/^#.*\n/u, ""),
    allSections,
  );

export const documentationBundle = (): string => toBundle(topicText);

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

/** A heading of a topic with what stands below it, up to the next. */
export interface Section {
  topic: Topic;
  title: string;
  /** Its place on the topic's page; empty for the topic's own heading. */
  slug: string;
  /** Markdown. */
  text: string;
}

/** A topic in its sections; the first is the topic's own. */
export function sectionsOf(topic: Topic, text: string): Section[] {
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

/** How a heading is called in an address. */
export const slugOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
    .replaceAll(/^-|-$/gu, "");

// Taken into the build: the dashboard asks no other host for them.
const files = import.meta.glob<string>("../../../../shared/src/docs/*.md", { query: "?raw", import: "default", eager: true });

const texts = new Map(Object.entries(files).map(([path, text]) => [path.replace(/^.*\/|\.md$/gu, ""), text]));

export const isTopic = (name: string): name is Topic => topics.some((topic) => topic === name);

/** A topic's Markdown. */
function topicText(topic: Topic): string {
  const text = texts.get(topic);
  if (text === undefined) throw new Error(`The build lacks the topic ${topic}`);
  return text;
}

/** Every section of the documentation, in its order. */
export const allSections: readonly Section[] = topics.flatMap((topic) => sectionsOf(topic, topicText(topic)));

/** The topics as somebody looks for them: in their order, under what they are about. */
export const topicGroups: { label: string; topics: Topic[] }[] = [
  { label: "Begin", topics: ["overview", "quick-start", "authentication", "sites"] },
  { label: "Post events", topics: ["events", "ingest", "idempotency", "dry-run"] },
  { label: "Send messages", topics: ["bindings", "templates", "statuses", "log"] },
  { label: "Privacy", topics: ["opted-out", "keeping"] },
  { label: "Look up", topics: ["errors", "limits", "changes"] },
  { label: "Your account", topics: ["platform-setup", "sandbox", "people", "tools", "audit"] },
  { label: "Run it", topics: ["operating", "backup", "outbound-webhooks"] },
];
