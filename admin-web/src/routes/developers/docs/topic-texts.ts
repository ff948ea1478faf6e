import { type Topic, topics } from "shared/docs/topics";

// Taken into the build: the dashboard asks no other host for them.
const files = import.meta.glob<string>("../../../../../shared/src/docs/*.md", { query: "?raw", import: "default", eager: true });

const texts = new Map(Object.entries(files).map(([path, text]) => [path.replace(/^.*\/|\.md$/gu, ""), text]));

export const isTopic = (name: string): name is Topic => topics.some((topic) => topic === name);

/** A topic's Markdown. */
export function topicText(topic: Topic): string {
  const text = texts.get(topic);
  if (text === undefined) throw new Error(`The build lacks the topic ${topic}`);
  return text;
}
