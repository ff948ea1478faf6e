import { dayMs } from "shared/core/durations";
import { backlogInput, messageStatsInput, overviewInput, pricingInput } from "shared/core/input/log";
import { notificationStatuses, type NotificationStatus } from "shared/core/message";
import { firstInstantAt, wallTimeAt } from "shared/core/time-zone";
import { findAccount } from "shared/db/account";
import { listBindingNames } from "shared/db/binding";
import { countByHour, deliveredStep, type HourRow, latencyGrowth } from "shared/db/notification/hours";
import { readPrices } from "shared/db/notification/price";
import { countNotifications, type OverviewRow } from "shared/db/notification/statistics";
import type { Sql } from "shared/db/statement";
import { readBacklog } from "shared/db/waiting/list";
import { explain, titleOf } from "shared/platform/errors/classify";
import type { z } from "zod";
import { absent } from "../trpc/errors.ts";
import { present, requireSite } from "../trpc/paging.ts";
import { shownValue } from "../trpc/roles.ts";
import { readerProcedure, router, viewerProcedure } from "../trpc/trpc.ts";

export const statsRouter = router({
  overview: readerProcedure.input(overviewInput).query(async ({ ctx, input }) => {
    const { accountId } = ctx.caller;
    const { siteId = null, siteMode } = input;
    const timezone = await timezoneOf(ctx.sql, accountId, siteId);
    const span = "days" in input ? lastDays(input.days, timezone, ctx.clock()) : { from: input.from, to: input.to };
    return presentOverview(await countNotifications(ctx.sql, { accountId, siteId, siteMode, ...span, timezone }));
  }),

  messages: readerProcedure.input(messageStatsInput).query(async ({ ctx, input }) => {
    const { accountId, role } = ctx.caller;
    return shownValue(await readMessageStats(ctx.sql, accountId, input), role);
  }),

  pricing: readerProcedure.input(pricingInput).query(async ({ ctx, input: { siteId = null, ...input } }) => {
    const { accountId } = ctx.caller;
    await requireSite(ctx.sql, accountId, siteId);
    return { items: [...(await readPrices(ctx.sql, { accountId, siteId, ...input }))] };
  }),

  backlog: viewerProcedure.input(backlogInput).query(async ({ ctx, input: { siteId = null, siteMode } }) => {
    await requireSite(ctx.sql, ctx.caller.accountId, siteId);
    const row = (await readBacklog(ctx.sql, ctx.caller.accountId, { siteId, siteMode })) ?? absent("account");
    return {
      ...present(row, "queued", "due", "scheduled", "paused", "per_second", "limit_per_second"),
      ...present(row, "oldest_queued_seconds", "oldest_due_seconds"),
    };
  }),
});

/** The account's time zone, once the site is known to be the account's. */
async function timezoneOf(sql: Sql, accountId: string, siteId: string | null): Promise<string> {
  await requireSite(sql, accountId, siteId);
  const account = (await findAccount(sql, accountId)) ?? absent("account");
  return account.timezone;
}

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
    /** Null where the last day is as of now; what WhatsApp reports of earlier days counts within a minute. */
    countedAt: rows.find(({ by }) => by === "counted")?.date ?? null,
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

/** A count of messages by status, and the median and 95th percentile of their times from the event on, in milliseconds. */
export type MessageCounts = Record<"total" | "sent" | "delivered" | "read" | "failed", number> &
  Record<"sentMs" | "deliveredMs", Percentiles>;

/** Null where no message has such a time. */
type Percentiles = { p50: number; p95: number } | null;

/** The message counts of a span, without tests, in total and by each grouping. */
export async function readMessageStats(sql: Sql, accountId: string, input: z.output<typeof messageStatsInput>, exact = false) {
  const { siteId = null, siteMode, from, to } = input;
  const timezone = await timezoneOf(sql, accountId, siteId);
  const rows = await countByHour(sql, { accountId, siteId, siteMode, from, to, timezone, exact });
  const entries = (keyOf: KeyOf) => [...gatherHours(rows, keyOf)];
  const byCount = (keyOf: KeyOf) => entries(keyOf).toSorted(([one, a], [other, b]) => b.total - a.total || (one < other ? -1 : 1));
  const bindings = byCount((row) => row.binding_id);
  const ids = bindings.map(([id]) => id);
  const names = new Map((await listBindingNames(sql, accountId, ids)).map(({ id, site_id: siteId, ...row }) => [id, { siteId, ...row }]));
  const hours = gatherHours(rows, (row) => row.hour);
  return {
    timezone,
    /** As in `overview`. */
    countedAt: rows.find((row) => row.counted_at !== null)?.counted_at ?? null,
    total: gatherHours(rows, ({ day }) => day && "").get("") ?? noMessages,
    sites: byCount((row) => row.site_id).map(([siteId, counts]) => ({ siteId, ...counts })),
    templates: byCount((row) => row.template).map(([template, counts]) => ({ template, ...counts })),
    /** `siteId`, `event` and `template` are null if the binding is gone. */
    bindings: bindings.map(([bindingId, counts]) => ({ bindingId, ...(names.get(bindingId) ?? unnamed), ...counts })),
    /** All 24 hours, in the account's time zone. */
    hours: Array.from({ length: 24 }, (_, hour) => ({ hour, ...(hours.get(String(hour)) ?? noMessages) })),
    days: entries((row) => row.day)
      .toSorted(([a], [b]) => a.localeCompare(b))
      .map(([date, counts]) => ({ date, ...counts })),
  };
}

const noMessages: MessageCounts = { total: 0, sent: 0, delivered: 0, read: 0, failed: 0, sentMs: null, deliveredMs: null };
const unnamed: Record<"siteId" | "event" | "template", string | null> = { siteId: null, event: null, template: null };

type KeyOf = (row: HourRow) => string | null;

/** The counts by key; rows without one are left out. */
function gatherHours(rows: readonly HourRow[], keyOf: KeyOf): Map<string, MessageCounts> {
  const groups = new Map<string, MessageCounts & { steps: Record<string, number> }>();
  for (const row of rows) {
    const key = keyOf(row);
    if (key === null) continue;
    const counts = groups.get(key) ?? { ...noMessages, steps: {} };
    groups.set(key, counts);
    for (const name of ["total", "sent", "delivered", "read", "failed"] as const) counts[name] += row[name];
    for (const [step, count] of Object.entries(row.steps ?? {})) counts.steps[step] = (counts.steps[step] ?? 0) + count;
  }
  const times = (steps: Record<string, number>) => ({ sentMs: percentilesOf(steps, 0), deliveredMs: percentilesOf(steps, deliveredStep) });
  return new Map([...groups].map(([key, { steps, ...counts }]) => [key, { ...counts, ...times(steps) }]));
}

/** The nearest rank: the end of the step into which it falls, so at most a tenth too much. `first`: the first of the steps that count. */
function percentilesOf(counts: Record<string, number>, first: number): Percentiles {
  const steps = Object.entries(counts).map(([step, count]) => [Number(step) - first, count] as const);
  const sorted = steps.filter(([step]) => step >= 0 && step < deliveredStep).toSorted(([a], [b]) => a - b);
  const total = sorted.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return null;
  const at = (share: number): number => {
    let passed = 0;
    const [step] = sorted.find(([, count]) => (passed += count) >= share * total) ?? [0, 0];
    return Math.round(latencyGrowth ** step);
  };
  return { p50: at(0.5), p95: at(0.95) };
}
