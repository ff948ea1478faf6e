import { asksRows } from "../event/search.ts";
import { type Fragment, type LogPage, type Sql, findWalkEnd, mostWalked, ownersOf, scalars } from "../statement.ts";
import { type FoundBy, isByFailure, isCommon, isLate, isNarrow, isSelective, type NotificationFilter, notificationPage } from "./log.ts";

/**
 * The id at which a page ends whose filter no index serves in order, such as one by a usual status; null when it looks at all, and for others, such as tests. Messages by
 * when they failed are looked for among the newest failures, then among all unless each must be asked for more.
 */
export async function findNotificationWalkEnd(sql: Sql, accountId: string, filter: NotificationFilter, page: LogPage, most = mostWalked) {
  const { status, failedFrom, templateId, bindingId, test } = filter;
  const isOfUsual = status === undefined ? (templateId ?? bindingId ?? test) !== undefined : isCommon(status);
  const isOfFailed = (status ?? "failed") === "failed" && (!isByFailure(filter) || most < mostWalked);
  const isWalked = failedFrom === undefined ? isOfUsual : isOfFailed;
  if (!isWalked || test === true || isSelective(filter)) return null;
  const rows = sql`notification where site_id = own.owner ${failedFrom === undefined ? sql`` : sql`and error_code is not null`}`;
  return await findWalkEnd(sql, ownersOf(sql, accountId, filter), rows, page, failedFrom === undefined ? most : 2 * most);
}

/** The id down to which the found messages of a page can be read at once; null: all. */
export async function findFoundEnd(sql: Sql, accountId: string, filter: NotificationFilter & { found: FoundBy }, page: LogPage) {
  const { found, phone = [] } = filter;
  const endOf = (rows: Fragment) =>
    findWalkEnd(sql, ownersOf(sql, accountId, filter), sql`notification where site_id = own.owner and ${rows}`, page, mostAtOnce);
  const to = (phones: readonly string[]) => endOf(sql`to_phone = any(${[...phones]}::text[]) and to_phone <> ''`);
  if (found.isEach === true) return await endOf(sql`true`);
  if (isNarrow(filter)) return phone.length === 0 ? null : await to(phone);
  const ends = [asksRows(found) ? await endOf(sql.unsafe(isLate)) : null, found.phone.length === 0 ? null : await to(found.phone)];
  return ends.reduce((last, end) => (last !== null && (end === null || last > end) ? last : end));
}

/** The most late messages, messages to phones, or messages of a rare filter that one statement looks at. */
const mostAtOnce = 2_000;

/** The ids of the attempts that have what an index has of the filter: its template and event, its codes, or that they are tests. Null if they are many, and without such. */
export async function findFew(sql: Sql, accountId: string, filter: Omit<NotificationFilter, "found">, page: LogPage) {
  const { siteId, siteMode, template, event, errorCode, errorCodes, test } = filter;
  const limit = mostAtOnce + 1;
  for (const part of [{ template, event }, { errorCode, errorCodes }, { test: test === true || undefined }]) {
    if (Object.values(part).every((value) => value === undefined)) continue;
    const rows = notificationPage(sql, accountId, { siteId, siteMode, ...part, everyAttempt: true }, { ...page, limit }, false);
    const ids = await scalars(sql<{ id: string }[]>`with recursive ${rows} select id from page limit ${limit}`);
    if (ids.length < limit) return ids;
  }
  return null;
}
