import { backlogInput, overviewInput, unreachedInput } from "shared/core/input/log";
import { noInput } from "shared/core/input/values";
import { notificationStatuses, type NotificationStatus } from "shared/core/message";
import { describeReason } from "shared/core/reason";
import type { Role } from "shared/core/role";
import { readUnreachedKey } from "shared/core/unreached";
import { uuidTime } from "shared/core/uuid";
import { findAccount } from "shared/db/account";
import type { Sql } from "shared/db/connect";
import { countUnreached, type LastEventRow, listBusyHours, listLastEvents, mostUnreached, type UnreachedRow } from "shared/db/event/log";
import { countNotifications, type OverviewRow } from "shared/db/notification/statistics";
import { readBacklog } from "shared/db/waiting/list";
import { classify, explain } from "shared/platform/errors/classify";
import { localErrors } from "shared/platform/errors/local-errors";
import { notFound } from "../trpc/errors.ts";
import { requireSite, toLogPage } from "../trpc/paging.ts";
import { shownText, shownValue } from "../trpc/roles.ts";
import { router, viewerProcedure } from "../trpc/trpc.ts";

export const statsRouter = router({
  overview: viewerProcedure.input(overviewInput).query(async ({ ctx, input }) => {
    const { accountId } = ctx.caller;
    const { siteId = null, from, to } = input;
    await requireSite(ctx.sql, accountId, siteId);
    const account = await findAccount(ctx.sql, accountId);
    if (account === undefined) throw notFound("account");
    return presentOverview(await countNotifications(ctx.sql, { accountId, siteId, from, to, timezone: account.timezone }));
  }),

  backlog: viewerProcedure.input(backlogInput).query(async ({ ctx, input: { siteId = null } }) => {
    await requireSite(ctx.sql, ctx.caller.accountId, siteId);
    const row = await readBacklog(ctx.sql, ctx.caller.accountId, siteId);
    if (row === undefined) throw notFound("account");
    return {
      queued: row.queued,
      scheduled: row.scheduled,
      oldestQueuedSeconds: row.oldest_queued_seconds,
      perSecond: row.per_second,
      limitPerSecond: row.limit_per_second,
    };
  }),

  unreached: viewerProcedure.input(unreachedInput).query(async ({ ctx, input: { siteId, from, to } }) => {
    const { accountId, role } = ctx.caller;
    await requireSite(ctx.sql, accountId, siteId);
    const range = toLogPage({ from: from ?? ctx.clock().getTime() - 7 * dayMs, to });
    const rows = await countUnreached(ctx.sql, accountId, { siteId, from: range.from, before: range.before });
    return { items: rows.flatMap((row) => presentUnreached(row, role)) };
  }),

  silentSites: viewerProcedure
    .input(noInput)
    .query(async ({ ctx }) => ({ items: await findSilentSites(ctx.sql, ctx.caller.accountId, ctx.clock()) })),
});

function presentUnreached(row: UnreachedRow, role: Role) {
  const reasonCode = readUnreachedKey(row.unreached);
  if (reasonCode === null) return [];
  return {
    siteId: row.site_id,
    siteName: row.site_name,
    /** Names the reason in the filter of `events.list`. */
    key: shownText(row.unreached, role),
    reason: shownText(describeReason(reasonCode), role),
    reasonCode: shownValue(reasonCode, role),
    count: row.count,
    /** Whether the site may have more events than are counted. */
    more: row.of_site >= mostUnreached,
    lastEventAt: new Date(uuidTime(row.last_event_id)).toISOString(),
  };
}

/** Enabled sites of which nothing has come for unusually long, the longest silent last. */
async function findSilentSites(sql: Sql, accountId: string, now: Date) {
  const quiet = (await listLastEvents(sql, accountId))
    .map((row) => ({ siteId: row.site_id, name: row.name, sourceType: row.source_type, isShop: isShop(row), at: lastSign(row) }))
    .filter(({ at }) => isWorthALook(now.getTime() - at.getTime()));
  if (quiet.length === 0) return [];
  const hours = new Map((await listBusyHours(sql, quiet)).map((row) => [row.site_id, row.hours]));
  return quiet
    .flatMap(({ siteId, name, sourceType, isShop, at }) => {
      const busyHours = hours.get(siteId) ?? [];
      const longestPauseHours = longestPause(busyHours);
      const quietMs = now.getTime() - at.getTime();
      if (!(longestPauseHours === null ? isShop && isShopSilent(quietMs, busyHours) : isSilent(quietMs, longestPauseHours))) return [];
      return [{ siteId, name, sourceType, lastEventAt: at.toISOString(), longestPauseHours }];
    })
    .toSorted((a, b) => b.lastEventAt.localeCompare(a.lastEventAt));
}

/** A shop that posts by itself. */
const isShop = ({ source_type, connected_at }: LastEventRow): boolean => source_type !== "generic" && connected_at !== null;

/** Of a shop that posts its last request, whatever its topic: events that were fetched from it do not show that it still posts. */
function lastSign(row: LastEventRow): Date {
  if (isShop(row) && row.last_posted_at !== null) return row.last_posted_at;
  const event = row.last_event_id === null ? 0 : uuidTime(row.last_event_id);
  return new Date(Math.max(event, ...[row.last_posted_at, row.connected_at].map((at) => at?.getTime() ?? 0)));
}

const isWorthALook = (quietMs: number): boolean => quietMs > shortestSilenceMs && quietMs < longestSilenceMs;

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** A site's rhythm is known after so many hours with events, spread over so long. */
const fewestBusyHours = 5;
const shortestSpanHours = 48;
/** Shorter silences alarm nobody; after longer ones the site has not just gone silent. */
const shortestSilenceMs = 2 * hourMs;
const longestSilenceMs = 30 * dayMs;

/**
 * The longest pause between two events, in hours, nights and weekends included. Null while the rhythm is unknown.
 * @param busyHours The hours with events, counted back from the last one, ascending.
 */
export function longestPause(busyHours: readonly number[]): number | null {
  const span = (busyHours.at(-1) ?? 0) - (busyHours[0] ?? 0);
  if (busyHours.length < fewestBusyHours || span < shortestSpanHours) return null;
  return busyHours.reduce((longest, hour, index) => Math.max(longest, hour - (busyHours[index - 1] ?? hour)), 1);
}

/** Whether a shop whose rhythm is unknown has been quiet for long: a busy one over a weekend, another for a week. */
export const isShopSilent = (quietMs: number, busyHours: readonly number[]): boolean =>
  quietMs > (busyHours.length >= fewestBusyHours ? 3 : 7) * dayMs;

/** Whether a site has been quiet for clearly longer than its longest pause. */
export const isSilent = (quietMs: number, longestPauseHours: number): boolean => quietMs > (longestPauseHours * 1.5 + 1) * hourMs;

type Counts = Record<NotificationStatus, number>;

/** Includes every status and day, also empty ones, but only sites, templates and error codes with messages. */
function presentOverview(rows: readonly OverviewRow[]) {
  const days = gather(rows, "day", (row) => row.date);
  const totals = noneOfAny();
  for (const counts of days.values()) for (const status of notificationStatuses) totals[status] += counts[status];
  return {
    totals,
    days: [...days].map(([date, counts]) => ({ date, ...counts })),
    sites: [...gather(rows, "site", (row) => row.site_id)].map(([siteId, counts]) => ({ siteId, ...counts })),
    templates: [...gather(rows, "template", (row) => row.template)].map(([template, counts]) => ({ template, ...counts })),
    errors: rows
      .flatMap(({ by, error_code: code, count }) =>
        by === "error" && code !== null && code !== ""
          ? [{ code, title: titleOf(code), explanation: explain({ code, subcode: null }), count }]
          : [],
      )
      .toSorted((a, b) => b.count - a.count),
  };
}

function gather(rows: readonly OverviewRow[], by: OverviewRow["by"], keyOf: (row: OverviewRow) => string | null): Map<string, Counts> {
  const groups = new Map<string, Counts>();
  for (const row of rows) {
    const key = row.by === by ? keyOf(row) : null;
    if (key === null) continue;
    const counts = groups.get(key) ?? noneOfAny();
    groups.set(key, counts);
    if (row.status !== null) counts[row.status] += row.count;
  }
  return groups;
}

const titleOf = (code: string): string => localErrors.get(code)?.title ?? classify({ code }).title;

const noneOfAny = (): Counts => Object.fromEntries(notificationStatuses.map((status) => [status, 0])) as Counts;
