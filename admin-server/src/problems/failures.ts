import { dayMs } from "shared/core/durations";
import { type FoundProblem, keyOfProblem } from "shared/core/problem/problem";
import { codesOfKind, noFailures } from "shared/core/problem/rule";
import type { EmptySlot } from "shared/core/reason";
import { readEmptySlots } from "shared/core/stored-failure";
import { listTemplateStates, type TemplateStateRow } from "shared/db/alert/watch";
import { type BindingRow, findBindings } from "shared/db/binding";
import { countUnreached } from "shared/db/event/log";
import { countFailures, type FailedRow, listReasons } from "shared/db/problem/failures";
import { accountCodes, explain, titleOf } from "shared/platform/errors/classify";
import { readRowCodec } from "shared/sealing/account-rows";
import { readValue } from "shared/secrets/row-codec";
import { type Facts, type Look, knownOf, lasting, platformWords, timeOf } from "./look.ts";

/** The failed messages of one problem. `lastAt`: when its newest failed, also where a resend has replaced that since, and left others. */
type Incident = FailedRow & { lastAt: Date };

/** The problems that failed messages are part of, and how many of the last hour's each has. */
export async function findFailures(look: Look, facts: Facts): Promise<{ problems: FoundProblem[]; ofHour: number[] }> {
  const { context, accountId, known } = look;
  const counted = await countFailures(context.sql, accountId, {
    codes: { ...codesOfKind, platform_stopped: [...codesOfKind.platform_stopped, ...accountCodes] },
    none: [...noFailures],
    starts: startsOf(known),
    stoppedAt: facts.platform?.stopped_at ?? null,
    most: facts.mostOfSite,
  });
  const incidents = counted.map((row): Incident => {
    const { state = "resolved", last_at: lastAt } = knownOf(look, row) ?? {};
    return { ...row, lastAt: state !== "resolved" && lastAt !== undefined && lastAt > row.lastFailedAt ? lastAt : row.lastFailedAt };
  });
  const problems = [
    ...ofStopped(incidents, facts),
    ...(await ofTemplates(look, incidents)),
    ...(await ofBindings(look, facts, incidents)),
    ...incidents.filter(({ kind }) => kind === "messages_failed").flatMap((incident) => ofCode(incident, facts)),
  ];
  const open = new Set(problems.map(keyOfProblem));
  return { problems, ofHour: incidents.flatMap((incident) => (open.has(keyOfProblem(incident)) ? incident.ofHour : [])) };
}

const startsOf = (known: Look["known"]) =>
  known.map(({ kind, site_id, subject, state, first_at, counted_from }) => {
    const is_open = state !== "resolved";
    return { kind, site_id, subject, is_open, since: is_open ? first_at : (counted_from ?? first_at), failed_from: counted_from };
  });

const measureOf = ({ count, more, firstFailedAt: firstAt, lastAt }: Incident) => ({ count, more, firstAt, lastAt });

const isNew = ({ lastAt }: Incident, { now }: Pick<Facts, "now">): boolean => now.getTime() - lastAt.getTime() < dayMs;

function ofStopped(incidents: readonly Incident[], { platform }: Facts): FoundProblem[] {
  if (platform === undefined || platform.stopped_code === null) return [];
  const incident = incidents.find(({ kind }) => kind === "platform_stopped");
  const measure = incident === undefined ? { ...lasting, firstAt: platform.stopped_at } : measureOf(incident);
  const { stopped_code: code, stopped_reason: reason, stopped_until: until } = platform;
  const detail = {
    code,
    reason: platformWords(reason ?? ""),
    ...(until && { until: until.toISOString() }),
    ...(accountCodes.has(code) && { explanation: plain(explain({ code, subcode: null })) }),
    codes: incident?.codes ?? {},
  };
  return [{ kind: "platform_stopped", siteId: null, subject: "", detail, ...measure }];
}

/** Templates that the platform refuses, and those whose messages failed though it does not, as far as is known here. */
async function ofTemplates({ context: { sql, clock }, accountId }: Look, incidents: readonly Incident[]): Promise<FoundProblem[]> {
  const own = new Map(incidents.flatMap((incident) => (incident.kind === "template_refused" ? [[incident.subject, incident]] : [])));
  const templates = await listTemplateStates(sql, accountId, [...own.keys()]);
  return templates.flatMap((template): FoundProblem[] => {
    const { id, name, language, status, reason, archived_at: archivedAt } = template;
    const incident = own.get(id);
    if (!isRefused(template, incident, clock())) return [];
    const deletedOn = archivedAt && new Date(archivedAt.getTime() + archivedDays * dayMs).toISOString().slice(0, 10);
    const told = { reason: reason === null ? null : platformWords(reason), ...(deletedOn && { deletedOn }) };
    const detail = { name, language, status, ...told, codes: incident?.codes ?? {} };
    return [{ kind: "template_refused", siteId: null, subject: id, detail, ...(incident === undefined ? lasting : measureOf(incident)) }];
  });
}

/** How long the platform keeps a template that it has put away. */
const archivedDays = 28;

function isRefused({ status, updated_at }: TemplateStateRow, incident: Incident | undefined, now: Date): boolean {
  if (status === "rejected" || status === "paused" || status === "disabled") return true;
  if (incident === undefined || !isNew(incident, { now })) return false;
  // Once the template is approved, only what the platform itself has refused since is wrong.
  return status !== "approved" || (!("template_not_approved" in incident.codes) && incident.lastFailedAt > updated_at);
}

/** Bindings whose messages failed for want of a value since they were changed. What they lack as they stand is found beside (`findBindingFaults`). */
async function ofBindings({ context, accountId }: Look, facts: Facts, incidents: readonly Incident[]): Promise<FoundProblem[]> {
  const own = incidents.filter((incident) => incident.kind === "binding_cannot_send" && isNew(incident, facts));
  if (own.length === 0) return [];
  const ids = own.map(({ subject }) => subject);
  const bindings = new Map((await findBindings(context.sql, accountId, ids)).map((row) => [row.id, row]));
  const slots = await readSlots(context, accountId, own);
  return own.flatMap((incident) => {
    const binding = bindings.get(incident.subject);
    if (binding === undefined || incident.lastFailedAt <= binding.updated_at) return [];
    return [ofBinding(binding, facts, incident, slots.get(incident.lastId) ?? [])];
  });
}

function ofBinding(binding: BindingRow, { sites }: Facts, incident: Incident, empty: EmptySlot[]): FoundProblem {
  const { id, site_id: siteId, event, template, updated_at } = binding;
  const detail = {
    site: sites.get(siteId)?.name ?? "",
    event,
    template,
    problems: [],
    empty,
    failed: empty.length > 0 ? null : plain(explain({ code: incident.lastCode, subcode: null })),
    changedAt: updated_at.toISOString(),
    codes: incident.codes,
  };
  return { kind: "binding_cannot_send", siteId, subject: id, detail, ...measureOf(incident) };
}

/** The variables that were empty in the newest message of each incident. */
async function readSlots({ sql, vault }: Look["context"], accountId: string, incidents: readonly Incident[]) {
  const newest = incidents.map(({ lastSite, lastId }) => ({ site_id: lastSite, id: lastId }));
  const rows = await listReasons(sql, newest);
  const codec = await readRowCodec(sql, vault, accountId);
  return new Map(
    rows.map(({ id, error_code, error_reason }) => {
      const text = error_code === "slot_unresolved" ? readValue(codec, error_reason, "notification.error_reason", id, null) : null;
      return [id, readEmptySlots(text ?? "").slice(0, mostSlots)];
    }),
  );
}

const mostSlots = 5;

function ofCode(incident: Incident, { sites, now }: Facts): FoundProblem[] {
  const { siteId, subject } = incident;
  const site = sites.get(siteId ?? "");
  if (site === undefined || !isNew(incident, { now })) return [];
  const detail = { site: site.name, title: titleOf(subject), explanation: plain(explain({ code: subject, subcode: null })) };
  return [{ kind: "messages_failed", siteId, subject, detail, ...measureOf(incident) }];
}

const plain = ({ text, action }: { text: string; action: string }) => ({ text, action });

/** Events that reached nobody. */
export async function findUnreachedEvents({ context: { sql }, accountId, known }: Look, facts: Facts): Promise<FoundProblem[]> {
  const dayAgo = new Date(facts.now.getTime() - dayMs);
  const starts = startsOf(known).flatMap(({ kind, site_id, subject, is_open, since }) =>
    kind === "nobody_reached" ? [{ site_id, subject, since: is_open || since > dayAgo ? since : dayAgo }] : [],
  );
  const rows = await countUnreached(sql, accountId, starts, facts.mostOfSite);
  return rows.map(({ site_id: siteId, unreached: subject, first_id, last_id, count, more }) => {
    const detail = { site: facts.sites.get(siteId)?.name ?? "" };
    return { kind: "nobody_reached", siteId, subject, detail, count, more, firstAt: timeOf(first_id), lastAt: timeOf(last_id) };
  });
}
