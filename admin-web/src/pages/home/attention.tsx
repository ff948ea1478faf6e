import { Card, Text } from "@mantine/core";
import IconAlertTriangle from "@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs";
import type { ReactNode } from "react";
import { describeReason } from "shared/core/reason";
import type { TemplateStatus } from "shared/core/template/definition";
import { paths } from "../../paths.ts";
import { trpc, type Outputs } from "../../trpc.ts";
import { TextLink } from "../../ui/buttons.tsx";
import { Moment } from "../../ui/facts.tsx";
import { FailureNotice } from "../../ui/page-states.tsx";
import { Section } from "../../ui/page.tsx";
import { rejectionAdvice } from "../../ui/template-words.tsx";
import classes from "./home.module.css";

/** What somebody has to look after. Nothing stands here while all is well. */
export function Attention() {
  const { concerns, error, retry } = useConcerns();
  if (error !== null) return <FailureNotice title="Could not look for what needs you" error={error} onRetry={retry} />;
  if (concerns.length === 0) return null;
  return (
    <Section title="Needs you">
      <Card withBorder padding={0}>
        <ul className={classes["attentionList"]}>
          {concerns.map((concern) => (
            <ConcernItem key={concern.id} {...concern} />
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

function Silence({ lastEventAt, longestPauseHours }: { lastEventAt: string; longestPauseHours: number }) {
  return (
    <>
      No event since <Moment at={lastEventAt} />, and in the week before its longest pause was{" "}
      {longestPauseHours === 1 ? "an hour" : `${longestPauseHours} hours`}. See whether its shop still posts, and with a good key.
    </>
  );
}

const options = { refetchInterval: 60_000 };

/** Everything that has to be asked for to know what needs somebody; it travels as one request. */
function useConcerns(): { concerns: Concern[]; error: { message: string } | null; retry: () => void } {
  const sites = trpc.stats.silentSites.useQuery(undefined, options);
  const rejected = trpc.templates.list.useQuery({ status: "rejected" }, options);
  const paused = trpc.templates.list.useQuery({ status: "paused" }, options);
  const disabled = trpc.templates.list.useQuery({ status: "disabled" }, options);
  const bindings = trpc.bindings.list.useQuery({ limit: 200 }, options);
  const all = [sites, rejected, paused, disabled, bindings];
  const templates = [disabled, paused, rejected].flatMap(({ data }) => data?.items ?? []);
  return {
    concerns: toConcerns({ sites: sites.data?.items ?? [], templates, bindings: bindings.data?.items ?? [] }),
    error: all.find(({ error }) => error !== null)?.error ?? null,
    retry: () => all.forEach((query) => query.isError && void query.refetch()),
  };
}

type SilentSite = Outputs["stats"]["silentSites"]["items"][number];
type Template = Pick<Outputs["templates"]["list"]["items"][number], "id" | "name" | "language" | "status" | "reason">;
type Binding = Pick<Outputs["bindings"]["list"]["items"][number], "id" | "event" | "templateId" | "template" | "enabled" | "problemCodes">;

type Concern =
  | { kind: "site"; id: string; title: string; site: SilentSite }
  | { kind: "template" | "binding"; id: string; title: string; text: string };

/** Statuses in which a template that was in use cannot be sent any more, and what to do. */
const troubled = {
  rejected: "Change it and submit it again.",
  paused: "The platform paused it, usually since recipients complained. It may come back by itself; look at its quality.",
  disabled: "The platform will not take it any more: make another one and bind that.",
} satisfies Partial<Record<TemplateStatus, string>>;

interface Found {
  sites: SilentSite[];
  templates: Template[];
  bindings: Binding[];
}

/** What somebody has to look after, the most urgent first. A binding is left out when its template says it all. */
export function toConcerns({ sites, templates, bindings }: Found): Concern[] {
  const named = new Set(templates.map(({ id }) => id));
  return [
    ...sites.map((site): Concern => ({ kind: "site", id: site.siteId, title: `${site.name} went silent`, site })),
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

function whatToDo(status: TemplateStatus, reason: string | null): string {
  const advice = status === "rejected" && reason !== null ? rejectionAdvice(reason) : undefined;
  if (advice !== undefined) return `${advice} Then submit it again.`;
  return [reason, isTroubled(status) ? troubled[status] : null].filter(Boolean).join(" ");
}

const isTroubled = (status: TemplateStatus): status is keyof typeof troubled => status in troubled;
