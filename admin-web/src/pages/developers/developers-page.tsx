import { Anchor, Box, Highlight, NavLink, Stack, Text } from "@mantine/core";
import IconSearch from "@tabler/icons-react/dist/esm/icons/IconSearch.mjs";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch, useParams, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { bundleFileName, fillAddresses, isTopic, type KnownAddresses, topics } from "shared/docs/topics";
import { t } from "../../language.ts";
import { pages, paths } from "../../paths.ts";
import { trpc } from "../../trpc.ts";
import { SecondaryButton, TextLink } from "../../ui/base/buttons.tsx";
import { save } from "../../ui/base/files.tsx";
import { Awaiting, later, part } from "../../ui/base/later.tsx";
import { Columns, Rows, WideColumns } from "../../ui/base/layout.tsx";
import { Dimmed, FailureNotice, Loaded, Loading, Page, rich, Section, EmptyState } from "../../ui/base/page.tsx";
import { TextFilter } from "../../ui/list/filters.tsx";
import { tellState } from "../../ui/list/state-line.ts";
import { documentationBundle, type Hit, readSections, searchSections, topicGroups, topicTitle, wordsOf } from "./documentation.ts";
import { readDevelopersSearch } from "./route.ts";
import classes from "./developers.module.css";

// Each of them needs much that the others do not: the texts are drawn by a reader of Markdown.
const TopicText = part(async () => (await import("./topic-text.tsx")).TopicText);
const Reference = part(async () => (await import("./reference.tsx")).Reference);
const ReferenceHits = later(async () => (await import("./reference.tsx")).ReferenceHits);
const SignatureChecker = part(async () => (await import("./signature-checker.tsx")).SignatureChecker);

/** The names of the reference and of the checker among the topics. */
const referenceTopic = "reference";
const referenceTitle = t("API reference");
const signatureTopic = "signature-checker";
const signatureTitle = t("Check a signature");

const tools = [
  { beside: "quick-start", topic: signatureTopic, title: signatureTitle },
  { beside: "errors", topic: referenceTopic, title: referenceTitle },
];
const groups = topicGroups.map(({ label, topics }) => ({
  label,
  topics: [...topics, ...tools.flatMap(({ beside, topic }) => (topics.includes(beside) ? topic : []))],
}));
const titleOf = (topic: string): string => tools.find((tool) => tool.topic === topic)?.title ?? topicTitle(topic);

export function DevelopersPage() {
  const { q } = useSearch({ from: `/signed-in${paths.developers}` });
  const navigate = useNavigate();
  const addresses = useAddresses();
  const download = useMutation({ mutationFn: documentationBundle, onSuccess: (text) => save(bundleFileName, text) });
  return (
    <Page
      title={t("Documentation")}
      lead={tellState("developers", { topics: topics.length, filled: addresses.gateway !== null && 1 })}
      actions={
        <SecondaryButton loading={download.isPending} disabled={addresses.isPending} onClick={() => download.mutate(addresses)}>
          {t("Download Markdown")}
        </SecondaryButton>
      }
    >
      <FailureNotice title={t("Could not load the documentation")} of={download} />
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
      {q === undefined ? <TopicOverview /> : <SearchResult query={q} />}
    </Page>
  );
}

/** The addresses at which this installation is reached. */
function useAddresses(): KnownAddresses & { isPending: boolean } {
  const settings = trpc.settings.get.useQuery();
  return { gateway: settings.data?.gatewayUrl ?? null, admin: location.origin, isPending: settings.isPending };
}

/** The topics by group, and the signature checker. */
const TopicOverview = () => (
  <Columns least="15rem" gap="var(--mantine-spacing-xl)">
    {groups.map(({ label, topics }) => (
      <Section key={label} title={label}>
        <Stack component="ul" gap="0.4rem">
          {topics.map((topic) => (
            <li key={topic}>
              <TextLink {...pages.topic(topic)} underline="hover">
                {titleOf(topic)}
              </TextLink>
            </li>
          ))}
        </Stack>
      </Section>
    ))}
  </Columns>
);

function SearchResult({ query }: { query: string }) {
  const sections = useQuery({ queryKey: ["documentation"], staleTime: Infinity, queryFn: readSections });
  return (
    <Loaded query={sections} what={t("the documentation")}>
      {(all) => <SearchHits hits={searchSections(all, query)} query={query} />}
    </Loaded>
  );
}

/** The matching sections, with the words marked. */
function SearchHits({ hits, query }: { hits: readonly Hit[]; query: string }) {
  const words = wordsOf(query);
  const addresses = useAddresses();
  return (
    <div className={classes["hits"]}>
      <Dimmed role="status" mb="md">
        {t("{count, plural, one {# result} other {# results}}", { count: hits.length })}
      </Dimmed>
      {hits.length === 0 && (
        <EmptyState title={t("No topic mentions “{query}”", { query })}>{t("Try fewer words, or a part of one.")}</EmptyState>
      )}
      <Rows maw="46rem" aria-label={t("Results")}>
        {hits.map(({ section: { topic, title, slug }, snippet, anchor }) => (
          <Box component="li" key={`${topic}#${slug}`} py="sm">
            <TextLink {...pages.topic(topic)} hash={anchor} fw={600}>
              <Highlight highlight={words} component="span" inherit>
                {title}
              </Highlight>
            </TextLink>
            {slug !== "" && <Dimmed component="span">{t(" in {topic}", { topic: topicTitle(topic) })}</Dimmed>}
            <Highlight highlight={words} size="sm">
              {fillAddresses(snippet, addresses)}
            </Highlight>
          </Box>
        ))}
      </Rows>
      <ReferenceHits title={referenceTitle} words={words} />
    </div>
  );
}

/** A topic or the signature checker, beside the contents. */
export function TopicPage() {
  const { topic } = useParams({ from: `/signed-in${paths.topic}` });
  return (
    <WideColumns columns="13rem minmax(0, 1fr)">
      <TopicContents />
      <Box maw="50rem">
        <Box mb="sm" fz="sm" className={classes["back"] ?? ""}>
          <TextLink to={paths.developers} activeOptions={{ exact: true }}>
            {t("All topics")}
          </TextLink>
        </Box>
        <TopicOrTool topic={topic} />
      </Box>
    </WideColumns>
  );
}

function TopicOrTool({ topic }: { topic: string }) {
  const addresses = useAddresses();
  if (topic === signatureTopic)
    return (
      <Page title={signatureTitle} lead={t("What you paste stays on this page: it is not sent or stored.")}>
        <Part>
          <SignatureChecker />
        </Part>
      </Page>
    );
  if (topic !== referenceTopic && !isTopic(topic))
    return (
      <Page title={t("Topic not found")}>
        <EmptyState title={t("There is no topic “{topic}”", { topic })}>
          {rich(t("See <0>all topics</0>."), <TextLink to={paths.developers} />)}
        </EmptyState>
      </Page>
    );
  return (
    <Page title={titleOf(topic)} actions={<MarkdownLink topic={topic} />}>
      <Part>{topic === referenceTopic ? <Reference /> : <TopicText key={topic} topic={topic} addresses={addresses} />}</Part>
    </Page>
  );
}

const Part = ({ children }: { children: ReactNode }) => <Awaiting fallback={<Loading what={t("the page")} />}>{children}</Awaiting>;

/** The page as programs read it. */
const MarkdownLink = ({ topic }: { topic: string }) => (
  <Anchor underline="hover" href={`/developers/${topic}.md`}>
    {"Markdown"}
  </Anchor>
);

const TopicContents = () => (
  <Stack component="nav" gap="md" fz="sm" aria-label={t("Topics")} className={classes["contents"] ?? ""}>
    <TextLink to={paths.developers} activeOptions={{ exact: true }}>
      {t("Search all topics")}
    </TextLink>
    {groups.map(({ label, topics }) => (
      <div key={label} role="group" aria-label={label}>
        <Text size="xs" fw={600} c="dimmed" px="xs" pb={2}>
          {label}
        </Text>
        <Stack component="ul" gap={0}>
          {topics.map((topic) => (
            <Entry key={topic} topic={topic} title={titleOf(topic)} />
          ))}
        </Stack>
      </div>
    ))}
  </Stack>
);

const Entry = ({ topic, title }: { topic: string; title: string }) => (
  <li>
    <NavLink
      px="xs"
      py={3}
      bdrs="sm"
      label={title}
      renderRoot={(props) => (
        <Link {...pages.topic(topic)} activeOptions={{ includeHash: false }} activeProps={{ "data-active": true }} {...props} />
      )}
    />
  </li>
);
