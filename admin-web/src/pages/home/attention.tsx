import { Card, Text } from "@mantine/core";
import IconAlertTriangle from "@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs";
import type { ReactNode } from "react";
import { describeReason } from "shared/core/reason";
import type { TemplateStatus } from "shared/core/template/definition";
import { formatCountOf, formatTime } from "../../format.ts";
import { paths } from "../../paths.ts";
import { useMay } from "../../session.tsx";
import { trpc, type Outputs } from "../../trpc.ts";
import { TextLink } from "../../ui/buttons.tsx";
import { disabledWords, type Endpoint } from "../../ui/endpoints.tsx";
import { FailureNotice } from "../../ui/page-states.tsx";
import { Section } from "../../ui/page.tsx";
import { Silence } from "../../ui/silence.tsx";
import { rejectionAdvice } from "../../ui/template-words.tsx";
import { type UnreachedSite, UnreachedReasons, unreachedTitle, useUnreached } from "../../ui/unreached.tsx";
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
        <ConcernLink kind={concern.kind} id={concern.kind === "endpoint" ? concern.siteId : concern.id}>
          {concern.title}
        </ConcernLink>
        <ConcernText {...concern} />
      </div>
    </li>
  );
}

function ConcernText(concern: Concern) {
  if (concern.kind === "unreached") return <UnreachedReasons {...concern.site} />;
  return (
    <Text size="sm" c="dimmed">
      {concern.kind === "site" ? <Silence {...concern.site} /> : concern.text}
    </Text>
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
    case "unreached":
    case "endpoint":
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
  const unreached = useUnreached();
  const rejected = trpc.templates.list.useQuery({ status: "rejected" }, concernOptions);
  const paused = trpc.templates.list.useQuery({ status: "paused" }, concernOptions);
  const disabled = trpc.templates.list.useQuery({ status: "disabled" }, concernOptions);
  const bindings = trpc.bindings.list.useQuery({ limit: 200 }, concernOptions);
  const people = trpc.audit.concerns.useQuery(undefined, { ...concernOptions, enabled: useMay("owner") });
  const endpoints = trpc.webhooks.list.useQuery({ limit: 200 }, concernOptions);
  const all = [people, unreadable, sites, unreached.query, rejected, paused, disabled, bindings, endpoints];
  const templates = [disabled, paused, rejected].flatMap(({ data }) => data?.items ?? []);
  return {
    concerns: toConcerns({
      people: people.data?.items ?? [],
      unreadable: unreadable.data?.items ?? [],
      sites: sites.data?.items ?? [],
      unreached: unreached.sites,
      templates,
      bindings: bindings.data?.items ?? [],
      endpoints: endpoints.data?.items ?? [],
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

type ConcernedEndpoint = Pick<Endpoint, "id" | "siteId" | "url" | "disabledBecause" | "failingSince">;

type Concern =
  | { kind: "site"; id: string; title: string; site: SilentSite }
  | { kind: "unreached"; id: string; title: string; site: UnreachedSite }
  | { kind: "endpoint"; id: string; siteId: string; title: string; text: string }
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
  unreached?: UnreachedSite[];
  templates: Template[];
  bindings: Binding[];
  endpoints?: ConcernedEndpoint[];
}

/** The most urgent first. A binding is left out if its template is listed. */
export function toConcerns({
  people = [],
  unreadable = [],
  sites,
  unreached = [],
  templates,
  bindings,
  endpoints = [],
}: ConcernSources): Concern[] {
  const named = new Set(templates.map(({ id }) => id));
  return [
    ...people.map((person): Concern => ({ kind: "person", id: `${person.kind} ${person.userId}`, ...personWords(person) })),
    ...unreadable.map(secretConcern),
    ...sites.map((site): Concern => ({ kind: "site", id: site.siteId, title: `No events from ${site.name}`, site })),
    ...unreached.map((site): Concern => ({ kind: "unreached", id: site.siteId, title: unreachedTitle(site), site })),
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
    ...endpoints.flatMap((endpoint) => endpointConcern(endpoint, Date.now()) ?? []),
  ];
}

/** An endpoint that fails gets a few attempts before somebody is bothered. */
const patienceMs = 10 * 60_000;

function endpointConcern({ id, siteId, url, disabledBecause, failingSince }: ConcernedEndpoint, now: number): Concern | null {
  const concern = { kind: "endpoint", id, siteId } as const;
  if (disabledBecause !== null)
    return {
      ...concern,
      title: `Endpoint ${url} is switched off`,
      text: `${disabledWords[disabledBecause]}. Repair it, switch it on again, then replay what failed; or delete it.`,
    };
  if (failingSince === null || now - Date.parse(failingSince) < patienceMs) return null;
  const text = `Nothing has arrived since ${formatTime(failingSince)}. After five days it is switched off.`;
  return { ...concern, title: `Endpoint ${url} fails`, text };
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
