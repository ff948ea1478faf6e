import type { FoundProblem } from "shared/core/problem/problem";
import { uuidFloor } from "shared/core/uuid";
import { countNotifications, type NotificationFilter } from "shared/db/notification/log";
import { listNotices } from "shared/db/platform-notice";
import { listCategoryChanges } from "shared/db/template";
import { readSends } from "shared/db/waiting/pace";
import { titleOf } from "shared/platform/errors/classify";
import { unansweredCodes } from "shared/platform/errors/known-errors";
import { spamCode } from "shared/platform/errors/waits";
import { countedFrom, type Find, type Look } from "./look.ts";
import { lasting } from "./texts.ts";

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
  const count = (filter: NotificationFilter, from: string | null) =>
    countNotifications(sql, accountId, { siteMode: "live", ...filter }, { from, before: null, limit: mostCounted });
  const codes: Record<string, number> = {};
  for (const code of unansweredCodes) {
    const filter = { errorCodes: [code], test: false, failedFrom: row?.counted_from ?? undefined };
    const failed = await count({ status: "failed", ...filter }, uuidFloor(firstAt.getTime()));
    if (failed > 0) codes[code] = failed;
  }
  const waiting = await count({ status: "queued" }, null);
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

/** What the platform tells, and whether it answers. */
export const platformFinders: readonly Find[] = [findFailing, findNotices, findCategories];
