import { uuidTime } from "shared/core/uuid";
import type { Sql } from "shared/db/connect";
import { listBusyHours, listLastEvents } from "shared/db/event/log";
import { isSilent, longestPause, longestSilenceMs, shortestSilenceMs } from "./silence.ts";

/** The enabled sites whose events stay away for longer than is usual for them, the longest silent last. */
export async function findSilentSites(sql: Sql, accountId: string, now: Date) {
  const quiet = (await listLastEvents(sql, accountId))
    .map((row) => ({ siteId: row.site_id, name: row.name, at: new Date(uuidTime(row.last_event_id)) }))
    .filter(({ at }) => isWorthALook(now.getTime() - at.getTime()));
  if (quiet.length === 0) return [];
  const hours = new Map((await listBusyHours(sql, quiet)).map((row) => [row.site_id, row.hours]));
  return quiet
    .flatMap(({ siteId, name, at }) => {
      const longestPauseHours = longestPause(hours.get(siteId) ?? []);
      if (longestPauseHours === null || !isSilent(now.getTime() - at.getTime(), longestPauseHours)) return [];
      return [{ siteId, name, lastEventAt: at.toISOString(), longestPauseHours }];
    })
    .toSorted((a, b) => b.lastEventAt.localeCompare(a.lastEventAt));
}

const isWorthALook = (quietMs: number): boolean => quietMs > shortestSilenceMs && quietMs < longestSilenceMs;
