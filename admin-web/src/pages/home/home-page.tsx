import { Group, SegmentedControl, Stack } from "@mantine/core";
import { useSearch, useNavigate } from "@tanstack/react-router";
import { formatTime } from "../../format.ts";
import { t, translated } from "../../language.ts";
import { paths } from "../../paths.ts";
import { useMe } from "../../session.tsx";
import { trpc, type Outputs } from "../../trpc.ts";
import { later } from "../../ui/base/later.tsx";
import { FailureNotice, Page, EmptyState } from "../../ui/base/page.tsx";
import { useMay } from "../../ui/base/role.ts";
import { useModeOf } from "../../ui/base/site-mode.ts";
import { SiteSelect } from "../../ui/form/pickers.tsx";
import { BacklogSection, type CountedSites } from "../../ui/list/backlog.tsx";
import { tellState } from "../../ui/list/state-line.ts";
import { CredentialsEnded } from "../../ui/person/credentials-ended.tsx";
import { EmailUnproven } from "../../ui/person/email-unproven.tsx";
import { mostProblems, ProblemsSection } from "../../ui/problem/problems.tsx";
import { GetStarted } from "../../ui/table/data-table.tsx";
import labels from "./concern-labels.json";
import { Deliveries, HomeSkeleton } from "./deliveries.tsx";
import { spans, type HomeSearch, readHomeSearch } from "./route.ts";

export function HomePage() {
  const search = useSearch({ from: `/signed-in${paths.home}` });
  const settings = trpc.settings.get.useQuery();
  const sites = useModeOf({ siteId: search.siteId });
  const newest = trpc.notifications.list.useQuery({ limit: 1 }, { refetchInterval: ({ state }) => state.data?.items.length === 0 && 3000 });
  const isNew = newest.data?.items.length === 0;
  const state = useStateLine(sites, isNew);
  const isKnown = settings.data !== undefined && (newest.data !== undefined || newest.error !== null);
  return (
    <Page title={t("Home")} lead={isKnown ? state : ""} actions={isNew ? null : <HomeFilters search={search} />}>
      <FailureNotice title={t("Could not load the settings")} of={settings} />
      <EmailUnproven {...useMe().user} />
      <CredentialsEnded at={useMe().credentialsEndedAt} forDays={7} />
      {!isKnown && settings.error === null && <HomeSkeleton />}
      {isKnown && sites.siteMode !== "test" && (
        <ProblemsSection siteId={search.siteId}>
          <PeopleConcerns />
        </ProblemsSection>
      )}
      {isNew && (
        <EmptyState title={t("Nothing sent yet")} action={<GetStarted />}>
          {t(
            "A site, a template, a binding and an event lead to the first message. After that, this page shows messages sent, delivery results, and problems.",
          )}
        </EmptyState>
      )}
      {isKnown && !isNew && (
        <>
          <BacklogSection sites={sites} />
          <Deliveries timezone={settings.data.timezone} days={search.days ?? spans[0]} sites={sites} />
        </>
      )}
    </Page>
  );
}

/** How things stand, by what the page asks for anyway; what waits has its own section. */
function useStateLine(sites: CountedSites, isNew: boolean) {
  const isLive = sites.siteMode !== "test";
  const problems = trpc.problems.list.useQuery({ state: "open", siteId: sites.siteId, limit: mostProblems }, { enabled: isLive }).data;
  const open = problems?.items.length;
  return tellState("home", { fresh: isNew && 1, open: isLive && !(isNew && open === 0) && open });
}

const spanChoices = spans.map((days) => ({ value: String(days), label: t("{days} days", { days }) }));

/** The filters are kept in the address, so that a view can be shared and reloaded. */
function HomeFilters({ search }: { search: HomeSearch }) {
  const navigate = useNavigate();
  const change = (changes: Record<keyof HomeSearch, unknown>) =>
    void navigate({ to: paths.home, search: readHomeSearch(changes), replace: true });
  return (
    <Group gap="sm">
      <SiteSelect
        label={null}
        aria-label={t("Site")}
        placeholder={t("All sites")}
        size="sm"
        w="12rem"
        clearable
        value={search.siteId ?? null}
        onChange={(siteId) => change({ days: search.days, siteId })}
      />
      <SegmentedControl
        aria-label={t("Days shown")}
        data={spanChoices}
        value={String(search.days ?? spans[0])}
        onChange={(days) => change({ siteId: search.siteId, days: Number(days) })}
      />
    </Group>
  );
}

const ProblemCard = later(async () => (await import("../../ui/problem/problem-card.tsx")).ProblemCard);

type PersonConcern = Outputs["audit"]["concerns"]["items"][number];

/** What an owner should know of the other people of the account. It is not a problem of messages, and only owners see it. */
function PeopleConcerns() {
  const concerns = trpc.audit.concerns.useQuery(undefined, { refetchInterval: 60_000, enabled: useMay("owner") });
  const { data, error } = concerns;
  if (error !== null) return <FailureNotice title={t("Could not check what happened to people")} of={concerns} />;
  if (data === undefined || data.items.length === 0) return null;
  return (
    <Stack gap={8}>
      {data.items.map((concern) => (
        <ProblemCard key={keyOf(concern)} problem={cardOf(concern)} />
      ))}
    </Stack>
  );
}

const keyOf = (concern: PersonConcern): string => ("userId" in concern ? `${concern.kind} ${concern.userId}` : concern.kind);

const unknown = { state: "open", counted: null, reopenedAt: null, snoozedUntil: null, acknowledgedBy: null, note: null } as const;

function cardOf(concern: PersonConcern) {
  const [title = "", advice = ""] = words[concern.kind].map((text) => translated(text, { ...concern, at: formatTime(concern.at) }));
  return {
    ...unknown,
    id: keyOf(concern),
    title,
    advice,
    beganAt: concern.at,
    lastAt: concern.at,
    actions: [{ kind: "open" as const, path: "userId" in concern ? paths.people : paths.privacy }],
  };
}

/** The title and the advice. */
const words: Record<PersonConcern["kind"], string[]> = labels;
