import { backlogInput, messageStatsInput, overviewInput, unreachedInput } from "shared/core/input/log";
import { noInput } from "shared/core/input/values";
import { notificationStatuses, type NotificationStatus } from "shared/core/message";
import { describeReason } from "shared/core/reason";
import type { Role } from "shared/core/role";
import { firstInstantAt, wallTimeAt } from "shared/core/time-zone";
import { readUnreachedKey } from "shared/core/unreached";
import { uuidTime } from "shared/core/uuid";
import { findAccount } from "shared/db/account";
import { countUnreached, mostUnreached, type UnreachedRow } from "shared/db/event/log";
import { countNotifications, type OverviewRow } from "shared/db/notification/statistics";
import { readBacklog } from "shared/db/waiting/list";
import { explain, titleOf } from "shared/platform/errors/classify";
import { findSilentSites } from "../diagnosis/silent-sites.ts";
import { notFound } from "../trpc/errors.ts";
import { requireSite, toLogPage } from "../trpc/paging.ts";
import { shownText, shownValue } from "../trpc/roles.ts";
import { router, viewerProcedure } from "../trpc/trpc.ts";
import { readMessageStats } from "./message-stats.ts";

export const statsRouter = router({
  overview: viewerProcedure.input(overviewInput).query(async ({ ctx, input }) => {
    const { accountId } = ctx.caller;
    const { siteId = null } = input;
    await requireSite(ctx.sql, accountId, siteId);
    const account = await findAccount(ctx.sql, accountId);
    if (account === undefined) throw notFound("account");
    const { timezone } = account;
    const span = "days" in input ? lastDays(input.days, timezone, ctx.clock()) : { from: input.from, to: input.to };
    return presentOverview(await countNotifications(ctx.sql, { accountId, siteId, ...span, timezone }));
  }),

  messages: viewerProcedure.input(messageStatsInput).query(async ({ ctx, input }) => {
    const { accountId, role } = ctx.caller;
    return shownValue(await readMessageStats(ctx.sql, accountId, input), role);
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
    const range = toLogPage({ from: from ?? ctx.clock().getTime() - 7 * 86_400_000, to });
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

const dayMs = 86_400_000;

/** The last days of the account's calendar, today to its end. */
function lastDays(days: number, timezone: string, now: Date): { from: Date; to: Date } {
  const today = Math.floor(wallTimeAt(now.getTime(), timezone) / dayMs) * dayMs;
  const midnight = (daysAgo: number) => new Date(firstInstantAt(today - daysAgo * dayMs, timezone));
  return { from: midnight(days - 1), to: midnight(-1) };
}

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

const noneOfAny = (): Counts => Object.fromEntries(notificationStatuses.map((status) => [status, 0])) as Counts;
