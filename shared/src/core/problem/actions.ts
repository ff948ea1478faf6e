import type { ProblemKind, TellableProblem } from "./problem.ts";

/** A list with the filter that shows exactly the counted messages or events. */
export type ProblemFilter = Partial<
  Record<
    | "siteId"
    | "status"
    | "errorCode"
    | "templateId"
    | "bindingId"
    | "unreached"
    | "outcome"
    | "event"
    | "siteMode"
    | "from"
    | "to"
    | "failedFrom",
    string
  >
> & { errorCodes?: string[]; test?: boolean; dryRun?: boolean };

/** What helps. `path`: the page, or the list with the filter. */
export interface ProblemAction {
  kind: "resend" | "open" | "enable" | "connect";
  count?: number;
  filter?: ProblemFilter;
  path: string;
}

/** Whether a resend of messages that failed with a code may succeed. */
type Helps = (code: string) => boolean;

/**
 * `countedFrom`: when a person has resolved it before, ISO 8601; what failed earlier is none of it. `isOver`: it is resolved, so that nobody counts any more
 * what its actions still reach.
 */
type Problem = TellableProblem & { firstAt: string; lastAt: string; countedFrom: string | null; isOver: boolean };

/** The page of the dashboard where people can act: that of the first action. */
export const pathOf = (problem: Problem): string => actionsOf(problem, () => true)[0]?.path ?? "/problems";

/** The actions that help against a problem, the best first. */
export const actionsOf = (problem: Problem, helps: Helps): ProblemAction[] =>
  actions(problem, helps).map(({ count, ...action }) => (problem.isOver || count === undefined ? action : { ...action, count }));

function actions(problem: Problem, helps: Helps): ProblemAction[] {
  const { kind, subject, siteId, detail } = problem;
  const [what, page, lists] = help[kind];
  const path = {
    site: siteId === null ? platform : `/sites/${siteId}`,
    template: `/templates/${subject}`,
    binding: `/bindings/${"bindingId" in detail ? detail.bindingId : subject.split(" ")[0]}`,
  };
  const first: ProblemAction[] =
    page === null ? [] : [{ kind: what, path: path[page as keyof typeof path] ?? page.replace("{siteId}", String(siteId)) }];
  return [...first, ...(lists?.(problem, helps) ?? [])];
}

type Lists = (problem: Problem, helps: Helps) => ProblemAction[];

/** Test sites are part of no problem. */
const sitesOf = (siteId: string | null): ProblemFilter => (siteId === null ? { siteMode: "live" } : { siteId });

/** The events that a problem counts, which came from its first one on. */
const events =
  (filterOf: (problem: Problem) => ProblemFilter): Lists =>
  (problem) => {
    const { siteId, count, firstAt: from } = problem;
    return count === 0 ? [] : [listed("/events", { ...sitesOf(siteId), ...filterOf(problem), from }, count)];
  };
const live = { test: false, dryRun: false };

/** The messages of the last hour that failed. */
const ofHour: Lists = ({ siteId, count, detail, firstAt }) => [
  listed("/log", { ...sitesOf(siteId), status: "failed", test: false, from: ("since" in detail && detail.since) || firstAt }, count),
];

/** The messages that wait in the queue. */
const queued: Lists = ({ kind, count, detail }) => {
  const waiting = kind === "backlog" ? count : "waiting" in detail ? (detail.waiting ?? 0) : 0;
  return waiting === 0 ? [] : [listed("/log", { status: "queued", siteMode: "live" }, waiting)];
};

/** The messages without a report. */
const unreported: Lists = ({ siteId, count, firstAt, lastAt }) => [
  listed("/log", { ...sitesOf(siteId), status: "sent", from: firstAt, to: new Date(Date.parse(lastAt) + 1).toISOString() }, count),
];

const platform = "/settings/platform";

/** What helps against each kind, the page where, and the lists of what it counts. */
const help: Record<ProblemKind, [kind: ProblemAction["kind"], page: "site" | "template" | "binding" | `/${string}` | null, lists?: Lists]> =
  {
    platform_missing: ["connect", platform, events(() => ({ outcome: "skipped_no_config", ...live }))],
    platform_stopped: ["connect", platform, resends],
    platform_notice: ["connect", platform],
    platform_failing: ["open", null, (...asked) => [...resends(...asked), ...queued(...asked)]],
    callbacks_missing: ["connect", platform, unreported],
    number_limit: ["connect", platform],
    secret_unreadable: ["connect", "site"],
    requests_refused: ["connect", "site"],
    site_disabled: ["enable", "site"],
    site_held: ["enable", "site", ({ siteId, count }) => [listed("/scheduled", { siteId: siteId ?? "" }, count)]],
    endpoint_disabled: ["enable", "site"],
    endpoint_failing: ["open", "site"],
    site_silent: ["open", "site"],
    shop_fault: ["open", "site"],
    test_without_phone: ["open", "site", events(() => ({ outcome: "skipped_no_phone", test: true, dryRun: false }))],
    site_without_bindings: ["open", "/bindings?siteId={siteId}", events(() => live)],
    template_category: ["open", "template"],
    template_refused: ["open", "template", resends],
    binding_cannot_send: ["open", "binding", resends],
    binding_doubled: ["open", "binding"],
    binding_never_fired: ["open", "binding", events(({ detail }) => ({ ...("event" in detail && { event: detail.event }), ...live }))],
    event_misspelt: ["open", "binding", events(({ detail }) => ({ ...("comes" in detail && { event: detail.comes }), dryRun: false }))],
    field_changed: ["open", "binding"],
    phones_dropped: ["open", "binding"],
    nobody_reached: ["open", null, events(({ subject }) => ({ unreached: subject }))],
    messages_failed: ["resend", null, resends],
    failure_rate: ["open", null, ofHour],
    backlog: ["open", null, queued],
  };

const listed = (page: string, filter: ProblemFilter, count: number, kind: "open" | "resend" = "open"): ProblemAction => ({
  kind,
  count,
  filter,
  path: `${page}?${Object.entries(filter)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join("&")}`,
});

/** The failed messages that a problem counts: all that may be sent again at once, and the others to be looked at. */
function resends(problem: Problem, helps: Helps): ProblemAction[] {
  const { kind, subject, siteId, count, firstAt, countedFrom, detail } = problem;
  const counts = Object.entries(kind === "messages_failed" ? { [subject]: count } : "codes" in detail ? (detail.codes ?? {}) : {});
  const actionOf = (what: "resend" | "open"): ProblemAction[] => {
    const own = counts.filter(([code]) => helps(code) === (what === "resend"));
    const [errorCode, ...others] = own.map(([code]) => code);
    if (errorCode === undefined) return [];
    const filter: ProblemFilter = {
      ...sitesOf(siteId),
      status: "failed",
      ...(others.length === 0 ? { errorCode } : { errorCodes: [errorCode, ...others] }),
      ...(kind === "template_refused" && { templateId: subject }),
      ...(kind === "binding_cannot_send" && { bindingId: subject }),
      test: false,
      from: firstAt,
      ...(countedFrom !== null && { failedFrom: countedFrom }),
    };
    const sum = own.reduce((so, [, of]) => so + of, 0);
    return [listed("/log", filter, sum, what)];
  };
  return [...actionOf("resend"), ...actionOf("open")];
}
