import { countBy, groupBy, idsOf, type Look, newest } from "./compare.ts";
import { codeOf } from "./messages.ts";
import { dayMs, hourMs, iso, madeAt, timeOf, within } from "./times.ts";

/** "What is wrong", of all sites and of each, and the alerts. */
export async function checkProblems(look: Look): Promise<void> {
  for (const days of [1, 7]) await checkDiagnosis(look, days);
  for (const siteId of look.sites) await checkDiagnosis(look, 7, siteId);
  await checkAlerts(look);
}

interface Found {
  code: string;
  errorCode?: string;
  template?: string | null;
  count: number;
  more: boolean;
  share: number | null;
  lastAt: string | null;
  site: { id: string } | null;
  place: { kind: string; filter?: Record<string, string> };
}

async function checkDiagnosis(look: Look, days: number, siteId?: string): Promise<void> {
  const { ask, list, same, rows, now } = look;
  const [from, to] = [now.getTime() - days * dayMs, now.getTime() + 1];
  const input = { from: iso(from), to: iso(to), siteId };
  const { items, lastFailedAt } = await ask<{ items: Found[]; lastFailedAt: string | null }>("sites.diagnose", input);
  const where = `sites.diagnose ${days} days ${siteId}`;
  // Of deleted sites nothing is wrong any more.
  const known = siteId === undefined ? look.sites : [siteId];
  const here = <Row extends { siteId: string }>(of: readonly Row[]): Row[] => of.filter((row) => known.includes(row.siteId));
  const of = (...codes: string[]): Found[] => items.filter(({ code }) => codes.includes(code));
  const bySite = (found: Found[]): Map<string, number> => new Map(found.map(({ site, count }) => [site?.id ?? "", count]));
  const ofAll = look.messages.find((row) => row.status === "failed" && (siteId === undefined || row.siteId === siteId));
  same(`${where}: lastFailedAt`, lastFailedAt, timeOf(ofAll));

  const made = within(here(look.counted), from, to);
  const failed = made.filter(({ status }) => status === "failed");
  // Two findings have words of their own for what messages failed with.
  const codes: Record<string, string> = { slot_empty: "slot_unresolved", template_not_usable: "template_not_approved" };
  const told = of("messages_failed", ...Object.keys(codes)).filter(({ count }) => count > 0);
  const sums: Record<string, number> = {};
  for (const { site, code, errorCode = codes[code], count } of told) {
    const key = `${site?.id} ${errorCode}`;
    sums[key] = (sums[key] ?? 0) + count;
  }
  const failures = countBy(failed, (row) => `${row.siteId} ${codeOf(row)}`);
  if (told.every(({ more }) => !more)) same(`${where}: failed`, sums, failures);
  for (const { site, errorCode, template, ...said } of of("messages_failed")) {
    const could = made.filter((row) => row.siteId === site?.id && (template == null || row.template === template));
    const had = could.filter((row) => row.status === "failed" && codeOf(row) === errorCode);
    const expected = [had.length, timeOf(had[0]), had.length / could.length];
    same(`${where}: ${site?.id} ${errorCode} ${template}`, [said.count, said.lastAt, said.share], expected, "count, last, share");
    const listed = await list("notifications.list", { ...said.place.filter, from: iso(from), to: iso(to - 1) });
    same(`${where}: list of ${site?.id} ${errorCode} ${template}`, listed.length, said.count, "a link opens exactly what was counted");
  }

  const events = within(here(rows.events), from, to).filter(({ dryRun }) => !dryRun);
  const live = events.filter(({ test }) => !test);
  const unreached = new Map(of("nobody_reached").map(({ site, place, count }) => [`${site?.id} ${place.filter?.["unreached"]}`, count]));
  const expected = countBy(live, (row) => row.unreached && `${row.siteId} ${row.unreached}`);
  if (of("nobody_reached").every(({ more }) => !more)) same(`${where}: nobody_reached`, unreached, expected);

  const sites = rows.sites.filter(({ id }) => known.includes(id));
  const bound = new Set(rows.bindings.filter(({ enabled }) => enabled).map((binding) => binding.siteId));
  const countOf = (some: readonly { siteId: string }[], id: string): number => some.filter((row) => row.siteId === id).length;
  const waiting = look.messages.filter(({ status }) => status === "scheduled");
  const counts = (some: typeof sites, rowsOf: readonly { siteId: string }[]) => new Map(some.map(({ id }) => [id, countOf(rowsOf, id)]));
  const tests = events.filter(({ test }) => test);
  const held = sites.filter(({ holdMessages }) => holdMessages);
  const disabled = sites.filter(({ enabled }) => !enabled);
  const unbound = sites.filter(({ id, enabled }) => enabled && !bound.has(id) && countOf(live, id) > 0);
  const phoneless = sites.filter(({ id, testPhone }) => testPhone === null && countOf(tests, id) > 0);
  same(`${where}: site_disabled`, [...bySite(of("site_disabled")).keys()].toSorted(), idsOf(disabled).toSorted());
  same(`${where}: site_held`, bySite(of("site_held")), counts(held, waiting));
  same(`${where}: site_without_bindings`, bySite(of("site_without_bindings")), counts(unbound, live));
  same(`${where}: test_without_phone`, bySite(of("test_without_phone")), counts(phoneless, tests));
  const off = here(rows.endpoints).filter(({ disabledBecause }) => disabledBecause !== null);
  same(`${where}: endpoint_off`, of("endpoint_off").length, off.length);
}

interface Alert {
  id: string;
  kind: string;
  subjectId: string | null;
  detail: { failed?: number; total?: number; percent?: number };
  raisedAt: string;
  clearedAt: string | null;
}

async function checkAlerts({ list, same, rows, now }: Look): Promise<void> {
  const items = await list<Alert>("alerts.list");
  const open = newest(rows.alerts.filter(({ clearedAt }) => clearedAt === null));
  const past = newest(rows.alerts.filter(({ clearedAt }) => clearedAt !== null));
  for (const [state, expected] of Object.entries({ current: open, past }))
    same(`alerts.list ${state}`, idsOf(newest(await list<Alert>("alerts.list", { state }))), idsOf(expected));
  same("alerts.list", idsOf(newest(items)), idsOf(newest(rows.alerts)));
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
  const refused = rows.templates.filter(({ status }) => ["rejected", "paused", "disabled"].includes(status));
  const off = rows.endpoints.filter(({ disabledBecause }) => disabledBecause !== null);
  const subjects = groupBy(open, ({ kind }) => kind);
  for (const [kind, known] of [["template_refused", refused] as const, ["endpoint_disabled", off] as const]) {
    const gone = (subjects.get(kind) ?? []).filter(({ subject }) => !idsOf(known).includes(subject));
    same(`alerts.list: open ${kind} without its cause`, gone, []);
  }
}
