import { Text } from "@mantine/core";
import IconSearch from "@tabler/icons-react/dist/esm/icons/IconSearch.mjs";
import { useNavigate, useSearch, useParams, Link, useLocation } from "@tanstack/react-router";
import { useEffect } from "react";
import { bundleFileName, type Topic, topics } from "shared/docs/topics";
import { paths } from "../../paths.ts";
import { DownloadButton, TextLink } from "../../ui/buttons.tsx";
import { TextFilter } from "../../ui/filters.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { EmptyState } from "../../ui/paged-list.tsx";
import { documentationBundle, topicTitle, topicGroups, isTopic, topicBody } from "./documentation.ts";
import { Prose } from "./prose.tsx";
import { readDevelopersSearch } from "./route.ts";
import { SearchHits } from "./search.tsx";
import { signatureTopic, signatureTitle, SignatureChecker } from "./signature-checker.tsx";
import classes from "./developers.module.css";

export function DevelopersPage() {
  const { q } = useSearch({ from: `/signed-in${paths.developers}` });
  const navigate = useNavigate();
  return (
    <Page
      title="Developers"
      lead="How your backend posts events, and all that becomes of them."
      actions={
        <DownloadButton fileName={bundleFileName} text={documentationBundle()}>
          Download all as Markdown
        </DownloadButton>
      }
    >
      <search aria-label="Documentation">
        <TextFilter
          aria-label="Search the documentation"
          placeholder="Search the documentation"
          leftSection={<IconSearch size={16} aria-hidden />}
          maw="32rem"
          value={q}
          onChange={(text) => void navigate({ to: paths.developers, search: readDevelopersSearch({ q: text }), replace: true })}
        />
      </search>
      {q === undefined ? <TopicOverview /> : <SearchHits query={q} />}
    </Page>
  );
}

/** Every topic under what it is about, and the tool beside them. */
function TopicOverview() {
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

/** Every topic, beside the one that is read. */
function TopicContents() {
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

function TopicText({ topic }: { topic: Topic }) {
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
