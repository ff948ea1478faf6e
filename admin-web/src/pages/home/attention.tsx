import { Card, Text } from "@mantine/core";
import IconAlertTriangle from "@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs";
import { describeReason } from "shared/core/reason";
import type { TemplateStatus } from "shared/core/template/definition";
import { formatTime, formatCount, formatDuration } from "../../format.ts";
import { t, locale, translated } from "../../language.ts";
import { paths } from "../../paths.ts";
import { useMay } from "../../session.tsx";
import { trpc, type Outputs } from "../../trpc.ts";
import { TextLink } from "../../ui/buttons.tsx";
import { Fact, Facts } from "../../ui/facts.tsx";
import { FailureNotice } from "../../ui/page-states.tsx";
import { Section } from "../../ui/page.tsx";
import { rejectionAdvice } from "../../ui/template-labels.tsx";
import classes from "./home.module.css";

/** Problems that need somebody; nothing while there are none. */
export function Attention() {
  const { concerns, error, retry } = useConcerns();
  if (error !== null) return <FailureNotice title={t("Could not check what needs attention")} error={error} onRetry={retry} />;
  if (concerns.length === 0) return null;
  return (
    <Section title={t("Needs attention")}>
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

function ConcernItem({ kind, id, title, text }: Concern) {
  return (
    <li className={classes["attentionItem"]}>
      <IconAlertTriangle size={18} className={classes["icon"]} aria-hidden />
      <div>
        <ConcernLink kind={kind} id={id}>
          {title}
        </ConcernLink>
        <Text size="sm" c="dimmed">
          {text}
        </Text>
      </div>
    </li>
  );
}

function ConcernLink({ kind, id, children }: Pick<Concern, "kind" | "id"> & { children: string }) {
  switch (kind) {
    case "erasures":
      return <TextLink to={paths.privacy}>{children}</TextLink>;
    case "person":
      return <TextLink to={paths.people}>{children}</TextLink>;
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
  const rejected = trpc.templates.list.useQuery({ status: "rejected" }, concernOptions);
  const paused = trpc.templates.list.useQuery({ status: "paused" }, concernOptions);
  const disabled = trpc.templates.list.useQuery({ status: "disabled" }, concernOptions);
  const bindings = trpc.bindings.list.useQuery({ limit: 200 }, concernOptions);
  const people = trpc.audit.concerns.useQuery(undefined, { ...concernOptions, enabled: useMay("owner") });
  const all = [people, rejected, paused, disabled, bindings];
  const templates = [disabled, paused, rejected].flatMap(({ data }) => data?.items ?? []);
  return {
    concerns: toConcerns({ people: people.data?.items ?? [], templates, bindings: bindings.data?.items ?? [] }),
    error: all.find(({ error }) => error !== null)?.error ?? null,
    retry: () => all.forEach((query) => query.isError && void query.refetch()),
  };
}

type PersonConcern = Outputs["audit"]["concerns"]["items"][number];
type Template = Pick<Outputs["templates"]["list"]["items"][number], "id" | "name" | "language" | "status" | "reason">;
type Binding = Pick<Outputs["bindings"]["list"]["items"][number], "id" | "event" | "templateId" | "template" | "enabled" | "problemCodes">;

interface Concern {
  kind: "erasures" | "person" | "template" | "binding";
  id: string;
  title: string;
  text: string;
}

/** Advice on a template that can no longer be sent, by its status. */
const troubled = {
  rejected: t("Change it and submit it again."),
  paused: t("WhatsApp paused it, usually because recipients complained. It may resume by itself; check its quality."),
  disabled: t("WhatsApp disabled it. Create another template and bind that one."),
} satisfies Partial<Record<TemplateStatus, string>>;

interface ConcernSources {
  people?: PersonConcern[];
  templates: Template[];
  bindings: Binding[];
}

/** The concerns, the most urgent first. The diagnosis tells of everything that keeps messages of bindings from arriving, such as a template that cannot be sent. */
export function toConcerns({ people = [], templates, bindings }: ConcernSources): Concern[] {
  const used = new Set(bindings.flatMap(({ enabled, templateId }) => (enabled ? [templateId] : [])));
  return [
    ...people.map((person): Concern => {
      if (!("userId" in person)) return { kind: "erasures", id: person.kind, ...requestWords(person) };
      return { kind: "person", id: `${person.kind} ${person.userId}`, ...personWords(person) };
    }),
    ...templates
      .filter(({ id }) => !used.has(id))
      .map(({ id, name, language, status, reason }): Concern => {
        return {
          kind: "template",
          id,
          title: t("Template {name} ({language}) is {status}", { name, language, status: translated(status) }),
          text: whatToDo(status, reason),
        };
      }),
    ...bindings.flatMap(({ id, event, template, enabled, problemCodes }): Concern[] => {
      const problems = problemCodes.filter(({ code }) => code !== "template_not_approved");
      if (!enabled || problems.length === 0) return [];
      const text = problems.map((problem) => describeReason(problem, t)).join(" ");
      return [{ kind: "binding", id, title: t("{event} cannot send {template}", { event, template }), text }];
    }),
  ];
}

function requestWords({ kind, count, at }: Exclude<PersonConcern, { userId: string }>): { title: string; text: string } {
  if (kind === "erasures_asked")
    return {
      title: t("{count, plural, one {A shop asks to erase a person} other {Shops ask to erase # people}}", { count }),
      text: t("Check who is meant under Privacy. A request that nobody decides confirms itself after 14 days."),
    };
  return {
    title: t("{count, plural, one {The data of a person was erased} other {The data of # people was erased}} at a shop's request", {
      count,
    }),
    text: t("{at}. Nobody had decided for 14 days.", { at: formatTime(at) }),
  };
}

function personWords(person: Extract<PersonConcern, { userId: string }>): { title: string; text: string } {
  if (person.kind === "password_reset")
    return {
      title: t("Password of {email} was reset", { email: person.email }),
      text: t("{at}. Sessions, access tokens and open invites ended. If nobody asked for it, remove the person.", {
        at: formatTime(person.at),
      }),
    };
  if (person.kind === "second_factor_reset")
    return {
      title: t("Second factor of {email} was removed", { email: person.email }),
      text: t("{at}, by another owner. The password alone signs in until a new one is set up. If nobody asked for it, read the audit.", {
        at: formatTime(person.at),
      }),
    };
  return {
    title: t("{count, plural, one {# failed sign-in} other {# failed sign-ins}} for {email}", { count: person.count, email: person.email }),
    text: t("In the last 24 hours. The audit names the addresses. If it was not them, have them choose a longer password."),
  };
}

function whatToDo(status: TemplateStatus, reason: string | null): string {
  const advice = status === "rejected" && reason !== null ? rejectionAdvice(reason) : undefined;
  if (advice !== undefined) return t("{advice} Then submit it again.", { advice });
  return [reason, isTroubled(status) ? troubled[status] : null].filter(Boolean).join(" ");
}

const isTroubled = (status: TemplateStatus): status is keyof typeof troubled => status in troubled;

type Backlog = Outputs["stats"]["backlog"];

const lookEveryMs = 5000;
const isEmpty = ({ queued, scheduled }: Backlog): boolean => queued + scheduled === 0;

/** The waiting messages; draws nothing while none waits. Refetches only while some wait and the page is visible. */
export function BacklogSection({ siteId }: { siteId: string | undefined }) {
  const backlog = trpc.stats.backlog.useQuery(
    { siteId },
    { refetchInterval: ({ state }) => (state.data === undefined || !isEmpty(state.data)) && lookEveryMs },
  );
  if (backlog.error !== null)
    return <FailureNotice title={t("Could not load what waits")} error={backlog.error} onRetry={() => void backlog.refetch()} />;
  if (backlog.data === undefined || isEmpty(backlog.data)) return null;
  const { queued, scheduled, perSecond, limitPerSecond } = backlog.data;
  return (
    <Section
      title={t("Waiting")}
      actions={
        <TextLink to={paths.scheduled} search={{ siteId }} size="sm">
          {t("Open scheduled")}
        </TextLink>
      }
    >
      <Card withBorder>
        <Facts>
          <Fact name={t("In the queue")}>{t("{queued, plural, one {# message} other {# messages}}", { queued })}</Fact>
          <Fact name={t("Scheduled")}>{t("{scheduled, plural, one {# message} other {# messages}}", { scheduled })}</Fact>
          <Fact name={t("Pace now")}>
            {t("{perSecond} a second{value}", {
              perSecond: perSecond.toLocaleString(locale, { maximumFractionDigits: 1 }),
              value: limitPerSecond !== null && t(", at most {limitPerSecond}", { limitPerSecond: formatCount(limitPerSecond) }),
            })}
          </Fact>
        </Facts>
        {queued > 0 && (
          <Text size="sm" c="dimmed" mt="sm">
            {describeEnd(backlog.data)}
          </Text>
        )}
      </Card>
    </Section>
  );
}

/** When the queue will be empty at the present pace. */
export function describeEnd({ queued, due, perSecond, oldestDueSeconds }: Backlog): string {
  if (due === 0) return t("Nothing in the queue is due now: it is tried again later.");
  if (perSecond > 0)
    return t("At this pace the queue is empty in about {formatDuration}.", { formatDuration: formatDuration(queued / perSecond) });
  const since =
    oldestDueSeconds < 10
      ? ""
      : t(" The oldest message has waited for {oldestQueuedSeconds}.", { oldestQueuedSeconds: formatDuration(oldestDueSeconds) });
  return t("Nothing was sent in the last 10 seconds.{since}", { since });
}
