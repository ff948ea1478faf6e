import rows from "./actions.json" with { type: "json" };
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
export type ActionableProblem = TellableProblem & { firstAt: string; lastAt: string; countedFrom: string | null; isOver: boolean };

/** The page of the dashboard where people can act: that of the first action. */
export const pathOf = (problem: ActionableProblem): string => actionsOf(problem, () => true)[0]?.path ?? "/problems";

/** The actions that help against a problem, the best first. */
export const actionsOf = (problem: ActionableProblem, helps: Helps): ProblemAction[] =>
  actions(problem, helps).map(({ count, ...action }) => (problem.isOver || count === undefined ? action : { ...action, count }));

/** What helps against a kind. Values that begin with `$` are those of the problem. */
interface Help {
  does?: ProblemAction["kind"];
  /** Where to act. */
  page?: string;
  /** It counts failed messages: what their filter has beside their codes. */
  failed?: ProblemFilter;
  /** The list of what it counts, or of what the member `count` of its detail counts. */
  list?: { page: string; filter: ProblemFilter; count?: string };
}

const help = rows satisfies Record<ProblemKind, object> as Readonly<Record<ProblemKind, Help>>;

function actions(problem: ActionableProblem, helps: Helps): ProblemAction[] {
  const { kind, siteId, subject, count, firstAt, lastAt, detail } = problem;
  const { does = "open", page, failed, list } = help[kind];
  const values: Record<string, unknown> = {
    since: firstAt,
    count,
    ...detail,
    subject,
    firstAt,
    until: new Date(Date.parse(lastAt) + 1).toISOString(),
    site: siteId === null ? "/settings/platform" : `/sites/${siteId}`,
    settings: `/sites/${siteId}?tab=settings`,
    endpoint: `/webhooks/${subject}`,
    bindings: `/bindings?siteId=${siteId}`,
    template: `/templates/${subject}`,
    binding: `/bindings/${"bindingId" in detail ? detail.bindingId : subject.split(" ")[0]}`,
  };
  const valueOf = <T>(value: T): T => (typeof value === "string" && value.startsWith("$") ? (values[value.slice(1)] as T) : value);
  // Test sites are part of no problem.
  const filterOf = (filter: ProblemFilter): ProblemFilter => ({
    ...(siteId === null ? { siteMode: "live" } : { siteId }),
    ...Object.fromEntries(Object.entries(filter).map(([name, value]) => [name, valueOf(value)])),
  });
  const listCount = list === undefined ? 0 : Number(values[list.count ?? "count"] ?? 0);
  return [
    ...(page === undefined ? [] : [{ kind: does, path: valueOf(page) }]),
    ...(failed === undefined ? [] : ofFailed(problem, helps, filterOf({ status: "failed", ...failed }))),
    ...(list === undefined || listCount === 0 ? [] : [listed(list.page, filterOf(list.filter), listCount)]),
  ];
}

const listed = (page: string, filter: ProblemFilter, count: number, kind: "open" | "resend" = "open"): ProblemAction => ({
  kind,
  count,
  filter,
  path: `${page}?${Object.entries(filter)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join("&")}`,
});

/** The failed messages that a problem counts: all that may be sent again at once, and the others to be looked at. */
function ofFailed({ kind, subject, count, firstAt, countedFrom, detail }: ActionableProblem, helps: Helps, own: ProblemFilter) {
  const counts = Object.entries(kind === "messages_failed" ? { [subject]: count } : "codes" in detail ? (detail.codes ?? {}) : {});
  return (["resend", "open"] as const).flatMap((what) => {
    const these = counts.filter(([code]) => helps(code) === (what === "resend"));
    const [errorCode, ...others] = these.map(([code]) => code);
    if (errorCode === undefined) return [];
    const codes: ProblemFilter = others.length === 0 ? { errorCode } : { errorCodes: [errorCode, ...others] };
    const since: ProblemFilter = { test: false, failedFrom: countedFrom !== null && countedFrom > firstAt ? countedFrom : firstAt };
    const filter = { ...own, ...codes, ...since };
    const sum = these.reduce((so, [, of]) => so + of, 0);
    return [listed("/log", filter, sum, what)];
  });
}
