import { Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { paths } from "../../paths.ts";
import { TextLink } from "../../ui/text-link.tsx";
import { topicTitle } from "./docs/documentation.ts";
import { topicGroups } from "./docs/topic-groups.ts";
import { signatureTitle, signatureTopic } from "./signature/signature-topic.ts";
import classes from "./topic-page.module.css";

/** Every topic, beside the one that is read. */
export function TopicContents() {
  return (
    <nav aria-label="Topics" className={classes["contents"]}>
      <TextLink to={paths.developers} activeOptions={{ exact: true }}>
        Search all topics
      </TextLink>
      {topicGroups.map(({ label, topics }) => (
        <section key={label} aria-label={label}>
          <Text size="xs" fw={600} c="dimmed" px="xs" pb={2}>
            {label}
          </Text>
          <ul className={classes["group"]}>
            {topics.map((topic) => (
              <Entry key={topic} topic={topic} title={topicTitle(topic)} />
            ))}
            {label === "Begin" && <Entry topic={signatureTopic} title={signatureTitle} />}
          </ul>
        </section>
      ))}
    </nav>
  );
}

function Entry({ topic, title }: { topic: string; title: string }) {
  return (
    <li>
      <Link to={paths.topic} params={{ topic }} activeOptions={{ includeHash: false }} className={classes["entry"]}>
        {title}
      </Link>
    </li>
  );
}
