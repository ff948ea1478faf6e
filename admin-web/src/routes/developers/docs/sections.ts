import type { Topic } from "shared/docs/topics";

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
