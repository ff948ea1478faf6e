import { Highlight, Text } from "@mantine/core";
import { paths } from "../../paths.ts";
import { TextLink } from "../../ui/buttons.tsx";
import { EmptyState } from "../../ui/paged-list.tsx";
import { allSections, topicTitle, type Section } from "./documentation.ts";
import classes from "./developers.module.css";

/** Where the documentation speaks of it, with the words marked. */
export function SearchHits({ query }: { query: string }) {
  const hits = searchSections(allSections, query);
  const words = wordsOf(query);
  return (
    <div>
      <Text size="sm" c="dimmed" role="status" mb="md">
        {hits.length === 0 ? "Nothing found." : `${hits.length} ${hits.length === 1 ? "place" : "places"} found.`}
      </Text>
      {hits.length === 0 && <EmptyState title={`Nothing speaks of “${query}”`}>Try fewer words, or a part of one.</EmptyState>}
      <ul className={classes["hits"]} aria-label="Places found">
        {hits.map(({ section: { topic, title, slug }, snippet }) => (
          <li key={`${topic}#${slug}`} className={classes["hit"]}>
            <TextLink to={paths.topic} params={{ topic }} hash={slug} className={classes["title"] ?? ""}>
              <Highlight highlight={words} component="span" inherit>
                {title}
              </Highlight>
            </TextLink>
            {slug !== "" && (
              <Text component="span" size="sm" c="dimmed">
                {" "}
                in {topicTitle(topic)}
              </Text>
            )}
            <Highlight highlight={words} size="sm" className={classes["snippet"] ?? ""}>
              {snippet}
            </Highlight>
          </li>
        ))}
      </ul>
    </div>
  );
}

export interface Hit {
  section: Section;
  /** The text around the first word that was found. */
  snippet: string;
}

const reach = 90;
const mostHits = 40;

/** The words that a query looks for. */
const wordsOf = (query: string): string[] =>
  query
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== "");

/** The sections that hold every word, in any case; those whose heading does first, then in the order of the documentation. */
export function searchSections(sections: readonly Section[], query: string): Hit[] {
  const words = wordsOf(query);
  if (words.length === 0) return [];
  const found = sections.flatMap((section) => {
    const text = plainText(section.text);
    const title = section.title.toLowerCase();
    const all = `${title} ${text.toLowerCase()}`;
    if (!words.every((word) => all.includes(word))) return [];
    return [{ section, snippet: snippetOf(text, words), inTitle: words.filter((word) => title.includes(word)).length }];
  });
  return found
    .toSorted((a, b) => b.inTitle - a.inTitle)
    .slice(0, mostHits)
    .map(({ section, snippet }) => ({ section, snippet }));
}

function snippetOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const places = words.map((word) => lower.indexOf(word)).filter((at) => at >= 0);
  const at = places.length === 0 ? 0 : Math.min(...places);
  // Whole words only.
  const start = at <= reach ? 0 : text.indexOf(" ", at - reach) + 1;
  const end = at + 2 * reach >= text.length ? text.length : text.lastIndexOf(" ", at + 2 * reach);
  return `${start > 0 ? "… " : ""}${text.slice(start, Math.max(end, at))}${end < text.length ? " …" : ""}`;
}

/** What Markdown says, without its marks: for a search and its snippets. */
export const plainText = (markdown: string): string =>
  markdown
    .replaceAll(/^```.*$/gmu, "")
    .replaceAll(/^\|[-| :]+\|$/gmu, "")
    .replaceAll(/^\| *| *\|$/gmu, "")
    .replaceAll(/ *\| */gu, ", ")
    .replaceAll(/^(?:[-*]|\d+\.) /gmu, "")
    .replaceAll(/\*\*|`/gu, "")
    .replaceAll(/\s+/gu, " ")
    .trim();
