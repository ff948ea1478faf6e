import type { messageStatsInput } from "shared/core/input/log";
import { findAccount } from "shared/db/account";
import { listBindingNames } from "shared/db/binding";
import type { Sql } from "shared/db/connect";
import { countByHour, type HourRow, latencyGrowth } from "shared/db/notification/hours";
import type { z } from "zod";
import { notFound } from "../trpc/errors.ts";
import { requireSite } from "../trpc/paging.ts";

/** A count of messages by status, and the median and 95th percentile of their times from the event on, in milliseconds. */
export interface MessageCounts {
  total: number;
  sent: number;
  delivered: number;
  read: number;
  failed: number;
  sentMs: Percentiles;
  deliveredMs: Percentiles;
}

/** Null where nothing is known. */
type Percentiles = { p50: number; p95: number } | null;

/** The message counts of a span, without tests, in total and by each grouping. */
export async function readMessageStats(sql: Sql, accountId: string, input: z.output<typeof messageStatsInput>) {
  const { siteId = null, from, to } = input;
  await requireSite(sql, accountId, siteId);
  const account = await findAccount(sql, accountId);
  if (account === undefined) throw notFound("account");
  const rows = await countByHour(sql, { accountId, siteId, from, to, timezone: account.timezone });
  const groups = gather(rows);
  const entries = (by: HourRow["by"]): [string, MessageCounts][] => [...(groups.get(by) ?? [])];
  const byCount = (a: [string, MessageCounts], b: [string, MessageCounts]): number => b[1].total - a[1].total;
  const names = new Map(
    (
      await listBindingNames(
        sql,
        accountId,
        entries("binding").map(([id]) => id),
      )
    ).map((row) => [row.id, row]),
  );
  const hours = new Map(entries("hour"));
  return {
    timezone: account.timezone,
    total: groups.get("all")?.get("") ?? none,
    sites: entries("site")
      .toSorted(byCount)
      .map(([id, counts]) => ({ siteId: id, ...counts })),
    templates: entries("template")
      .toSorted(byCount)
      .map(([template, counts]) => ({ template, ...counts })),
    /** `event` and `template` are null where the binding is gone. */
    bindings: entries("binding")
      .toSorted(byCount)
      .map(([id, counts]) => ({
        bindingId: id,
        event: names.get(id)?.event ?? null,
        template: names.get(id)?.template ?? null,
        ...counts,
      })),
    /** All 24, in the account's time zone. */
    hours: Array.from({ length: 24 }, (_, hour) => ({ hour, ...(hours.get(String(hour)) ?? none) })),
    days: entries("day")
      .toSorted(([a], [b]) => a.localeCompare(b))
      .map(([date, counts]) => ({ date, ...counts })),
  };
}

const none: MessageCounts = { total: 0, sent: 0, delivered: 0, read: 0, failed: 0, sentMs: null, deliveredMs: null };

/** The counts by what they are of. */
function gather(rows: readonly HourRow[]): Map<HourRow["by"], Map<string, MessageCounts>> {
  const groups = new Map<HourRow["by"], Map<string, MessageCounts>>();
  const steps = new Map<string, [step: number, count: number][]>();
  for (const { by, key, kind, step, ...counts } of rows) {
    if (kind === "count") {
      const group = groups.get(by) ?? new Map<string, MessageCounts>();
      groups.set(by, group);
      if (counts.total !== null) group.set(key ?? "", { ...none, ...counts });
    } else {
      const name = `${by} ${kind} ${key ?? ""}`;
      steps.set(name, [...(steps.get(name) ?? []), [step ?? 0, counts.total]]);
    }
  }
  for (const [by, group] of groups) {
    for (const [key, counts] of group) {
      counts.sentMs = percentilesOf(steps.get(`${by} sent ${key}`) ?? []);
      counts.deliveredMs = percentilesOf(steps.get(`${by} delivered ${key}`) ?? []);
    }
  }
  return groups;
}

/** By the nearest rank; the end of the step into which it falls, so at most a tenth too much. */
function percentilesOf(steps: readonly (readonly [step: number, count: number])[]): Percentiles {
  const sorted = steps.toSorted(([a], [b]) => a - b);
  const total = sorted.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return null;
  const at = (share: number): number => {
    let passed = 0;
    const [step] = sorted.find(([, count]) => (passed += count) >= share * total) ?? [0, 0];
    return Math.round(latencyGrowth ** step);
  };
  return { p50: at(0.5), p95: at(0.95) };
}
