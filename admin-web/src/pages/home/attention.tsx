import { Card, Text } from "@mantine/core";
import IconAlertTriangle from "@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs";
import type { ReactNode } from "react";
import { describeReason } from "shared/core/reason";
import type { TemplateStatus } from "shared/core/template/definition";
import { formatCountOf } from "../../format.ts";
import { paths } from "../../paths.ts";
import { trpc, type Outputs } from "../../trpc.ts";
import { TextLink } from "../../ui/buttons.tsx";
import { Moment } from "../../ui/facts.tsx";
import { FailureNotice } from "../../ui/page-states.tsx";
import { Section } from "../../ui/page.tsx";
import { rejectionAdvice } from "../../ui/template-words.tsx";
import classes from "./home.module.css";

/** Problems that need somebody; nothing while there are none. */
export function Attention() {
  const { concerns, error, retry } = useConcerns();
  if (error !== null) return <FailureNotice title="Could not check what needs attention" error={error} onRetry={retry} />;
  if (concerns.length === 0) return null;
  return (
    <Section title="Needs attention">
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
      Last event: <Moment at={lastEventAt} />. The longest pause in the week before was {formatCountOf(longestPauseHours, "hour")}. Check
      that the site still posts events and that its key is valid.
    </>
  );
}

const options = { refetchInterval: 60_000 };

/** The queries travel as one batched request. */
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

/** What to do about a template that cannot be sent any more, by its status. */
const troubled = {
  rejected: "Change it and submit it again.",
  paused: "WhatsApp paused it, usually because recipients complained. It may resume by itself; check its quality.",
  disabled: "WhatsApp disabled it. Create another template and bind that one.",
} satisfies Partial<Record<TemplateStatus, string>>;

interface Found {
  sites: SilentSite[];
  templates: Template[];
  bindings: Binding[];
}

/** The most urgent first. A binding is left out if its template is listed. */
export function toConcerns({ sites, templates, bindings }: Found): Concern[] {
  const named = new Set(templates.map(({ id }) => id));
  return [
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

function whatToDo(status: TemplateStatus, reason: string | null): string {
  const advice = status === "rejected" && reason !== null ? rejectionAdvice(reason) : undefined;
  if (advice !== undefined) return `${advice} Then submit it again.`;
  return [reason, isTroubled(status) ? troubled[status] : null].filter(Boolean).join(" ");
}

const isTroubled = (status: TemplateStatus): status is keyof typeof troubled => status in troubled;
