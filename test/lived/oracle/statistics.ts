import { scaled } from "../../faults/harness/scale.ts";
import { countBy, groupBy, idsOf, type Look, newest, pick } from "./compare.ts";
import { codeOf, readCsv } from "./messages.ts";
import type { MessageRow } from "./rows.ts";
import { dayBegin, dayMs, hourMs, iso, localTime, madeAt, within } from "./times.ts";

/** The figures of the overview, the statistics and the templates, of all sites and of each. */
export async function checkStatistics(look: Look): Promise<void> {
  for (const siteId of [undefined, ...new Set(look.counted.map((row) => row.siteId))]) {
    const here = { ...look, counted: look.counted.filter((row) => siteId === undefined || row.siteId === siteId) };
    for (const check of [checkOverview, checkByHour, checkValues]) await check(here, siteId);
  }
  await checkTemplates(look);
}

const statuses = ["scheduled", "cancelled", "queued", "sending", "sent", "failed", "delivered", "read"] as const;
type ByStatus = Record<(typeof statuses)[number], number>;
const byStatus = (rows: readonly MessageRow[]): ByStatus => {
  const counts = countBy(rows, ({ status }) => status);
  return Object.fromEntries(statuses.map((status) => [status, counts[status] ?? 0])) as ByStatus;
};

const daysAgo = ({ now, timezone }: Look, days: number): number => dayBegin(now.getTime() - days * dayMs, timezone);

/** Whole days in the account's time zone, and a span that begins and ends within hours. */
const spansOf = (look: Look): [from: number, to: number][] => [
  [daysAgo(look, 29), dayBegin(daysAgo(look, 0) + 1.25 * dayMs, look.timezone)],
  [daysAgo(look, 4), daysAgo(look, 2)],
  [look.now.getTime() - 36 * hourMs, look.now.getTime() - hourMs / 3],
];

/** The items by a member, and of each the members that are counted. */
const keyed = <Item extends object>(items: readonly Item[], key: string, names: string) =>
  new Map(items.map((item) => [String(item[key as keyof Item]), pick(item, names)]));
const mapped = <To>(groups: ReadonlyMap<string, MessageRow[]>, to: (rows: MessageRow[]) => To) =>
  new Map([...groups].map(([key, rows]) => [key, to(rows)]));

type Overview = Record<"sites" | "templates", object[]> & { totals: ByStatus; days: { date: string }[]; errors: Value[] };

async function checkOverview(look: Look, siteId: string | undefined): Promise<void> {
  const { ask, same, timezone } = look;
  const lastDays = [7, 30].map((days): [object, number, number] => [{ days }, daysAgo(look, days - 1), Infinity]);
  const spans = spansOf(look).map(([from, to]): [object, number, number] => [{ from: iso(from), to: iso(to) }, from, to]);
  for (const [span, from, to] of [...lastDays, ...spans]) {
    const rows = within(look.counted, from, to);
    const said = await ask<Overview>("stats.overview", { ...span, siteId });
    const where = `stats.overview ${JSON.stringify({ ...span, siteId })}`;
    const days = groupBy(rows, ({ id }) => localTime(madeAt(id), timezone).date);
    // Every day of the span is listed, those without a message too.
    for (const { date } of said.days) days.set(date, days.get(date) ?? []);
    const names = statuses.join(" ");
    same(`${where}: totals`, said.totals, byStatus(rows));
    same(`${where}: days`, keyed(said.days, "date", names), mapped(days, byStatus));
    const [ofSites, ofTemplates] = [groupBy(rows, (row) => row.siteId), groupBy(rows, ({ template }) => template)];
    same(`${where}: sites`, keyed(said.sites, "siteId", names), mapped(ofSites, byStatus));
    same(`${where}: templates`, keyed(said.templates, "template", names), mapped(ofTemplates, byStatus));
    const failed = groupBy(rows, (row) => (row.status === "failed" ? codeOf(row) : null));
    same(
      `${where}: errors`,
      keyed(said.errors, "code", "count"),
      mapped(failed, ({ length: count }) => ({ count })),
    );
  }
}

type Times = { p50: number; p95: number } | null;
type Figures = { total: number; sentMs: Times; deliveredMs: Times };
type Named = Figures & Record<string, string | number>;

/** A read message was also delivered and sent. */
function reached(rows: readonly MessageRow[]) {
  const { sent, delivered, read, failed } = byStatus(rows);
  return { total: rows.length, sent: sent + delivered + read, delivered: delivered + read, read, failed };
}
const figures = "total sent delivered read failed";

async function checkByHour(look: Look, siteId: string | undefined): Promise<void> {
  const { ask, file, same, timezone } = look;
  for (const [from, to] of spansOf(look)) {
    const input = { from: iso(from), to: iso(to), ...(siteId !== undefined && { siteId }) };
    const rows = within(look.counted, from, to);
    const where = `stats.messages ${JSON.stringify(input)}`;
    const said = await ask<Record<string, Named[]> & { total: Figures }>("stats.messages", input);
    same(`${where}: total`, pick(said.total, figures), reached(rows));
    sameTimes(look, `${where}: total`, said.total, rows);
    const groups: [name: string, key: string, of: (row: MessageRow) => string][] = [
      ["site", "siteId", (row) => row.siteId],
      ["binding", "bindingId", ({ bindingId }) => bindingId],
      ["template", "template", ({ template }) => template],
      ["hour", "hour", ({ id }) => String(localTime(madeAt(id), timezone).hour)],
      ["day", "date", ({ id }) => localTime(madeAt(id), timezone).date],
    ];
    const lines = [["all", "", ...Object.values(reached(rows))].join(" ")];
    for (const [name, key, of] of groups) {
      const expected = groupBy(rows, of);
      const some = (said[`${name}s`] ?? []).filter(({ total }) => total > 0);
      same(`${where}: ${name}s`, keyed(some, key, figures), mapped(expected, reached));
      for (const item of some) {
        const value = String(item[key]);
        sameTimes(look, `${where}: ${name} ${value}`, item, expected.get(value) ?? []);
      }
      for (const [value, own] of expected) lines.push([name, name === "binding" ? "" : value, ...Object.values(reached(own))].join(" "));
    }
    const records = readCsv(await file(`statistics.csv?${new URLSearchParams(input).toString()}`));
    const told = records.map(({ by, name, messages, sent, delivered, read, failed }) =>
      [by, by === "binding" ? "" : name, messages, sent, delivered, read, failed].join(" "),
    );
    const isFull = (line: string): boolean => !line.endsWith(" 0 0 0 0 0");
    same(`${where}: as a file`, told.filter(isFull).toSorted(), lines.filter(isFull).toSorted());
  }
}

/** Half and 95 of a hundred of the messages needed at most so long, up to a tenth too much. Those that waited, and resends, are left out. */
function sameTimes({ same }: Look, where: string, said: Figures, rows: readonly MessageRow[]): void {
  const fresh = rows.filter((row) => row.resendOf === null && row.dueAt === null);
  for (const [name, member] of [["sentMs", "sentAt"] as const, ["deliveredMs", "deliveredAt"] as const]) {
    const took = fresh.flatMap(({ eventId, [member]: at }) => (at === null ? [] : [Math.max(0, at.getTime() - madeAt(eventId))]));
    took.sort((one, other) => one - other);
    const exact = (share: number): number => took[Math.ceil(took.length * share) - 1] ?? 0;
    const fits = (ms: number, share: number): boolean => ms >= exact(share) - 1 && ms <= exact(share) * 1.1 + 2;
    const times = said[name];
    const right = times === null ? took.length === 0 : fits(times.p50, 0.5) && fits(times.p95, 0.95);
    if (!right) same(`${where}: ${name}`, times, { p50: exact(0.5), p95: exact(0.95), of: took.length });
  }
}

type Value = { value: string; count: number | null; countIsLeast: boolean };

/** The values that a filter offers, with their counts; the bindings of a field are as many as it says. */
async function checkValues({ ask, list, same, rows, now, counted }: Look, siteId: string | undefined): Promise<void> {
  const values = async (field: string) => (await ask<{ items: Value[] }>("notifications.filterValues", { field, siteId })).items;
  const codes = await values("errorCode");
  const failed = within(counted, now.getTime() - 30 * dayMs).filter(({ status }) => status === "failed");
  const said = codes.some(({ countIsLeast }) => countIsLeast) ? null : new Map(codes.map(({ value, count }) => [value, count]));
  if (said !== null) same(`notifications.filterValues errorCode ${siteId}`, said, countBy(failed, codeOf));
  const ofSite = siteId === undefined ? {} : { siteId };
  for (const { value, count } of (await values("field")).slice(0, scaled(4, 20))) {
    const found = await list("bindings.list", { field: value, ...ofSite });
    same(`bindings.list ${value} ${siteId}`, found.length, count, "as filterValues says");
  }
  if (siteId === undefined) return;
  const bound = rows.bindings.map((binding) => ({ siteId: binding.siteId, name: binding.event }));
  const names = new Set([...rows.events, ...bound].filter((row) => row.siteId === siteId).map(({ name }) => name));
  same(`notifications.filterValues event ${siteId}`, (await values("event")).map(({ value }) => value).toSorted(), [...names].toSorted());
}

type Usage = { templateId: string; sites: object[]; more: boolean; medianReadSeconds: number | null };

async function checkTemplates({ ask, lists, same, rows, counted, now }: Look): Promise<void> {
  const none = { draft: 0, pending: 0, approved: 0, rejected: 0, paused: 0, disabled: 0 };
  const { counts } = await ask<{ counts: object }>("templates.counts", {});
  same("templates.counts", counts, { ...none, ...countBy(rows.templates, ({ status }) => status) });
  const ofStatus = groupBy(newest(rows.templates), ({ status }) => status);
  for (const status of Object.keys(none)) await lists("templates.list", { status }, ofStatus.get(status) ?? []);
  const ids = idsOf(rows.templates).slice(0, 200);
  const { items } = ids.length === 0 ? { items: [] } : await ask<{ items: Usage[] }>("templates.usage", { ids });
  for (const { templateId, sites, more, medianReadSeconds: median, ...said } of items) {
    const template = rows.templates.find(({ id }) => id === templateId);
    const where = `templates.usage ${template?.name}`;
    const bound = groupBy(rows.bindings, (binding) => (binding.templateId === templateId ? binding.siteId : null));
    const expected = [...bound].map(([siteId, own]) => ({
      siteId,
      bindings: own.length,
      enabled: own.filter((one) => one.enabled).length,
    }));
    same(`${where}: sites`, keyed(sites, "siteId", "bindings enabled"), keyed(expected, "siteId", "bindings enabled"));
    if (more) continue;
    const isOf = (row: MessageRow): boolean => row.template === template?.name && row.language === template.language;
    const recent = within(counted, now.getTime() - 30 * dayMs).filter(isOf);
    const { sent, delivered, read, failed } = reached(recent);
    // What the platform took and reported as failed later was accepted, too.
    const accepted = sent + recent.filter(({ status, waMessageId }) => status === "failed" && waMessageId !== null).length;
    same(where, pick(said, "accepted tried delivered read"), { accepted, tried: sent + failed, delivered, read });
    // Of a message that was read within the second in which it left, the platform's whole seconds tell nothing.
    const took = recent.flatMap(({ sentAt, readAt }) => (sentAt === null || readAt === null || readAt < sentAt ? [] : [+readAt - +sentAt]));
    took.sort((one, other) => one - other);
    const middle = ((took[Math.ceil(took.length / 2) - 1] ?? 0) + (took[Math.floor(took.length / 2)] ?? 0)) / 2_000;
    if (median === null || Math.abs(median - middle) > 0.01) same(`${where}: median`, median, took.length === 0 ? null : middle);
  }
}
