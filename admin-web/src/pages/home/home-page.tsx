import { Group, SegmentedControl, Button, Card, Stack, Text, Title, Alert } from "@mantine/core";
import IconAlertTriangle from "@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs";
import IconRoute from "@tabler/icons-react/dist/esm/icons/IconRoute.mjs";
import { useSearch, useNavigate, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { describeReason } from "shared/core/reason";
import type { TemplateStatus } from "shared/core/template/definition";
import { formatCountOf, formatTime } from "../../format.ts";
import { paths } from "../../paths.ts";
import { useMay, useMe } from "../../session.tsx";
import { trpc, type Outputs } from "../../trpc.ts";
import { TextLink } from "../../ui/buttons.tsx";
import { CredentialsEnded } from "../../ui/credentials-ended.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Moment } from "../../ui/facts.tsx";
import { FailureNotice } from "../../ui/page-states.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { EmptyState } from "../../ui/paged-list.tsx";
import { SiteSelect } from "../../ui/pickers.tsx";
import { Silence } from "../../ui/silence.tsx";
import { StatusBadge } from "../../ui/status-badge.tsx";
import { rejectionAdvice } from "../../ui/template-words.tsx";
import { BacklogSection } from "./backlog.tsx";
import { Deliveries, HomeSkeleton } from "./deliveries.tsx";
import { spans, type HomeSearch, readHomeSearch } from "./route.ts";
import classes from "./home.module.css";

export function HomePage() {
  const search = useSearch({ from: `/signed-in${paths.home}` });
  const settings = trpc.settings.get.useQuery();
  const recent = useRecent(search.siteId);
  const isNew = search.siteId === undefined && recent.items?.length === 0;
  const isKnown = settings.data !== undefined && (recent.items !== undefined || recent.error !== null);
  return (
    <Page
      title="Overview"
      lead="Messages sent, delivery results, and what needs attention."
      actions={isNew ? null : <HomeFilters search={search} />}
    >
      {settings.error !== null && (
        <FailureNotice title="Could not load the settings" error={settings.error} onRetry={() => void settings.refetch()} />
      )}
      <CredentialsEnded at={useMe().credentialsEndedAt} forDays={7} />
      {settings.data !== undefined && <PlatformNotice {...settings.data.platform} />}
      {!isKnown && settings.error === null && <HomeSkeleton />}
      {isNew && <NothingYet />}
      {isKnown && !isNew && (
        <>
          <Attention />
          <BacklogSection siteId={search.siteId} />
          <Deliveries timezone={settings.data.timezone} days={search.days ?? spans[0]} siteId={search.siteId} />
          <RecentMessages {...recent} />
        </>
      )}
    </Page>
  );
}

const spanChoices = spans.map((days) => ({ value: String(days), label: `${days} days` }));

/** The filters are kept in the address, so that a view can be shared and reloaded. */
function HomeFilters({ search }: { search: HomeSearch }) {
  const navigate = useNavigate();
  const change = (changes: Record<keyof HomeSearch, unknown>) =>
    void navigate({ to: paths.home, search: readHomeSearch(changes), replace: true });
  return (
    <Group gap="sm">
      <SiteSelect
        label={null}
        aria-label="Site"
        placeholder="All sites"
        size="sm"
        w="12rem"
        clearable
        value={search.siteId ?? null}
        onChange={(siteId) => change({ days: search.days, siteId })}
      />
      <SegmentedControl
        aria-label="Days shown"
        data={spanChoices}
        value={String(search.days ?? spans[0])}
        onChange={(days) => change({ siteId: search.siteId, days: Number(days) })}
      />
    </Group>
  );
}

function NothingYet() {
  return (
    <Card withBorder padding="xl">
      <Stack align="center" gap="md" ta="center" py="lg">
        <IconRoute size={40} stroke={1.5} color="var(--mantine-color-anchor)" aria-hidden />
        <div>
          <Title order={2} size="h3">
            Nothing sent yet
          </Title>
          <Text c="dimmed" maw="30rem" mt={4}>
            Four steps lead to the first message: a site, a template, a binding and an event. After that, this page shows messages sent,
            delivery results, and what needs attention.
          </Text>
        </div>
        <Button component={Link} to={paths.gettingStarted}>
          Get started
        </Button>
      </Stack>
    </Card>
  );
}

interface PlatformNoticeProps {
  configured: boolean;
  problem: { code: string; reason: string; since: string } | null;
}

/** Warns when nothing can be sent. */
function PlatformNotice({ configured, problem }: PlatformNoticeProps) {
  if (!configured) {
    return (
      <Alert color="yellow" title="WhatsApp is not connected">
        Events are stored, but nothing is sent until you connect WhatsApp. <ToSettings>Connect WhatsApp</ToSettings>
      </Alert>
    );
  }
  if (problem === null) return null;
  return (
    <Alert color="red" title="WhatsApp refuses this account">
      {problem.reason} (code {problem.code}, since <Moment at={problem.since} />) <ToSettings>Check the connection</ToSettings>
    </Alert>
  );
}

function ToSettings({ children }: { children: string }) {
  return (
    <TextLink to={paths.platform} size="sm" underline="always" c="inherit">
      {children}
    </TextLink>
  );
}

const recentColumns: Column<RecentMessage>[] = [
  { name: "To", kind: "title", cell: (message) => <Recipient {...message} /> },
  { name: "Template", cell: ({ template, language }) => `${template} (${language})` },
  { name: "Status", cell: (message) => <Status {...message} /> },
  { name: "When", kind: "short", cell: ({ createdAt }) => <Moment at={createdAt} /> },
];

function RecentMessages({ items, error, retry }: Recent) {
  return (
    <Section
      title="Recent messages"
      actions={
        <TextLink to={paths.log} size="sm">
          Open log
        </TextLink>
      }
    >
      {error !== null && <FailureNotice title="Could not load the log" error={error} onRetry={retry} />}
      {items?.length === 0 && (
        <Card withBorder>
          <EmptyState title="No messages from this site yet">Its messages show here once an event matches a binding.</EmptyState>
        </Card>
      )}
      {items !== undefined && items.length > 0 && (
        <DataTable label="Recent messages" columns={recentColumns} rows={items} rowKey={({ id }) => id} />
      )}
    </Section>
  );
}

function Recipient({ id, toPhone }: RecentMessage) {
  return (
    <TextLink to={paths.log} search={{ open: id }} inherit>
      {toPhone}
    </TextLink>
  );
}

function Status({ status, error, explanation, errorReason }: RecentMessage) {
  return (
    <div>
      <StatusBadge status={status} />
      {status === "failed" && (
        <Text size="xs" c="dimmed" mt={2}>
          {error === null || error.title === null ? errorReason : explanation?.text}
        </Text>
      )}
    </div>
  );
}

const pollMs = 3000;

type RecentMessage = Outputs["notifications"]["list"]["items"][number];

interface Recent {
  /** Undefined while loading. */
  items: RecentMessage[] | undefined;
  error: { message: string } | null;
  retry: () => void;
}

/** The last messages, of one site if given. */
function useRecent(siteId: string | undefined): Recent {
  const { data, error, refetch } = trpc.notifications.list.useQuery({ siteId, limit: 10 }, { refetchInterval: pollMs });
  return { items: data?.items, error, retry: () => void refetch() };
}

/** Problems that need somebody; nothing while there are none. */
function Attention() {
  const { concerns, error, retry } = useConcerns();
  if (error !== null) return <FailureNotice title="Could not check what needs attention" error={error} onRetry={retry} />;
  if (concerns.length === 0) return null;
  return (
    <Section title="Needs attention">
      <Card withBorder padding={0}>
        <ul className={classes["attentionList"]}>
          {concerns.map((concern) => (
            <ConcernItem key={`${concern.kind} ${concern.id}`} {...concern} />
          ))}
        </ul>
      </Card>
    </Section>
  );
}

function ConcernItem(concern: Concern) {
  return (
    <li className={classes["attentionItem"]}>
      <IconAlertTriangle size={18} className={classes["icon"]} aria-hidden />
      <div>
        <ConcernLink {...concern}>{concern.title}</ConcernLink>
        <Text size="sm" c="dimmed">
          {concern.kind === "site" ? <Silence {...concern.site} /> : concern.text}
        </Text>
      </div>
    </li>
  );
}

function ConcernLink({ kind, id, children }: Pick<Concern, "kind" | "id"> & { children: ReactNode }) {
  switch (kind) {
    case "person":
      return <TextLink to={paths.people}>{children}</TextLink>;
    case "dataKey":
      return <TextLink to={paths.general}>{children}</TextLink>;
    case "platform":
      return <TextLink to={paths.platform}>{children}</TextLink>;
    case "secret":
    case "site":
      return (
        <TextLink to={paths.site} params={{ siteId: id }}>
          {children}
        </TextLink>
      );
    case "template":
      return (
        <TextLink to={paths.template} params={{ templateId: id }}>
          {children}
        </TextLink>
      );
    case "binding":
      return (
        <TextLink to={paths.binding} params={{ bindingId: id }}>
          {children}
        </TextLink>
      );
  }
}

const concernOptions = { refetchInterval: 60_000 };

/** The queries travel as one batched request. */
function useConcerns(): { concerns: Concern[]; error: { message: string } | null; retry: () => void } {
  const sites = trpc.stats.silentSites.useQuery(undefined, concernOptions);
  const unreadable = trpc.sites.unreadable.useQuery(undefined, concernOptions);
  const rejected = trpc.templates.list.useQuery({ status: "rejected" }, concernOptions);
  const paused = trpc.templates.list.useQuery({ status: "paused" }, concernOptions);
  const disabled = trpc.templates.list.useQuery({ status: "disabled" }, concernOptions);
  const bindings = trpc.bindings.list.useQuery({ limit: 200 }, concernOptions);
  const people = trpc.audit.concerns.useQuery(undefined, { ...concernOptions, enabled: useMay("owner") });
  const all = [people, unreadable, sites, rejected, paused, disabled, bindings];
  const templates = [disabled, paused, rejected].flatMap(({ data }) => data?.items ?? []);
  return {
    concerns: toConcerns({
      people: people.data?.items ?? [],
      unreadable: unreadable.data?.items ?? [],
      sites: sites.data?.items ?? [],
      templates,
      bindings: bindings.data?.items ?? [],
    }),
    error: all.find(({ error }) => error !== null)?.error ?? null,
    retry: () => all.forEach((query) => query.isError && void query.refetch()),
  };
}

type PersonConcern = Outputs["audit"]["concerns"]["items"][number];
type UnreadableSecret = Outputs["sites"]["unreadable"]["items"][number];
type SilentSite = Outputs["stats"]["silentSites"]["items"][number];
type Template = Pick<Outputs["templates"]["list"]["items"][number], "id" | "name" | "language" | "status" | "reason">;
type Binding = Pick<Outputs["bindings"]["list"]["items"][number], "id" | "event" | "templateId" | "template" | "enabled" | "problemCodes">;

type Concern =
  | { kind: "site"; id: string; title: string; site: SilentSite }
  | { kind: "person" | "dataKey" | "secret" | "platform" | "template" | "binding"; id: string; title: string; text: string };

/** What to do about a template that cannot be sent any more, by its status. */
const troubled = {
  rejected: "Change it and submit it again.",
  paused: "WhatsApp paused it, usually because recipients complained. It may resume by itself; check its quality.",
  disabled: "WhatsApp disabled it. Create another template and bind that one.",
} satisfies Partial<Record<TemplateStatus, string>>;

interface ConcernSources {
  people?: PersonConcern[];
  unreadable?: UnreadableSecret[];
  sites: SilentSite[];
  templates: Template[];
  bindings: Binding[];
}

/** The most urgent first. A binding is left out if its template is listed. */
export function toConcerns({ people = [], unreadable = [], sites, templates, bindings }: ConcernSources): Concern[] {
  const named = new Set(templates.map(({ id }) => id));
  return [
    ...people.map((person): Concern => ({ kind: "person", id: `${person.kind} ${person.userId}`, ...personWords(person) })),
    ...unreadable.map(secretConcern),
    ...sites.map((site): Concern => ({ kind: "site", id: site.siteId, title: `No events from ${site.name}`, site })),
    ...templates.map(({ id, name, language, status, reason }): Concern => {
      return { kind: "template", id, title: `Template ${name} (${language}) is ${status}`, text: whatToDo(status, reason) };
    }),
    ...bindings
      .filter(({ enabled, problemCodes, templateId }) => enabled && problemCodes.length > 0 && !named.has(templateId))
      .map(({ id, event, template, problemCodes }): Concern => {
        return {
          kind: "binding",
          id,
          title: `${event} cannot send ${template}`,
          text: problemCodes.map((problem) => describeReason(problem, "page")).join(" "),
        };
      }),
  ];
}

function secretConcern({ kind, siteId, name }: UnreadableSecret): Concern {
  if (siteId !== null)
    return {
      kind: "secret",
      id: siteId,
      title: `A secret of ${name} cannot be read`,
      text: "The site's events are refused with 503. Rotate its webhook secret without an overlap and give the backend the new one.",
    };
  const [title, remedy] =
    kind === "dataKey"
      ? ["The key of the encrypted data", "Restore the account's data_key from a backup, or see “The master key” in the documentation."]
      : ["The WhatsApp credentials", "Enter the access token and the app secret again."];
  return { kind, id: kind, title: `${title} cannot be read`, text: `Every event is refused with 503. ${remedy}` };
}

function personWords(person: PersonConcern): { title: string; text: string } {
  if (person.kind === "password_reset")
    return {
      title: `Password of ${person.email} was reset`,
      text: `${formatTime(person.at)}. Sessions, access tokens and open invites ended. If nobody asked for it, remove the person.`,
    };
  if (person.kind === "second_factor_reset")
    return {
      title: `Second factor of ${person.email} was removed`,
      text: `${formatTime(person.at)}, by another owner. The password alone signs in until a new one is set up. If nobody asked for it, read the audit.`,
    };
  return {
    title: `${formatCountOf(person.count, "failed sign-in")} for ${person.email}`,
    text: "In the last 24 hours. The audit names the addresses. If it was not them, have them choose a longer password.",
  };
}

function whatToDo(status: TemplateStatus, reason: string | null): string {
  const advice = status === "rejected" && reason !== null ? rejectionAdvice(reason) : undefined;
  if (advice !== undefined) return `${advice} Then submit it again.`;
  return [reason, isTroubled(status) ? troubled[status] : null].filter(Boolean).join(" ");
}

const isTroubled = (status: TemplateStatus): status is keyof typeof troubled => status in troubled;
