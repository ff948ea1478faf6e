import { Text, Anchor, Highlight } from "@mantine/core";
import IconSearch from "@tabler/icons-react/dist/esm/icons/IconSearch.mjs";
import { useNavigate, useSearch, useParams, Link, useLocation } from "@tanstack/react-router";
import { useEffect, Children, type ReactNode } from "react";
import Markdown, { type Components, type ExtraProps } from "react-markdown";
import remarkGfm from "remark-gfm";
import { bundleFileName, fillAddresses, type KnownAddresses, type Topic, topics } from "shared/docs/topics";
import { t } from "../../language.ts";
import { paths } from "../../paths.ts";
import { trpc } from "../../trpc.ts";
import { DownloadButton, TextLink } from "../../ui/buttons.tsx";
import { CodeBlock, languageOf } from "../../ui/code-sample.tsx";
import { TextFilter } from "../../ui/filters.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { EmptyState } from "../../ui/paged-list.tsx";
import { Rich } from "../../ui/rich.tsx";
import {
  documentationBundle,
  topicTitle,
  topicGroups,
  isTopic,
  topicBody,
  slugOf,
  allSections,
  searchSections,
  wordsOf,
} from "./documentation.ts";
import { readDevelopersSearch } from "./route.ts";
import { signatureTopic, signatureTitle, SignatureChecker } from "./signature-checker.tsx";
import classes from "./developers.module.css";

export function DevelopersPage() {
  const { q } = useSearch({ from: `/signed-in${paths.developers}` });
  const navigate = useNavigate();
  const addresses = useAddresses();
  return (
    <Page
      title={t("Developers")}
      lead={t("How to post events from your backend, and what happens to them.")}
      actions={
        <DownloadButton fileName={bundleFileName} text={documentationBundle(addresses)} disabled={addresses.isPending}>
          {t("Download Markdown")}
        </DownloadButton>
      }
    >
      <search aria-label={t("Documentation")}>
        <TextFilter
          aria-label={t("Search the documentation")}
          placeholder={t("Search the documentation")}
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

/** The addresses at which this installation is reached. */
function useAddresses(): KnownAddresses & { isPending: boolean } {
  const settings = trpc.settings.get.useQuery();
  return { gateway: settings.data?.gatewayUrl ?? null, admin: location.origin, isPending: settings.isPending };
}

/** The topics by group, and the signature checker. */
function TopicOverview() {
  return (
    <>
      <TextLink to={paths.topic} params={{ topic: signatureTopic }} className={classes["tool"] ?? ""}>
        <strong>{signatureTitle}</strong>
        <Text component="span" size="sm" c="dimmed">
          {t("Paste a body and the secret, and compare the result with what your code sends. Nothing leaves the page.")}
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

/** The matching sections, with the words marked. */
function SearchHits({ query }: { query: string }) {
  const hits = searchSections(allSections, query);
  const words = wordsOf(query);
  const addresses = useAddresses();
  return (
    <div>
      <Text size="sm" c="dimmed" role="status" mb="md">
        {t("{count, plural, one {# result} other {# results}}", { count: hits.length })}
      </Text>
      {hits.length === 0 && (
        <EmptyState title={t("No topic mentions “{query}”", { query })}>{t("Try fewer words, or a part of one.")}</EmptyState>
      )}
      <ul className={classes["hits"]} aria-label={t("Results")}>
        {hits.map(({ section: { topic, title, slug }, snippet }) => (
          <li key={`${topic}#${slug}`} className={classes["hit"]}>
            <TextLink to={paths.topic} params={{ topic }} hash={slug} className={classes["title"] ?? ""}>
              <Highlight highlight={words} component="span" inherit>
                {title}
              </Highlight>
            </TextLink>
            {slug !== "" && (
              <Text component="span" size="sm" c="dimmed">
                {t(" in {topic}", { topic: topicTitle(topic) })}
              </Text>
            )}
            <Highlight highlight={words} size="sm" className={classes["snippet"] ?? ""}>
              {fillAddresses(snippet, addresses)}
            </Highlight>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** A topic or the signature checker, beside the contents. */
export function TopicPage() {
  const { topic } = useParams({ from: `/signed-in${paths.topic}` });
  return (
    <div className={classes["columns"]}>
      <TopicContents />
      <div className={classes["topic"]}>
        <div className={classes["back"]}>
          <TextLink to={paths.developers} activeOptions={{ exact: true }}>
            {t("All topics")}
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
      <Page title={signatureTitle} lead={t("What you paste stays on this page: it is not sent or stored.")}>
        <SignatureChecker />
      </Page>
    );
  if (!isTopic(topic))
    return (
      <Page title={t("Topic not found")}>
        <EmptyState title={t("There is no topic “{topic}”", { topic })}>
          <Rich text={t("See <0>all topics</0>.")}>
            <TextLink to={paths.developers} />
          </Rich>
        </EmptyState>
      </Page>
    );
  return (
    <Page title={topicTitle(topic)}>
      <TopicText key={topic} topic={topic} />
    </Page>
  );
}

function TopicContents() {
  return (
    <nav aria-label={t("Topics")} className={classes["contents"]}>
      <TextLink to={paths.developers} activeOptions={{ exact: true }}>
        {t("Search all topics")}
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
            {topics.includes("quick-start") && <Entry topic={signatureTopic} title={signatureTitle} />}
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
  const addresses = useAddresses();
  const place = topics.indexOf(topic);
  const [before, after] = [topics[place - 1], topics[place + 1]];
  return (
    <>
      <Prose text={topicBody(topic, addresses)} />
      <nav aria-label={t("Previous and next topic")} className={classes["ends"]}>
        <span>{before !== undefined && <Neighbour topic={before} label={t("Previous: ")} />}</span>
        <span>{after !== undefined && <Neighbour topic={after} label={t("Next: ")} />}</span>
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

/** Scrolls to the heading of the hash, which the browser reads before the text is rendered. */
function useScrollToHeading(): void {
  const hash = useLocation({ select: (location) => location.hash });
  useEffect(() => {
    if (hash !== "") document.getElementById(hash)?.scrollIntoView();
  }, [hash]);
}

/** The page title is the topic's own heading, so the others are level 2. */
const components: Components = {
  h2: ({ children }) => <ProseHeading>{children}</ProseHeading>,
  h3: ({ children }) => <ProseHeading>{children}</ProseHeading>,
  a: ({ href, children }) => <ProseLink href={href}>{children}</ProseLink>,
  pre: ({ node }) => <ProseCode node={node} />,
  table: ({ children }) => (
    // A scrolling element must be reachable by keyboard.
    <div className={classes["wide"]} role="group" aria-label={t("Table")} tabIndex={0}>
      <table>{children}</table>
    </div>
  ),
};

/** Markdown without HTML. */
function Prose({ text }: { text: string }) {
  return (
    <div className={classes["prose"]} dir="ltr" lang="en">
      <Markdown remarkPlugins={[remarkGfm]} components={components} skipHtml>
        {text}
      </Markdown>
    </div>
  );
}

function ProseCode({ node }: ExtraProps) {
  const code = node?.children.find((child) => child.type === "element");
  const text = code?.children.find((child) => child.type === "text")?.value ?? "";
  const word = /language-(\S+)/u.exec(String(code?.properties["className"] ?? ""))?.[1];
  return <CodeBlock code={text} language={languageOf(word)} label={word === undefined ? t("Example") : t("Example in {word}", { word })} />;
}

/** A heading with a link to itself. */
function ProseHeading({ children }: { children: ReactNode }) {
  const title = Children.toArray(children)
    .filter((child) => typeof child === "string")
    .join("");
  const slug = slugOf(title);
  return (
    <h2 id={slug} className={classes["heading"]}>
      {children}{" "}
      <a href={`#${slug}`} className={classes["anchor"]} aria-label={t("Link to {title}", { title })}>
        #
      </a>
    </h2>
  );
}

/** A link to a topic, such as `templates#media-headers`, or to another site. */
function ProseLink({ href = "", children }: { href: string | undefined; children: ReactNode }) {
  const [topic = "", slug = ""] = href.split("#");
  if (isTopic(topic))
    return (
      <TextLink to={paths.topic} params={{ topic }} hash={slug}>
        {children}
      </TextLink>
    );
  return (
    <Anchor href={href} underline="always" inherit target="_blank" rel="noreferrer">
      {children}
    </Anchor>
  );
}
