import { Highlight, Text } from "@mantine/core";
import { formatCountOf } from "../../format.ts";
import { paths } from "../../paths.ts";
import { TextLink } from "../../ui/buttons.tsx";
import { EmptyState } from "../../ui/paged-list.tsx";
import { allSections, topicTitle, type Section } from "./documentation.ts";
import classes from "./developers.module.css";

/** The matching sections, with the words marked. */
export function SearchHits({ query }: { query: string }) {
  const hits = searchSections(allSections, query);
  const words = wordsOf(query);
  return (
    <div>
      <Text size="sm" c="dimmed" role="status" mb="md">
        {formatCountOf(hits.length, "result")}
      </Text>
      {hits.length === 0 && <EmptyState title={`No topic mentions “${query}”`}>Try fewer words, or a part of one.</EmptyState>}
      <ul className={classes["hits"]} aria-label="Results">
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
  /** The text around the first match. */
  snippet: string;
}

const reach = 90;
const mostHits = 40;

const wordsOf = (query: string): string[] =>
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

/** Markdown without its markup. */
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
