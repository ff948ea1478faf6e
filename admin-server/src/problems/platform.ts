import { dayMs, hourMs } from "shared/core/durations";
import type { FoundProblem } from "shared/core/problem/problem";
import { uuidFloor, uuidTime } from "shared/core/uuid";
import { findDataKey, withoutMark } from "shared/db/account";
import { type LastEventRow, listBusyHours, listLastEvents } from "shared/db/event/log";
import { type NotificationFilter, countNotifications } from "shared/db/notification/log";
import { findPlatformCredentials } from "shared/db/platform-account";
import { findPlatformHealth } from "shared/db/platform-health";
import { listNotices } from "shared/db/platform-notice";
import { listSealedSecrets } from "shared/db/site-secret";
import { listCategoryChanges } from "shared/db/template";
import { readSends } from "shared/db/waiting/pace";
import { titleOf } from "shared/platform/errors/classify";
import { unansweredCodes } from "shared/platform/errors/known-errors";
import { spamCode } from "shared/platform/errors/waits";
import { type Place, placeIn, readRecord, secretPlace } from "shared/secrets/vault";
import { type Find, type Look, countedFrom, lasting, platformWords } from "./look.ts";

/** Fewer sends say little. */
const fewestSends = 20;
/** A part of them without a sensible answer that is too large. */
const isBad = ({ count, unanswered }: { count: number; unanswered: number }): boolean => unanswered > 0 && unanswered * 5 >= count;

/** The most messages of a code that are counted. */
const mostCounted = 10_000;

/** The platform answers too few messages of the last five minutes; it ends with five minutes in a row that are good. */
const findFailing: Find = async ({ context: { sql, clock }, accountId, known }) => {
  const minutes = await readSends(sql, accountId);
  const total = minutes.reduce((sum, { count }) => sum + count, 0);
  const unanswered = minutes.reduce((sum, minute) => sum + minute.unanswered, 0);
  const row = known.find(({ kind }) => kind === "platform_failing");
  const since = row === undefined || row.state === "resolved" ? null : row.first_at;
  const isFailing = (total >= fewestSends && isBad({ count: total, unanswered })) || (since !== null && minutes.some(isBad));
  if (!isFailing) return [];
  // Its first messages came before it was found.
  const firstAt = since ?? new Date(clock().getTime() - 5 * 60_000);
  const resolvedAt = row?.counted_from ?? firstAt;
  const count = (filter: NotificationFilter) =>
    countNotifications(sql, accountId, { siteMode: "live", ...filter }, { from: null, before: null, limit: mostCounted });
  const codes: Record<string, number> = {};
  for (const code of unansweredCodes) {
    const failedFrom = resolvedAt > firstAt ? resolvedAt : firstAt;
    const failed = await count({ status: "failed", errorCodes: [code], test: false, failedFrom });
    if (failed > 0) codes[code] = failed;
  }
  const waiting = await count({ status: "queued" });
  const more = [...Object.values(codes), waiting].includes(mostCounted);
  const detail = { unanswered, total, codes, waiting };
  return [{ kind: "platform_failing", siteId: null, subject: "", detail, ...lasting, firstAt, count: unanswered, more }];
};

/** Whether it was told since a person resolved the problem, if anybody did. */
const isNew = (look: Look, kind: "platform_notice" | "template_category", subject: string, at: Date): boolean =>
  uuidFloor(at.getTime()) >= countedFrom(look, kind, null, subject);

const findNotices: Find = async (look, { platform }) => {
  const told = await listNotices(look.context.sql, look.accountId);
  const fresh = told.filter(({ subject, told_at }) => isNew(look, "platform_notice", subject, told_at));
  const notices = fresh.map(({ subject, words, until, told_at: at }): FoundProblem => {
    const detail = { words, until: until?.toISOString() ?? null };
    return { kind: "platform_notice", siteId: null, subject, detail, count: 0, more: false, firstAt: at, lastAt: at };
  });
  if (platform?.is_limited !== true) return notices;
  const detail = { words: `${spamCode} ${titleOf(spamCode)}`, until: null };
  return [...notices, { kind: "platform_notice", siteId: null, subject: spamCode, detail, ...lasting }];
};

/** The most templates of which one look tells. */
const mostTemplates = 200;

const findCategories: Find = async (look) => {
  const changes = await listCategoryChanges(look.context.sql, look.accountId, mostTemplates);
  const fresh = changes.filter(({ id, at, done }) => !done || at === null || isNew(look, "template_category", id, at));
  return fresh.map(({ id: subject, at, ...change }) => {
    const detail = { ...change, at: at?.toISOString() ?? null };
    return { kind: "template_category", siteId: null, subject, detail, ...lasting, ...(change.done && { firstAt: at, lastAt: at }) };
  });
};

/** What the last check of the connection found, but for what a stop, and callbacks that are missed, tell. */
const findChecks: Find = async ({ context: { sql }, accountId }, { platform }) => {
  if (platform === undefined) return [];
  const { checks = [] } = (await findPlatformHealth(sql, accountId))?.result ?? {};
  return checks.flatMap(({ check, state, reason = "", said }): FoundProblem[] => {
    const failed = state === "failed";
    if (check === "callbacks" || !(failed ? platform.stopped_code === null : state === "warning")) return [];
    const detail = { check, failed, reason: platformWords(reason), ...(said && { said }) };
    return [{ kind: "connection_check", siteId: null, subject: check, detail, ...lasting }];
  });
};

/** What the platform tells, and whether it answers. */
export const platformFinders: readonly Find[] = [findFailing, findNotices, findCategories, findChecks];

/** Secrets that the master key does not open, so that gateways refuse the account's events with 503. */
export const findUnreadable: Find = async ({ context: { sql, vault }, accountId }) => {
  const [account, platform, secrets] = await Promise.all([
    findDataKey(sql, accountId),
    findPlatformCredentials(sql, accountId),
    listSealedSecrets(sql, accountId),
  ]);
  const isUnreadable = (record: string | null, at: Place): boolean => record !== null && readRecord(vault, record, at) === null;
  const unreadable = secrets.filter(({ id, kind, mode, secret }) => isUnreadable(secret, secretPlace(accountId, id, kind, mode)));
  const sites = new Map(unreadable.map(({ site_id, name }) => [site_id, name]));
  const isPlatformUnreadable =
    platform !== undefined &&
    (["access_token", "app_secret"] as const).some((name) => isUnreadable(platform[name], placeIn(`platform_account.${name}`, accountId)));
  return [
    ...(isUnreadable(withoutMark(account?.data_key ?? null), placeIn("account.data_key", accountId)) ? [problemOf("dataKey")] : []),
    ...(isPlatformUnreadable ? [problemOf("platform")] : []),
    ...Array.from(sites, ([siteId, name]) => problemOf("site", siteId, name)),
  ];
};

function problemOf(of: "dataKey" | "platform" | "site", siteId: string | null = null, name: string | null = null): FoundProblem {
  return { kind: "secret_unreadable", siteId, subject: siteId ?? of, detail: { of, name }, ...lasting };
}

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
