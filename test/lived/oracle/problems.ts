import { countBy, groupBy, idsOf, type Look, newest } from "./compare.ts";
import { codeOf } from "./messages.ts";
import type { EventRow, MessageRow } from "./rows.ts";
import { dayMs, hourMs, iso, madeAt, within } from "./times.ts";

/** The list of problems, what each counts and the lists that they lead to, and what was told of them. */
export async function checkProblems(look: Look): Promise<void> {
  const open = (await look.list<Problem>("problems.list")).filter(({ state }) => state !== "resolved");
  checkFailures(look, open);
  checkEvents(look, open);
  checkSites(look, open);
  for (const problem of open) await checkLists(look, problem);
  for (const siteId of look.sites) {
    const ofSite = await look.list<Problem>("problems.list", { siteId });
    look.same(`problems.list ${siteId}`, new Set(ofSite.map((one) => one.siteId)).size <= 1, true);
  }
  await checkAlerts(look);
}

interface Problem {
  id: string;
  kind: string;
  subject: string;
  siteId: string | null;
  state: string;
  count: number;
  more: boolean;
  firstAt: string;
  actions: { kind: string; count?: number; filter?: Record<string, unknown>; path: string }[];
}

const ofTemplate = ["template_not_approved", "132015", "132016"];
const ofBinding = ["slot_unresolved", "too_long", "url_not_fitting"];
const ofStop = ["account_stopped", "0", "3", "10", "33", "190", "368", "130497", "131031", "131042", "131045", "133010"];
const ofNobody = ["recipient_opted_out", "throttled"];

/** The one problem that a failed message is part of. */
function keyOf(row: MessageRow): string | null {
  const code = codeOf(row);
  if (ofNobody.includes(code)) return null;
  if (ofStop.includes(code) || /^2\d\d$/u.test(code)) return "platform_stopped null ";
  if (ofTemplate.includes(code)) return `template_refused null ${row.templateId}`;
  return ofBinding.includes(code) ? `binding_cannot_send ${row.siteId} ${row.bindingId}` : `messages_failed ${row.siteId} ${code}`;
}

const nameOf = ({ kind, siteId, subject }: Problem): string => `${kind} ${siteId} ${subject}`;
const counting = ["platform_stopped", "template_refused", "binding_cannot_send", "messages_failed"];

const failedAt = ({ failedAt: at, id }: MessageRow): number => at?.getTime() ?? madeAt(id);

function checkFailures({ same, counted, sites, now }: Look, open: readonly Problem[]): void {
  const failed = counted.filter((row) => row.status === "failed" && sites.includes(row.siteId));
  const groups = groupBy(failed, keyOf);
  for (const problem of open.filter(({ kind, more }) => counting.includes(kind) && !more)) {
    const since = (groups.get(nameOf(problem)) ?? []).filter((row) => failedAt(row) >= Date.parse(problem.firstAt));
    same(`problems.list ${nameOf(problem)}`, problem.count, since.length, "each failed message once, from the first on");
  }
  // Each code that failed somewhere in the last day has its problem, unless a person has resolved it.
  const latest = failed.filter((row) => failedAt(row) > now.getTime() - dayMs + hourMs);
  const expected = [...groupBy(latest, keyOf).keys()].filter((key) => key.startsWith("messages_failed "));
  const found = new Set(open.map(nameOf));
  same(
    "problems.list: a problem for each failure of the last day",
    expected.filter((key) => !found.has(key)),
    [],
  );
}

function checkEvents({ same, rows, sites }: Look, open: readonly Problem[]): void {
  const isHere = ({ siteId, test, dryRun }: EventRow): boolean => sites.includes(siteId) && !test && !dryRun;
  const groups = groupBy(rows.events.filter(isHere), ({ siteId, unreached }) => unreached && `nobody_reached ${siteId} ${unreached}`);
  for (const problem of open.filter(({ kind, more }) => kind === "nobody_reached" && !more))
    same(`problems.list ${nameOf(problem)}`, problem.count, within(groups.get(nameOf(problem)) ?? [], Date.parse(problem.firstAt)).length);
}

function checkSites({ same, rows, messages, sites }: Look, open: readonly Problem[]): void {
  const of = (kind: string): Problem[] => open.filter((problem) => problem.kind === kind);
  const here = rows.sites.filter(({ id }) => sites.includes(id));
  const waiting = countBy(
    messages.filter(({ status }) => status === "scheduled"),
    ({ siteId }) => siteId,
  );
  const subjects = (kind: string): string[] =>
    of(kind)
      .map(({ subject }) => subject)
      .toSorted();
  same("problems.list site_disabled", subjects("site_disabled"), idsOf(here.filter(({ enabled }) => !enabled)).toSorted());
  same("problems.list site_held", subjects("site_held"), idsOf(here.filter(({ holdMessages }) => holdMessages)).toSorted());
  for (const { subject, count } of of("site_held")) same(`problems.list site_held ${subject}`, count, waiting[subject] ?? 0);
  const off = rows.endpoints.filter(({ siteId, disabledBecause }) => sites.includes(siteId) && disabledBecause !== null);
  same("problems.list endpoint_disabled", subjects("endpoint_disabled"), idsOf(off).toSorted());
  const refused = idsOf(rows.templates.filter(({ status }) => ["rejected", "paused", "disabled"].includes(status)));
  same(
    "problems.list template_refused",
    refused.filter((id) => !subjects("template_refused").includes(id)),
    [],
  );
}

/** Each action with a filter leads to exactly what it counts. */
async function checkLists({ list, same }: Look, { kind, subject, actions, more }: Problem): Promise<void> {
  for (const { filter, count, path } of actions) {
    if (filter === undefined || more) continue;
    const procedure = { "/events": "events.list", "/scheduled": "notifications.scheduled" }[path.split("?")[0] ?? ""];
    const found = await list(procedure ?? "notifications.list", filter);
    same(`problems.list: list of ${kind} ${subject}`, found.length, count, "a link opens exactly what was counted");
  }
}

interface Alert {
  id: string;
  kind: string;
  detail: { failed?: number; total?: number; percent?: number };
  raisedAt: string;
  clearedAt: string | null;
}

async function checkAlerts({ list, same, rows, now }: Look): Promise<void> {
  const items = await list<Alert>("alerts.list");
  const told = rows.problems.filter(({ alerted }) => alerted);
  same("alerts.list", idsOf(newest(items)), idsOf(newest(told)));
  const over = new Map(told.map(({ id, resolvedAt }) => [id, resolvedAt === null ? null : iso(resolvedAt.getTime())]));
  for (const { id, clearedAt } of items) same(`alerts.list ${id}: its end`, clearedAt, over.get(id));
  const first = rows.messages.filter(({ test, resendOf }) => !test && resendOf === null).map(({ id }) => madeAt(id));
  for (const { id, detail, raisedAt, clearedAt } of items.filter(({ kind }) => kind === "failure_rate")) {
    const { failed = 0, total = 0, percent = 0 } = detail;
    // Until its end an alert tells the last look, at some hour since it was raised.
    const ends = first.filter((at) => at >= Date.parse(raisedAt) - hourMs && at <= Date.parse(clearedAt ?? now.toISOString()));
    const most = Math.max(0, ...ends.map((end) => first.filter((at) => at > end - hourMs && at <= end).length));
    same(
      `alerts.list ${id}: no more than there are`,
      total <= most && failed <= total,
      true,
      `${failed} of ${total}; an hour had at most ${most}`,
    );
    same(`alerts.list ${id}: percent`, percent, Math.round((failed / total) * 100));
  }
}
