import { Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type KnownAddresses, topics } from "shared/docs/topics";
import { t } from "../../language.ts";
import { pages } from "../../paths.ts";
import { TextLink } from "../../ui/base/buttons.tsx";
import { Loaded } from "../../ui/base/page.tsx";
import { readTopic, topicBody, topicTitle } from "./documentation.ts";
import { Prose, useScrollToHeading } from "./prose.tsx";

/** A topic, which loads for itself. */
export function TopicText({ topic, addresses }: { topic: string; addresses: KnownAddresses }) {
  const text = useQuery({ queryKey: ["documentation", topic], staleTime: Infinity, queryFn: () => readTopic(topic) });
  useScrollToHeading(text.data !== undefined);
  const place = topics.indexOf(topic);
  const [before, after] = [topics[place - 1], topics[place + 1]];
  return (
    <>
      <Loaded query={text} what={topicTitle(topic)}>
        {(markdown) => <Prose text={topicBody(markdown, addresses)} />}
      </Loaded>
      <Group component="nav" justify="space-between" fz="sm" mt="xl" aria-label={t("Previous and next topic")}>
        <span>{before !== undefined && <Neighbour topic={before} label={t("Previous: ")} />}</span>
        <span>{after !== undefined && <Neighbour topic={after} label={t("Next: ")} />}</span>
      </Group>
    </>
  );
}

const Neighbour = ({ topic, label }: { topic: string; label: string }) => (
  <TextLink {...pages.topic(topic)}>
    {label}
    {topicTitle(topic)}
  </TextLink>
);
