import { describeFinding, type Finding, type FindingWords, rankFindings } from "shared/core/diagnosis";
import type { diagnoseInput } from "shared/core/input/log";
import type { JsonValue } from "shared/core/json";
import { maskPhonesIn } from "shared/core/mask";
import type { PhoneProblem } from "shared/core/phone";
import type { EventTrace } from "shared/core/plan";
import type { EmptySlot } from "shared/core/reason";
import { may, type Role } from "shared/core/role";
import { readEmptySlots } from "shared/core/stored-failure";
import { readUnreachedKey } from "shared/core/unreached";
import { isUuid, uuidTime } from "shared/core/uuid";
import { say } from "shared/core/wording";
import type { BindingUseRow } from "shared/db/binding";
import type { Sql } from "shared/db/connect";
import { mostUnreached, type OutcomesRow } from "shared/db/event/log";
import type { FailureRow } from "shared/db/notification/failures";
import type { OutcomeRow } from "shared/db/notification/statistics";
import { explain, isContentFailure, titleOf } from "shared/platform/errors/classify";
import type { Vault } from "shared/secrets/vault";
import type { z } from "zod";
import { invalidInput } from "../trpc/errors.ts";
import { readFacts, type Facts, neverFired } from "./facts.ts";
import { findStandingFaults, sum, timeOf } from "./standing.ts";

export interface Diagnosis {
  from: string;
  to: string;
  /** The newest failed message of the kept log, in the period or before; null when there is none. */
  lastFailedAt: string | null;
  items: (Finding & { sentence: string } & Pick<FindingWords, "action">)[];
}

/** Everything that keeps messages of the account's sites (or one) from arriving, the most harmful first. Undefined: the account is gone. */
export async function diagnose(
  context: { sql: Sql; vault: Vault; clock: () => Date },
  { accountId, role }: { accountId: string; role: Role },
  input: z.output<typeof diagnoseInput>,
): Promise<Diagnosis | undefined> {
  const now = context.clock();
  // The end is not included, so a message that failed just now is.
  const to = input.to ?? new Date(now.getTime() + 1);
  const from = input.from ?? new Date(to.getTime() - dayMs);
  if (from >= to) throw invalidInput([{ path: ["to"], said: say("Must be later than from") }]);
  if (to.getTime() - from.getTime() > longestDays * dayMs)
    throw invalidInput([{ path: ["from"], said: say("Must be at most {most} days before to", { most: longestDays }) }]);
  const facts = await readFacts(context, { accountId, siteId: input.siteId, from, to, now });
  if (facts === undefined) return undefined;
  const findings = [...findStandingFaults(facts), ...findFailures(facts), ...findEventFaults(facts), ...findBindingFaults(facts)];
  const lastFailures = [...facts.sites.values()].flatMap(({ last_failure_id: id }) => (id === null ? [] : [uuidTime(id)]));
  return {
    from: from.toISOString(),
    to: to.toISOString(),
    lastFailedAt: lastFailures.length === 0 ? null : new Date(Math.max(...lastFailures)).toISOString(),
    items: rankFindings(findings)
      .slice(0, mostFindings)
      .map((finding) => presentFinding(finding, role)),
  };
}

const dayMs = 86_400_000;
const longestDays = 90;
const mostFindings = 100;

/** Masks phones for roles that see none, also those that a payload or the platform has written into a reason or a name. */
function presentFinding(finding: Finding, role: Role): Diagnosis["items"][number] {
  const reduced = "url" in finding && !may(role, "seeInboundUrl") ? { ...finding, url: `${new URL(finding.url).origin}/…` } : finding;
  const shown = may(role, "seePhones") ? reduced : (maskTexts(reduced as never) as unknown as Finding);
  const { text, action } = describeFinding(shown);
  return { ...shown, sentence: text, action };
}

/** Ids stay: their digits may look like a phone's. */
function maskTexts(value: JsonValue): JsonValue {
  if (typeof value === "string") return isUuid(value) ? value : maskPhonesIn(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(maskTexts);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, maskTexts(inner)]));
}

/** Events that came to no message. */
const findEventFaults = (facts: Facts): Finding[] => [
  ...facts.unreached.flatMap((row): Finding[] => {
    const reason = readUnreachedKey(row.unreached);
    if (reason === null) return [];
    const { site_id: siteId, unreached, count, of_site } = row;
    const place = { kind: "events", filter: { siteId, unreached } } as const;
    const measure = { count, more: of_site >= mostUnreached, share: null, lastAt: timeOf(row.last_event_id), site: siteOf(facts, siteId) };
    return [{ code: "nobody_reached", reason, ...measure, place }];
  }),
  ...droppedPhones(facts),
  ...[...facts.sites.values()].flatMap((site) => ofSite(site.id, site.test_phone, facts)),
];

/** Phones without a message though others of the same event got one, by binding and fault. */
function droppedPhones(facts: Facts): Finding[] {
  const groups = new Map<
    string,
    { siteId: string; bindingId: string; template: string; problem: PhoneProblem; count: number; last: string }
  >();
  const traced = facts.latest.flatMap(({ siteId, id, trace }) =>
    (JSON.parse(trace) as EventTrace).bindings.map((binding) => ({ ...binding, siteId, id })),
  );
  for (const { siteId, id, bindingId, template, recipients, phoneProblems = [] } of traced) {
    for (const { reason: problem } of recipients === 0 ? [] : phoneProblems) {
      const key = `${bindingId} ${problem}`;
      const { count, last } = groups.get(key) ?? { count: 0, last: id };
      groups.set(key, { siteId, bindingId, template, problem, count: count + 1, last: last > id ? last : id });
    }
  }
  return [...groups.values()].map(({ siteId, bindingId, template, problem, count, last }): Finding => {
    const seen = facts.latest.filter((one) => one.siteId === siteId).length;
    const measure = { count, more: seen >= facts.mostTraces, share: null, lastAt: timeOf(last), site: siteOf(facts, siteId) };
    const isThere = facts.bindings.some(({ id }) => id === bindingId);
    const place = isThere ? ({ kind: "binding", id: bindingId } as const) : ({ kind: "site", id: siteId } as const);
    return { code: "phones_dropped", template, problem, ...measure, place };
  });
}

function ofSite(siteId: string, testPhone: string | null, facts: Facts): Finding[] {
  const events = facts.events.filter(({ site_id }) => site_id === siteId);
  const isBound = facts.bindings.some((binding) => binding.site_id === siteId);
  const place = { kind: "site", id: siteId } as const;
  const live = events.filter(({ test }) => !test);
  const unphoned = events.filter(({ test, chat }) => test && chat === "skipped_no_phone");
  return [
    ...(isBound || live.length === 0
      ? []
      : [{ code: "site_without_bindings", ...measureOf(live, siteId, facts), place: { kind: "bindings", filter: { siteId } } } as const]),
    ...(testPhone !== null || unphoned.length === 0
      ? []
      : [{ code: "test_without_phone", ...measureOf(unphoned, siteId, facts), place } as const]),
  ];
}

function measureOf(events: readonly OutcomesRow[], siteId: string, facts: Facts) {
  const seen = sum(facts.events.filter((event) => event.site_id === siteId).map(({ count }) => count));
  const last = events
    .map(({ last_event_id: id }) => id)
    .toSorted()
    .at(-1);
  return {
    count: sum(events.map(({ count }) => count)),
    more: seen >= facts.most,
    share: null,
    lastAt: timeOf(last),
    site: siteOf(facts, siteId),
  };
}

/** Bindings that send nothing although events come. */
const findBindingFaults = (facts: Facts): Finding[] =>
  facts.bindings.flatMap((binding): Finding[] => {
    const { id, site_id: siteId, event, template } = binding;
    const place = { kind: "binding", id } as const;
    const own = facts.events.filter((row) => row.site_id === siteId && row.name === event && !row.test);
    if (neverFired(binding, facts.scope)) {
      return [{ code: "binding_held_back", event, template, rule: ruleThatFails(id, facts), ...measureOf(own, siteId, facts), place }];
    }
    const other = binding.last_event_id === null ? likeName(binding, facts) : undefined;
    if (other === undefined) return [];
    const comes = facts.events.filter((row) => row.site_id === siteId && row.name === other.name);
    return [{ code: "event_misspelt", event, template, comes: other.name, ...measureOf(comes, siteId, facts), place }];
  });

/** The rule that kept the binding back most often. */
function ruleThatFails(bindingId: string, { traces }: Facts) {
  const counts = new Map<string, number>();
  for (const trace of traces) {
    const own = (JSON.parse(trace) as EventTrace).bindings.find((binding) => binding.bindingId === bindingId);
    if (own?.unmet === undefined || !("rules" in own.unmet)) continue;
    for (const { path, op } of own.unmet.rules) {
      const key = JSON.stringify({ path, op });
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  const [most] = [...counts].toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  return most === undefined ? null : (JSON.parse(most[0]) as NonNullable<Extract<Finding, { code: "binding_held_back" }>["rule"]>);
}

/** An event that came, that no binding names, and whose name is nearly the binding's. */
function likeName({ site_id, event }: BindingUseRow, { events, bindings }: Facts): OutcomesRow | undefined {
  const bound = new Set(bindings.filter((binding) => binding.site_id === site_id).map((binding) => binding.event));
  return events
    .filter((row) => row.site_id === site_id && !bound.has(row.name) && isAlike(row.name, event))
    .toSorted((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))[0];
}

/** Whether two names differ in two letters at most, dots, dashes and underscores not counted: `order.create` and `orders_created`. */
export function isAlike(a: string, b: string): boolean {
  const [x, y] = [a, b].map((name) => name.replaceAll(/[._-]/g, ""));
  if (x === undefined || y === undefined || x === "" || Math.abs(x.length - y.length) > 2) return false;
  if (Math.min(x.length, y.length) < 6) return x === y;
  return distance(x, y) <= 2;
}

/** How many letters have to be added, removed or replaced (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** Why messages failed, by site and error code, and by template where the message itself was at fault. */
function findFailures(facts: Facts): Finding[] {
  const groups = new Map<string, OutcomeRow[]>();
  for (const row of facts.outcomes) {
    const { site_id, template, status, error_code } = row;
    const count = row.count - toldElsewhere(row, facts);
    if (status !== "failed" || error_code === "" || count <= 0) continue;
    const key = JSON.stringify([site_id, error_code, ofTemplate(error_code) ? template : null]);
    groups.set(key, [...(groups.get(key) ?? []), { ...row, count }]);
  }
  const found = [...groups.values()].flatMap((rows) => ofGroup(rows, facts));
  return [...unusableTemplates(facts), ...found];
}

/** How many of these messages another finding has, of the account's present stop or of a disabled site. */
function toldElsewhere({ site_id: siteId, template, error_code: errorCode, count }: OutcomeRow, { ofStop }: Facts): number {
  const told = ofStop.find((row) => row.site_id === siteId && row.template === template && row.error_code === errorCode);
  return errorCode === "site_disabled" || told?.more === true ? count : (told?.count ?? 0);
}

/** Whether the fault lies in one template, or its binding. */
const ofTemplate = (code: string): boolean => isContentFailure({ code, subcode: null });

/** `rows` are of one site and error code. */
function ofGroup(rows: readonly OutcomeRow[], facts: Facts): Finding[] {
  const [{ site_id: siteId, error_code: errorCode, template }] = rows as [OutcomeRow];
  const isOfTemplate = ofTemplate(errorCode);
  if (errorCode === "template_not_approved" && usersOf(facts, siteId, template).some(({ status }) => status !== "approved")) return [];
  const sample = facts.failures.filter(
    (row) => row.site_id === siteId && row.error_code === errorCode && !row.of_stop && (!isOfTemplate || row.template === template),
  );
  const slots = errorCode === "slot_unresolved" ? emptySlots(sample, facts) : [];
  if (slots.length > 0) return slots;
  const count = sum(rows.map((row) => row.count));
  const filter = { siteId, status: "failed", errorCode, ...(isOfTemplate && { template }), test: false } as const;
  return [
    {
      code: "messages_failed",
      errorCode,
      title: titleOf(errorCode),
      explanation: explain({ code: errorCode, subcode: null }),
      template: isOfTemplate ? template : null,
      count,
      more: false,
      share: shareOf(count, messagesOf(facts, siteId, isOfTemplate ? template : null)),
      lastAt: timeOf(sample[0]?.id) ?? latest(rows),
      site: siteOf(facts, siteId),
      // The list of the log would have those of the present stop, too.
      place: facts.ofStop.some((row) => row.site_id === siteId && row.error_code === errorCode)
        ? { kind: "platform" }
        : { kind: "log", filter },
    },
  ];
}

/** Which variables were empty, each with the messages that failed for it. `sample`: of one site and template, the newest first. */
function emptySlots(sample: readonly FailureRow[], facts: Facts): Finding[] {
  const bySlot = new Map<string, { problem: EmptySlot; rows: FailureRow[] }>();
  for (const row of sample) {
    for (const problem of readEmptySlots(row.empty_slots ?? "")) {
      const key = JSON.stringify([row.binding_id, problem]);
      const group = bySlot.get(key) ?? { problem, rows: [] };
      group.rows.push(row);
      bySlot.set(key, group);
    }
  }
  return [...bySlot.values()].flatMap(({ problem, rows }): Finding[] => {
    const [{ site_id: siteId, template, binding_id, id }] = rows as [FailureRow];
    const more = facts.failures.filter((row) => row.site_id === siteId).length >= facts.most;
    return [
      {
        code: "slot_empty",
        template,
        problem,
        count: rows.length,
        more,
        share: more ? null : shareOf(rows.length, messagesOf(facts, siteId, template)),
        lastAt: timeOf(id),
        site: siteOf(facts, siteId),
        place: facts.bindings.some((binding) => binding.id === binding_id)
          ? { kind: "binding", id: binding_id }
          : { kind: "log", filter: { siteId, status: "failed", errorCode: "slot_unresolved", template, test: false } },
      },
    ];
  });
}

const usersOf = ({ bindings }: Facts, siteId: string, template: string): BindingUseRow[] =>
  bindings.filter((binding) => binding.site_id === siteId && binding.template === template);

/** Templates that enabled bindings use but that cannot be sent, with the messages that failed for it. */
function unusableTemplates(facts: Facts): Finding[] {
  const used = new Map(facts.bindings.map((binding) => [`${binding.site_id} ${binding.template_id}`, binding]));
  return [...used.values()].flatMap(({ site_id: siteId, template_id: id, template, language, status, reason }): Finding[] => {
    if (status === "approved") return [];
    const rows = facts.outcomes.filter(
      (row) => row.site_id === siteId && row.template === template && row.error_code === "template_not_approved",
    );
    const count = sum(rows.map((row) => row.count));
    const sample = facts.failures.find(
      (row) => row.site_id === siteId && row.template === template && row.error_code === "template_not_approved",
    );
    return [
      {
        code: "template_not_usable",
        template,
        language,
        status,
        reason,
        count,
        more: false,
        share: shareOf(count, messagesOf(facts, siteId, template)),
        lastAt: timeOf(sample?.id) ?? latest(rows),
        site: siteOf(facts, siteId),
        place: { kind: "template", id },
      },
    ];
  });
}

const siteOf = ({ sites }: Facts, id: string): { id: string; name: string } => ({ id, name: sites.get(id)?.name ?? "" });

/** The number of a site's messages, or of one template of it if that is named. */
const messagesOf = ({ outcomes }: Facts, siteId: string, template: string | null): number =>
  sum(outcomes.filter((row) => row.site_id === siteId && (template === null || row.template === template)).map(({ count }) => count));

const shareOf = (count: number, all: number): number | null => (count === 0 || all === 0 ? null : Math.min(1, count / all));

/** The day of the last message, since only days were counted. */
function latest(rows: readonly OutcomeRow[]): string | null {
  const day = rows
    .map(({ last_day }) => last_day)
    .toSorted()
    .at(-1);
  return day === undefined ? null : `${day}T00:00:00.000Z`;
}
