import { type Topic, toBundle, topics } from "shared/docs/topics";
import { linkSections } from "./cross-links.ts";
import { type Section, sectionsOf } from "./sections.ts";
import { topicText } from "./topic-texts.ts";

/** Every section of the documentation, in its order. */
export const allSections: readonly Section[] = topics.flatMap((topic) => sectionsOf(topic, topicText(topic)));

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
