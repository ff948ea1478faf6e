import { useParams } from "@tanstack/react-router";
import { paths } from "../../paths.ts";
import { Page } from "../../ui/page/page.tsx";
import { EmptyState } from "../../ui/states/empty-state.tsx";
import { TextLink } from "../../ui/text-link.tsx";
import { topicTitle } from "./docs/documentation.ts";
import { isTopic } from "./docs/topic-texts.ts";
import { SignatureChecker } from "./signature/signature-checker.tsx";
import { signatureTitle, signatureTopic } from "./signature/signature-topic.ts";
import { TopicContents } from "./topic-contents.tsx";
import { TopicText } from "./topic-text.tsx";
import classes from "./topic-page.module.css";

/** One topic, or the tool, beside the contents. */
export function TopicPage() {
  const { topic } = useParams({ from: `/signed-in${paths.topic}` });
  return (
    <div className={classes["columns"]}>
      <TopicContents />
      <div className={classes["topic"]}>
        <div className={classes["back"]}>
          <TextLink to={paths.developers} activeOptions={{ exact: true }}>
            All topics
          </TextLink>
        </div>
        <TopicOrTool topic={topic} />
      </div>
    </div>
  );
}

function TopicOrTool({ topic }: { topic: string }) {
  if (topic === signatureTopic)
    return (
      <Page title={signatureTitle} lead="What is pasted here is worked on in this page alone: it is not sent anywhere, and not kept.">
        <SignatureChecker />
      </Page>
    );
  if (!isTopic(topic))
    return (
      <Page title="No such topic">
        <EmptyState title={`Nothing is called “${topic}”`}>
          Look through <TextLink to={paths.developers}>all topics</TextLink>.
        </EmptyState>
      </Page>
    );
  return (
    <Page title={topicTitle(topic)}>
      <TopicText key={topic} topic={topic} />
    </Page>
  );
}
