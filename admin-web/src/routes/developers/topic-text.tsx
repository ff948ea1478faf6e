import { useLocation } from "@tanstack/react-router";
import { useEffect } from "react";
import { type Topic, topics } from "shared/docs/topics";
import { paths } from "../../paths.ts";
import { TextLink } from "../../ui/text-link.tsx";
import { topicBody, topicTitle } from "./docs/documentation.ts";
import { Prose } from "./markdown/prose.tsx";
import classes from "./topic-page.module.css";

export function TopicText({ topic }: { topic: Topic }) {
  useScrollToHeading();
  const place = topics.indexOf(topic);
  const [before, after] = [topics[place - 1], topics[place + 1]];
  return (
    <>
      <Prose text={topicBody(topic)} />
      <nav aria-label="Before and after" className={classes["ends"]}>
        <span>{before !== undefined && <Neighbour topic={before} label="Before: " />}</span>
        <span>{after !== undefined && <Neighbour topic={after} label="Next: " />}</span>
      </nav>
    </>
  );
}

function Neighbour({ topic, label }: { topic: Topic; label: string }) {
  return (
    <TextLink to={paths.topic} params={{ topic }}>
      {label}
      {topicTitle(topic)}
    </TextLink>
  );
}

/** The address was read before the text was there to be scrolled. */
function useScrollToHeading(): void {
  const hash = useLocation({ select: (location) => location.hash });
  useEffect(() => {
    if (hash !== "") document.getElementById(hash)?.scrollIntoView();
  }, [hash]);
}
