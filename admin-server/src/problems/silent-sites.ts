import type { FoundProblem } from "shared/core/problem/problem";
import { uuidTime } from "shared/core/uuid";
import { type LastEventRow, listBusyHours, listLastEvents } from "shared/db/event/log";
import type { Find } from "./look.ts";
import { lasting } from "./texts.ts";

/** Enabled sites that have sent nothing for unusually long. */
export const findSilent: Find = async ({ context: { sql }, accountId }, { now }) => {
  const quiet = (await listLastEvents(sql, accountId))
    .map((row) => ({ siteId: row.site_id, name: row.name, sourceType: row.source_type, isShop: isShop(row), at: lastSign(row) }))
    .filter(({ at }) => isWorthALook(now.getTime() - at.getTime()));
  const hours = new Map((quiet.length === 0 ? [] : await listBusyHours(sql, quiet)).map((row) => [row.site_id, row.hours]));
  return quiet.flatMap(({ siteId, name, sourceType, isShop, at }): FoundProblem[] => {
    const [busyHours, quietMs] = [hours.get(siteId) ?? [], now.getTime() - at.getTime()];
    const longest = longestPause(busyHours);
    if (!(longest === null ? isShop && isShopSilent(quietMs, busyHours) : isSilent(quietMs, longest))) return [];
    const detail = { name, lastEventAt: at.toISOString(), sourceType };
    return [{ kind: "site_silent", siteId, subject: siteId, detail, ...lasting, firstAt: at, lastAt: at }];
  });
};

/** Whether the site is a shop that posts by itself. */
const isShop = ({ source_type, connected_at }: LastEventRow): boolean => source_type !== "generic" && connected_at !== null;

/** The time of the site's last sign of life. For a shop it is its last request, whatever the topic: events that were fetched from it do not show that it still posts. */
function lastSign(row: LastEventRow): Date {
  if (isShop(row) && row.last_posted_at !== null) return row.last_posted_at;
  const event = row.last_event_id === null ? 0 : uuidTime(row.last_event_id);
  return new Date(Math.max(event, ...[row.last_posted_at, row.connected_at].map((at) => at?.getTime() ?? 0)));
}

const isWorthALook = (quietMs: number): boolean => quietMs > shortestSilenceMs && quietMs < longestSilenceMs;

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** A site's rhythm is known after this many hours with events, spread over this long. */
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
