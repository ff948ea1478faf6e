import { Highlight, Text } from "@mantine/core";
import { paths } from "../../../paths.ts";
import { EmptyState } from "../../../ui/states/empty-state.tsx";
import { TextLink } from "../../../ui/text-link.tsx";
import { allSections, topicTitle } from "../docs/documentation.ts";
import { searchSections, wordsOf } from "./search-sections.ts";
import classes from "./search-hits.module.css";

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
