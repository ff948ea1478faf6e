import type { TellableProblem } from "./problem.ts";

/** A list with the filter that shows exactly the counted messages or events. */
export type ProblemFilter = Partial<
  Record<"siteId" | "status" | "errorCode" | "templateId" | "bindingId" | "unreached" | "event" | "from" | "failedFrom", string>
> & { errorCodes?: string[]; test?: boolean };

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
type Problem = TellableProblem & { firstAt: string; countedFrom: string | null; isOver: boolean };

/** The page of the dashboard where people can act: that of the first action. */
export const pathOf = (problem: Problem): string => actionsOf(problem, () => true)[0]?.path ?? "/problems";

/** The actions that help against a problem, the best first. */
export const actionsOf = (problem: Problem, helps: Helps): ProblemAction[] =>
  actions(problem, helps).map(({ count, ...action }) => (problem.isOver || count === undefined ? action : { ...action, count }));

function actions(problem: Problem, helps: Helps): ProblemAction[] {
  const { kind, subject, siteId } = problem;
  const open = (path: string): ProblemAction => ({ kind: "open", path });
  switch (kind) {
    case "platform_missing":
    case "platform_stopped":
    case "callbacks_missing":
    case "number_limit":
    case "platform_notice":
      return [{ kind: "connect", path: "/settings/platform" }, ...resends(problem, helps)];
    case "secret_unreadable":
    case "requests_refused":
      return [{ kind: "connect", path: siteId === null ? "/settings/platform" : `/sites/${siteId}` }];
    case "site_disabled":
    case "endpoint_disabled":
    case "site_held":
      return [{ kind: "enable", path: `/sites/${siteId}` }, ...(kind === "site_held" ? [waiting(problem)] : [])];
    case "template_category":
      return [open(`/templates/${subject}`)];
    case "template_refused":
      return [open(`/templates/${subject}`), ...resends(problem, helps)];
    case "binding_cannot_send":
      return [open(`/bindings/${subject}`), ...resends(problem, helps)];
    case "messages_failed":
      return resends(problem, helps);
    case "nobody_reached":
      return [listed("/events", { siteId: siteId ?? "", unreached: subject, from: problem.firstAt }, problem.count)];
    case "binding_never_fired":
    case "event_misspelt":
    case "binding_doubled":
      return [open(`/bindings/${subject}`)];
    case "field_changed":
      return [open(`/bindings/${problem.detail.bindingId}`)];
    case "phones_dropped":
      return [open(`/bindings/${subject.split(" ")[0]}`)];
    case "site_without_bindings":
      return [{ kind: "open", path: `/bindings?siteId=${siteId}` }];
    case "failure_rate":
    case "platform_failing":
      return [open("/log?status=failed")];
    case "backlog":
      return [open("/scheduled")];
    case "site_silent":
    case "shop_fault":
    case "endpoint_failing":
    case "test_without_phone":
      return [open(`/sites/${siteId}`)];
  }
}

const listed = (page: string, filter: ProblemFilter, count: number, kind: "open" | "resend" = "open"): ProblemAction => ({
  kind,
  count,
  filter,
  path: `${page}?${Object.entries(filter)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join("&")}`,
});

const waiting = ({ siteId, count }: Problem): ProblemAction => listed("/scheduled", { siteId: siteId ?? "" }, count);

/** The failed messages that a problem counts, code by code: to be sent again where that may help, else to be looked at. */
function resends(problem: Problem, helps: Helps): ProblemAction[] {
  const { kind, subject, siteId, count, firstAt, countedFrom, detail } = problem;
  const codes = kind === "messages_failed" ? { [subject]: count } : "codes" in detail ? (detail.codes ?? {}) : {};
  return Object.entries(codes).map(([errorCode, of]) => {
    const filter: ProblemFilter = {
      ...(siteId !== null && { siteId }),
      status: "failed",
      errorCode,
      ...(kind === "template_refused" && { templateId: subject }),
      ...(kind === "binding_cannot_send" && { bindingId: subject }),
      test: false,
      from: firstAt,
      ...(countedFrom !== null && { failedFrom: countedFrom }),
    };
    return listed("/log", filter, of, helps(errorCode) ? "resend" : "open");
  });
}
