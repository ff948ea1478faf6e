import { Text } from "@mantine/core";
import { paths } from "../../paths.ts";
import { Section } from "../../ui/page/section.tsx";
import { TextLink } from "../../ui/text-link.tsx";
import { topicTitle } from "./docs/documentation.ts";
import { topicGroups } from "./docs/topic-groups.ts";
import { signatureTopic, signatureTitle } from "./signature/signature-topic.ts";
import classes from "./topic-overview.module.css";

/** Every topic under what it is about, and the tool beside them. */
export function TopicOverview() {
  return (
    <>
      <TextLink to={paths.topic} params={{ topic: signatureTopic }} className={classes["tool"] ?? ""}>
        <strong>{signatureTitle}</strong>
        <Text component="span" size="sm" c="dimmed">
          Paste a body and the secret, and compare with what your code sends. Nothing leaves the page.
        </Text>
      </TextLink>
      <div className={classes["groups"]}>
        {topicGroups.map(({ label, topics }) => (
          <Section key={label} title={label}>
            <ul className={classes["topics"]}>
              {topics.map((topic) => (
                <li key={topic}>
                  <TextLink to={paths.topic} params={{ topic }} underline="hover">
                    {topicTitle(topic)}
                  </TextLink>
                </li>
              ))}
            </ul>
          </Section>
        ))}
      </div>
    </>
  );
}
