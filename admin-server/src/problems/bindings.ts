import { distance } from "fastest-levenshtein";
import { bindingProblems } from "shared/core/binding";
import type { JudgedRule } from "shared/core/conditions";
import { dayMs, weekMs } from "shared/core/durations";
import type { PhoneProblem } from "shared/core/phone";
import type { EventTrace } from "shared/core/plan";
import type { FoundProblem } from "shared/core/problem/problem";
import { uuidFloor } from "shared/core/uuid";
import { type BindingRow, listBindings, listUnfired, type UnfiredRow } from "shared/db/binding";
import { listArrived, listLatestTraces, listTraces, type OutcomesRow } from "shared/db/event/log";
import { readRowCodec } from "shared/sealing/account-rows";
import { readValue } from "shared/secrets/row-codec";
import { findChangedFields } from "./fields.ts";
import { type Facts, type Look, countOf, countedFrom, lasting, timeOf } from "./look.ts";

/** The most bindings that a look judges, the newest. */
const mostBindings = 1_000;

/** Bindings that send nothing, or not what they should. */
export async function findBindingFaults(look: Look, facts: Facts): Promise<FoundProblem[]> {
  const { context, accountId } = look;
  const bindings = await listBindings(context.sql, accountId, { enabled: true }, { before: null, limit: mostBindings });
  const on = new Set(bindings.map(({ id }) => id));
  return [
    ...bindings.flatMap((binding) => ofBinding(binding, facts, on)),
    ...(await findUnfired(look, facts)),
    ...(await findMisspelt(look, facts, bindings)),
    ...(await findChangedFields(look, facts, bindings)),
    ...(await findDropped(look, facts)),
  ];
}

function ofBinding(binding: BindingRow, { sites }: Facts, on: ReadonlySet<string>): FoundProblem[] {
  const { id: subject, site_id: siteId, event, template, updated_at, equal_id } = binding;
  const problems = bindingProblems(binding.variable_map, binding.definition, "approved", binding.template_shape);
  const detail = { site: sites.get(siteId)?.name ?? "", event, template };
  const found: FoundProblem[] = [];
  if (problems.length > 0) {
    const lacks = { ...detail, problems, empty: [], failed: null, changedAt: updated_at.toISOString() };
    found.push({ kind: "binding_cannot_send", siteId, subject, detail: lacks, ...lasting });
  }
  // Of two equal ones that are on the later one is told of.
  if (equal_id !== null && on.has(equal_id) && equal_id < subject)
    found.push({ kind: "binding_doubled", siteId, subject, detail, ...lasting });
  return found;
}

const fewestEvents = 5;
const mostEvents = 1_000;
const tracesEach = 10;
const mostTraced = 20;

/** Bindings that were held back each time since they were made or changed, with the rule that did it most often. */
async function findUnfired(look: Look, { sites }: Facts): Promise<FoundProblem[]> {
  const { context, accountId, known } = look;
  const starts = known.flatMap(({ kind, subject, counted_from: since }) =>
    kind !== "binding_never_fired" || since === null ? [] : { subject, since },
  );
  const unfired = await listUnfired(context.sql, accountId, { least: fewestEvents, most: mostEvents, starts });
  if (unfired.length === 0) return [];
  const traces = await readTraces(context, accountId, unfired.slice(0, mostTraced));
  return unfired.map(({ id: subject, site_id: siteId, event, template, updated_at, count, first_id, last_id }) => {
    const rule = ruleThatFails(subject, traces);
    const detail = { site: sites.get(siteId)?.name ?? "", event, template, rule, changedAt: updated_at.toISOString() };
    const measure = { count, more: count >= mostEvents, firstAt: timeOf(first_id), lastAt: timeOf(last_id), ofSpan: true };
    return { kind: "binding_never_fired", siteId, subject, detail, ...measure };
  });
}

async function readTraces({ sql, vault, clock }: Look["context"], accountId: string, unfired: readonly UnfiredRow[]) {
  const asked = unfired.map(({ site_id: of_site, event: of_name }) => ({ of_site, of_name }));
  const range = { from: uuidFloor(clock().getTime() - weekMs), before: null };
  const codec = await readRowCodec(sql, vault, accountId);
  return (await listTraces(sql, asked, range, tracesEach)).flatMap(({ id, trace }) => {
    const text = readValue(codec, trace, "event_payload.trace", id, null);
    return text === null ? [] : [JSON.parse(text) as EventTrace];
  });
}

function ruleThatFails(bindingId: string, traces: readonly EventTrace[]): Pick<JudgedRule, "path" | "op"> | null {
  const counts = new Map<string, number>();
  for (const { bindings } of traces) {
    const unmet = bindings.find((binding) => binding.bindingId === bindingId)?.unmet;
    if (unmet === undefined || !("rules" in unmet)) continue;
    for (const { path, op } of unmet.rules) {
      const key = JSON.stringify({ path, op });
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  const [most] = [...counts].toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  return most === undefined ? null : (JSON.parse(most[0]) as Pick<JudgedRule, "path" | "op">);
}

/** Bindings whose event never comes, while nearly the same one does and has no binding. */
async function findMisspelt(look: Look, { events, sites, now }: Facts, bindings: readonly BindingRow[]): Promise<FoundProblem[]> {
  const bound = new Set(bindings.map(({ site_id, event }) => `${site_id} ${event}`));
  const unbound = events.filter(({ site_id, name }) => !bound.has(`${site_id} ${name}`));
  const seen = new Set(events.map(({ site_id, name }) => `${site_id} ${name}`));
  const candidates = bindings.flatMap((binding) => {
    if (seen.has(`${binding.site_id} ${binding.event}`)) return [];
    const other = likeName(binding, unbound);
    return other === undefined ? [] : [{ binding, other }];
  });
  if (candidates.length === 0) return [];
  const asked = candidates.map(({ binding }) => ({ of_site: binding.site_id, of_name: binding.event }));
  const arrived = new Set(
    (await listArrived(look.context.sql, asked, uuidFloor(now.getTime() - weekMs))).map(({ of_site, of_name }) => `${of_site} ${of_name}`),
  );
  return candidates.flatMap(({ binding: { id: subject, site_id: siteId, event, template }, other }): FoundProblem[] => {
    if (arrived.has(`${siteId} ${event}`)) return [];
    const detail = { site: sites.get(siteId)?.name ?? "", event, template, comes: other.name };
    const comes = countOf(
      unbound.filter((row) => row.site_id === siteId && row.name === other.name),
      countedFrom(look, "event_misspelt", siteId, subject),
    );
    return comes.count === 0 ? [] : [{ kind: "event_misspelt", siteId, subject, detail, ...comes }];
  });
}

const likeName = ({ site_id, event }: BindingRow, unbound: readonly OutcomesRow[]): OutcomesRow | undefined =>
  unbound
    .filter((row) => row.site_id === site_id && isAlike(row.name, event))
    .toSorted((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))[0];

/** Whether two names differ in two letters at most, dots, dashes and underscores not counted: `order.create` and `orders_created`. */
export function isAlike(a: string, b: string): boolean {
  const [x, y] = [a, b].map((name) => name.replaceAll(/[._-]/g, ""));
  if (x === undefined || y === undefined || x === "" || Math.abs(x.length - y.length) > 2) return false;
  if (Math.min(x.length, y.length) < 6) return x === y;
  return distance(x, y) <= 2;
}

const mostTracesOfSite = 200;

/** Phones of the last day without a message, though others of the same event got one, by binding and fault. */
async function findDropped(look: Look, { sites, now, mostOfSite }: Facts): Promise<FoundProblem[]> {
  const { accountId } = look;
  const { sql, vault } = look.context;
  const range = { from: uuidFloor(now.getTime() - dayMs), before: null };
  const rows = await listLatestTraces(sql, accountId, range, Math.min(mostTracesOfSite, mostOfSite));
  if (rows.length === 0) return [];
  const codec = await readRowCodec(sql, vault, accountId);
  const groups = new Map<string, { siteId: string; template: string; problem: PhoneProblem; ids: string[] }>();
  for (const { id, site_id: siteId, trace } of rows) {
    const text = readValue(codec, trace, "event_payload.trace", id, null);
    for (const { bindingId, template, recipients, phoneProblems = [] } of text === null ? [] : (JSON.parse(text) as EventTrace).bindings) {
      for (const { reason: problem } of recipients === 0 ? [] : phoneProblems) {
        const subject = `${bindingId} ${problem}`;
        if (id < countedFrom(look, "phones_dropped", siteId, subject)) continue;
        const group = groups.get(subject) ?? { siteId, template, problem, ids: [] };
        group.ids.push(id);
        groups.set(subject, group);
      }
    }
  }
  return [...groups].map(([subject, { siteId, template, problem, ids }]) => {
    const detail = { site: sites.get(siteId)?.name ?? "", template, problem };
    const sorted = ids.toSorted();
    const more = rows.length >= mostTracesOfSite;
    const measure = { count: ids.length, more, firstAt: timeOf(sorted[0]), lastAt: timeOf(sorted.at(-1)), ofSpan: true };
    return { kind: "phones_dropped", siteId, subject, detail, ...measure };
  });
}
