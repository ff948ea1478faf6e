import type { NotificationFilterInput } from "../../core/input/log.ts";
import { dropStatuses, type NotificationStatus, type Pricing, statusFacts } from "../../core/message.ts";
import type { SiteMode } from "../../core/site.ts";
import { uuidFloor, uuidTime } from "../../core/uuid.ts";
import { unfinishedEvents } from "../event/gateway-lease.ts";
import { asksRows, type FoundEvents, isOfFound } from "../event/search.ts";
import { endOfStop, isStopped } from "../platform-account.ts";
import { type Fragment, type LogPage, type RowOf, type Sql, columns, of, one, ownersOf, scalar, withinPage } from "../statement.ts";
import selectiveMembers from "./selective-members.json" with { type: "json" };
import { failedSince, hasDropCode, isDropped, isNewest } from "./statuses.ts";

const category = "(select t.category from template t where t.id = template_id)";
/** SQL: the next attempt. The columns of the joined tables are renamed, so that none hides the message's. */
const nextAttempt = `(
  select case when p.ends_at is null and p.is_stopped and w.due_at <= now() then null else greatest(w.due_at, r.paused_until, p.ends_at) end
  from waiting_message w (of_site, of_id, of_account) left join recipient_turn r (turn_account, turn_phone, turn_site)
    on r.turn_account = w.of_account and r.turn_phone = w.phone_hash
  left join lateral (select ${isStopped("a")} as is_stopped, case when coalesce(a.limited_number = a.phone_number_id, false) then null else ${endOfStop("a")} end as ends_at
    from platform_account a where a.account_id = w.of_account and w.phone_hash not like 'test %') p on true
  where w.of_site = site_id and w.of_id = id and status = 'queued')`;
const shortErrorDetail = "case when octet_length(error_detail) <= 10000 then error_detail end";

/** What an event's messages are claimed with (`event/claim.ts` adds what the log does not show), in the order of the exported file. */
export const claimedColumns = {
  id: of<string>({ sqlType: "uuid", exportedAs: "id" }),
  site_id: of<string>({ sqlType: "uuid", exportedAs: "site" }),
  /** The event's name. */
  event: of<string>({ exportedAs: "event", holds: "mentions" }),
  event_id: of<string>({ sqlType: "uuid", exportedAs: "event_id" }),
  ...of.each(of<string>({ sqlType: "uuid" }), "binding_id", "template_id"),
  template: of<string>({ exportedAs: "template" }),
  language: of<string>({ exportedAs: "language" }),
  to_phone: of<string>({ exportedAs: "phone", holds: "phone" }),
  status: of<NotificationStatus>({ sqlType: "notification_status", exportedAs: "status" }),
  error_code: of<string | null>({ exportedAs: "error_code" }),
  error_reason: of<string | null>({ exportedAs: "error_reason", holds: "mentions" }),
  /** Its event is a test: it is counted nowhere. */
  test: of<boolean>({ sqlType: "boolean" }),
};

const { error_code, error_reason, test, ...planned } = claimedColumns;

/** A message without its content, in the order of the exported file. The API shows all of it to everyone, masked as `holds` says. */
export const notificationColumns = columns({
  ...planned,
  site_mode: of<SiteMode>({ read: "(select s.mode from site s where s.id = site_id)", stored: false }),
  /** The template's category at the platform now; null when the template is gone. */
  category: of<string | null>({ read: category, stored: false }),
  /** The template's time to live now. */
  ttl_seconds: of<number | null>({ read: "(select t.ttl_seconds from template t where t.id = template_id)", stored: false }),
  attempt: of<number>(),
  wa_message_id: of<string | null>({ exportedAs: "message_id", holds: "encoded phone" }),
  error_code,
  error_reason,
  /** JSON: the platform's whole error; null also when it is longer than 10,000 bytes. */
  error_detail: of<string | null>({ read: shortErrorDetail, holds: "mentions" }),
  sent_at: of<Date | null>({ exportedAs: "sent" }),
  delivered_at: of<Date | null>({ exportedAs: "delivered" }),
  read_at: of<Date | null>({ exportedAs: "read" }),
  failed_at: of<Date | null>({ exportedAs: "failed" }),
  test,
  resend_of: of<string | null>({ exportedAs: "resend_of" }),
  /** The attempt that stands for this one: the message that repeats it, or that it repeated if it was cancelled before it left. */
  resent_as: of<string | null>(),
  /** When a message was due that waited for its time. */
  due_at: of<Date | null>({ read: "nullif(due_at, 'infinity')" }),
  /** When a message is due next that waits for its turn. */
  next_attempt_at: of<Date | null>({ read: nextAttempt, stored: false }),
  /** The tries that were refused before the last one. */
  tries: of<{ at: string; code: string }[] | null>(),
  /** Since when the platform holds an accepted message back to judge its template; null once another status has come. */
  held_at: of<Date | null>(),
  /** From the first report that told it. */
  pricing: of<Pricing | null>({ read: "pricing - 'at'" }),
});

export type NotificationRow = RowOf<typeof notificationColumns>;

const detailColumns = columns({
  ...notificationColumns.all,
  /** JSON: the message's content. */
  components: of<string>(),
  /** The platform's whole error (JSON), of any length. */
  whole_error: of<string | null>({ read: "error_detail", stored: false }),
});

export type NotificationDetailRow = RowOf<typeof detailColumns>;

/** A page of the account's messages, newest first, those of deleted sites too, each as its newest attempt. Each site's own index gives its newest in order: see `listEvents`. */
export const listNotifications = (sql: Sql, accountId: string, filter: NotificationFilter, page: LogPage) =>
  sql<NotificationRow[]>`
    with recursive ${notificationPage(sql, accountId, filter, page)}
    select ${notificationColumns.read(sql)} from page order by id desc limit ${page.limit}`;

/** The number of messages of a filter, of one page at most. Those of a long page in order would be sorted, and all that match be read for it. */
export const countNotifications = (sql: Sql, accountId: string, filter: NotificationFilter, page: LogPage) =>
  scalar(sql<[{ count: number }]>`
    with recursive ${notificationPage(sql, accountId, filter, page, false)}
    select count(*)::integer as count from (select from page limit ${page.limit}) counted`);

export interface NotificationFilter extends Omit<NotificationFilterInput, "phone" | "waMessageId" | "failedFrom"> {
  ids?: readonly string[] | undefined;
  eventIds?: readonly string[] | undefined;
  /** The id of the message, of its event, or of its order. */
  anyId?: string | undefined;
  /** Messages that a search has found, by any of its results. */
  found?: FoundBy | undefined;
  /** All forms in which the phone may be stored. */
  phone?: readonly string[] | undefined;
  /** The messages that have the platform's id. */
  sentAs?: readonly string[] | undefined;
  /** Whether the time of waiting messages has come. */
  due?: boolean | undefined;
  /** A time: messages that failed then or later. */
  failedFrom?: Date | string | undefined;
  /** Also the attempts for which others stand. */
  everyAttempt?: true | undefined;
}

/** The meanings of a search text: phones in their stored forms, the messages that have the platform's id, events. `isEach`: each message of the page is asked. */
export type FoundBy = Record<"phone" | "sentAs", readonly string[]> & FoundEvents & { isEach?: boolean };

/**
 * Most messages have an id of their event's span of time. A search finds events, and reads those that were made later, such as resends, one by one: it goes through
 * whole spans.
 */
export const spanMs = 2 ** 12;
/** SQL: whether the message was made in a later span than its event, as a partial index has it. */
export const isLate = "left(id::text, 10) <> left(event_id::text, 10)";

/**
 * The common tables of a `with recursive …` statement that end in `page`: the newest messages of each of the account's sites, at most a page each.
 *
 * Each filter that only few rows of a long log satisfy has an index that gives its rows in order. The statement is written so that PostgreSQL uses it, and
 * repeats the condition of the partial ones (`<> ''`). One index serves both template and event name: if one of the two is not given, the statement steps
 * through its few values at the site. No other index has the order that is asked for then: of a week that is nearly gone PostgreSQL would read the rest.
 */
export const notificationPage = (sql: Sql, accountId: string, filter: NotificationFilter, page: LogPage, isOrdered = true) => sql`
  own as (${ownersOf(sql, accountId, filter)}),
  kind as (${kinds(sql, filter, isOrdered)}),
  page as (
    select ${sql.unsafe(notificationColumns.stored)} from kind cross join lateral (
      select ${sql.unsafe(notificationColumns.stored)} from ${sourceOf(sql, filter, isOrdered && isByFailure(filter) ? page : null)}
      where site_id = kind.owner ${ofKind(sql, filter, isOrdered, page)} ${conditions(sql, filter, isOrdered, page)} ${filter.found === undefined ? sql`` : isFound(sql, filter, filter.found, page)}
        ${withinPage(sql, page)}
      ${isOrdered ? sql`order by ${isByKind(filter) ? sql`template desc, event desc,` : sql``} id desc` : sql``} limit ${page.limit}
    ) found
  )`;

/** The members that leave few messages. */
const selective = selectiveMembers as (keyof NotificationFilter)[];

export const isSelective = (filter: NotificationFilter): boolean => selective.some((member) => filter[member] !== undefined);

/** Whether the index of templates and events gives the rows: no other fits better. */
const isByKind = ({ template, event, failedFrom, status = "read", ...others }: NotificationFilter): boolean =>
  (template ?? event) !== undefined && failedFrom === undefined && isCommon(status) && !isSelective(others);

/** The column of that index that the filter leaves open. */
function openColumn(filter: NotificationFilter): "template" | "event" | null {
  if (!isByKind(filter) || (filter.template !== undefined && filter.event !== undefined)) return null;
  return filter.template === undefined ? "template" : "event";
}

export const isCommon = (status: NotificationStatus): boolean => statusFacts[status].phase === "accepted";

/** The sites, or each site with every value of the open column, with each code of dropped messages, or with each of several spellings of the phone. */
function kinds(sql: Sql, filter: NotificationFilter, isOrdered: boolean) {
  const open = openColumn(filter);
  if (isCountedByCode(filter, isOrdered))
    return sql`select owner, code from own cross join unnest(${Object.keys(dropStatuses)}::text[]) code`;
  if (hasSpellings(filter)) return sql`select owner, spelling from own cross join unnest(${[...(filter.phone ?? [])]}::text[]) spelling`;
  if (open === null) return sql`select owner from own`;
  const given = open === "event" ? sql`template = ${filter.template ?? ""} and template <> ''` : sql`template <> ''`;
  const next = (owner: Fragment, after: Fragment) => sql`
    select ${sql(open)} as open from notification where site_id = ${owner} and ${given} ${after} order by ${sql(open)} limit 1`;
  return sql`
    select owner, first.open from own cross join lateral (${next(sql`own.owner`, sql``)}) first
    union all
    select kind.owner, next.open from kind cross join lateral (${next(sql`kind.owner`, sql`and ${sql(open)} > kind.open`)}) next`;
}

const hasSpellings = ({ phone }: NotificationFilter): boolean => phone !== undefined && phone.length > 1;

/** Whether each code of dropped messages is counted by itself: by all codes PostgreSQL would read whatever failed. */
const isCountedByCode = (filter: NotificationFilter, isOrdered: boolean): boolean =>
  !isOrdered && filter.status !== undefined && statusFacts[filter.status].phase === "dropped" && !isSelective(filter);

function ofKind(sql: Sql, filter: NotificationFilter, isOrdered: boolean, page: LogPage) {
  if (isCountedByCode(filter, isOrdered)) return sql`and error_code = kind.code and status = ${filter.status ?? null}`;
  if (hasSpellings(filter)) return sql`and to_phone = kind.spelling and to_phone <> ''`;
  if (!isByKind(filter)) return sql``;
  const given = (value: string | undefined) =>
    value === undefined ? sql`kind.open` : isOrdered ? sql`(select ${value}::text)` : sql`${value}`;
  const kind = sql`${given(filter.template)}, ${given(filter.event)}`;
  if (!isOrdered) return sql`and (template, event) = (${kind}) and template <> ''`;
  return sql`and (template, event, id) >= (${kind}, ${page.from ?? "00000000-0000-0000-0000-000000000000"}::uuid)
    and (template, event, id) < (${kind}, ${page.before ?? "ffffffff-ffff-ffff-ffff-ffffffffffff"}::uuid) and template <> ''`;
}

const conditions = (sql: Sql, filter: NotificationFilter, isOrdered: boolean, page: LogPage) => sql`
  ${filter.everyAttempt === true ? sql`` : sql`and ${sql.unsafe(isNewest("notification"))}`}
  ${filter.anyId === undefined ? sql`` : sql`and id = any(array(${idsOf(sql, filter.anyId)}))`}
  ${filter.ids === undefined ? sql`` : sql`and id = any(${[...filter.ids]}::uuid[])`}
  ${filter.operationId === undefined ? sql`` : sql`and id = any(array(${newestOf(sql, ofOperation(sql, filter.operationId))}))`}
  ${filter.eventId === undefined ? sql`` : sql`and event_id = ${filter.eventId}`}
  ${filter.eventIds === undefined ? sql`` : ofEvents(sql, filter.eventIds)}
  ${filter.status === undefined || isCountedByCode(filter, isOrdered) || (filter.status === "failed" && filter.failedFrom !== undefined) ? sql`` : hasStatus(sql, filter.status, isOrdered && (filter.errorCode ?? filter.errorCodes) !== undefined)}
  ${filter.errorCode === undefined ? sql`` : sql`and error_code = ${filter.errorCode}`}
  ${filter.errorCodes === undefined ? sql`` : sql`and error_code = any(${[...filter.errorCodes]}::text[])`}
  ${filter.test === undefined ? sql`` : filter.test ? sql`and test` : sql`and not test`}
  ${filter.failedFrom === undefined ? sql`` : failedLately(sql, filter, filter.failedFrom, isOrdered, page)}
  ${filter.phone?.length === 1 ? sql`and to_phone = ${filter.phone[0] ?? ""} and to_phone <> ''` : sql``}
  ${filter.sentAs === undefined ? sql`` : sql`and id = any(array(${newestOf(sql, givenIds(sql, filter.sentAs))}))`}
  ${filter.template === undefined || isByKind(filter) ? sql`` : sql`and template = ${filter.template} and template <> ''`}
  ${filter.templateId === undefined ? sql`` : sql`and template_id = ${filter.templateId}`}
  ${filter.bindingId === undefined ? sql`` : sql`and binding_id = ${filter.bindingId}`}
  ${filter.event === undefined || isByKind(filter) ? sql`` : sql`and event = ${filter.event}`}`;

/** SQL: the messages that failed then or later. A count reads the index alone, which has the code of dropped ones but not their status. */
function failedLately(sql: Sql, filter: NotificationFilter, from: Date | string, isOrdered: boolean, page: LogPage) {
  if ((filter.status ?? "failed") !== "failed") return sql`and false`;
  if (filter.ids !== undefined || (isByFailure(filter) && !isOrdered))
    return sql`and ${failedSince(sql, "notification", from)} and not ${sql.unsafe(hasDropCode("notification"))}`;
  const keys = sql`select f.id from notification f where ${failedSince(sql, "f", from)} ${withinPage(sql, page, "f.id")}`;
  return sql`${hasStatus(sql, "failed")} ${isByFailure(filter) ? sql`` : sql`and id = any(array(${keys}))`}`;
}

/** SQL: the messages of found events, whose index comes first, however few messages the other conditions leave. */
const ofEvents = (sql: Sql, eventIds: readonly string[]) =>
  sql`and id = any(array(select n.id from notification n where n.site_id = kind.owner and n.event_id = any(${[...eventIds]}::uuid[]) ${sinceFirst(sql, eventIds)}))`;

/** SQL: no message is older than its event, so that weeks before the first one are not asked. */
export const sinceFirst = (sql: Sql, eventIds: readonly string[]) =>
  eventIds.length === 0 ? sql`` : sql`and n.id >= ${uuidFloor(Math.min(...eventIds.map(uuidTime)))}`;

const givenIds = (sql: Sql, ids: readonly string[]) => sql`select unnest(${[...ids]}::uuid[])`;

const ofOperation = (sql: Sql, id: string) =>
  sql`select i.id from operation_item i where i.operation_id = ${id} and i.site_id = kind.owner`;

/** SQL: the site's attempts with these ids, and those that stand for them. */
const newestOf = (sql: Sql, ids: Fragment) => sql`
  with recursive attempt (id, next) as (
    select n.id, n.resent_as from notification n where n.site_id = kind.owner and n.id = any(array(${ids}))
    union
    select n.id, n.resent_as from attempt cross join lateral (
      select id, resent_as from notification where site_id = kind.owner and id = attempt.next limit 1) n
  )
  select id from attempt`;

/**
 * Only failed and cancelled messages have an error code, which tells the cancelled ones, and unsent ones belong to unfinished events or wait: these have
 * short indexes. A further condition on the status, or on the code where it is given, would make PostgreSQL expect almost no rows, and sort all of them.
 */
function hasStatus(sql: Sql, status: NotificationStatus, hasCode = false) {
  if (status === "failed")
    return sql`${hasCode ? sql`` : sql`and error_code is not null`} and not ${sql.unsafe(isDropped("notification"))}`;
  if (statusFacts[status].phase === "dropped") return sql`and error_code = any(${Object.keys(dropStatuses)}::text[])`;
  if (statusFacts[status].phase !== "open") return sql`and status = ${status}`;
  return sql`and status = ${status} and id = any(array(
    select n.id from notification n where n.site_id = kind.owner and n.event_id = any(array(${sql.unsafe(unfinishedEvents("kind.owner"))}))
    union all
    (select w.id from waiting_message w where w.site_id = kind.owner and w.queued_at <= now() order by w.id desc limit ${mostQueued})))`;
}

/** The most queued messages, the newest, that are searched for a filter. */
const mostQueued = 20_000;

/** Whether nearly each message that failed then or later belongs to the page, so that they are looked up one by one. */
export const isByFailure = ({ failedFrom, status = "failed", test, ...others }: NotificationFilter): boolean =>
  failedFrom !== undefined && status === "failed" && test !== true && !isSelective(others) && !asksRow(others);

const asksRow = ({ event, template, templateId, bindingId }: NotificationFilter) =>
  (event ?? template ?? templateId ?? bindingId) !== undefined;

/**
 * Scheduled messages are few, and an index has when each message failed: both give keys in order, and the limit has each message looked up by its key. A join would
 * read all messages of the site.
 */
function sourceOf(sql: Sql, { status, due, failedFrom }: NotificationFilter, page: LogPage | null): Fragment {
  const of = (keys: Fragment) => sql`(
    select w.site_id, w.id, ${sql.unsafe(besideKey)} from (${keys}) w
    cross join lateral (select ${sql.unsafe(besideKey)} from notification n where n.site_id = w.site_id and n.id = w.id limit 1) n
  ) notification`;
  if (status !== undefined && statusFacts[status].phase === "waiting")
    return of(sql`select site_id, id from waiting_message ${due === undefined ? sql`` : sql`where (queued_at <= now()) = ${due}`}`);
  if (page === null || failedFrom === undefined) return sql`notification`;
  const since = sql`${failedSince(sql, "f", failedFrom)} ${withinPage(sql, page, "f.id")}`;
  return of(sql`select f.site_id, f.id from notification f where ${since} order by f.id desc`);
}

const besideKey = notificationColumns.stored.replace("id, site_id, ", "");

const idsOf = (sql: Sql, id: string) => sql`
  (${newestOf(sql, sql`select ${id}::uuid`)})
  union all select n.id from notification n where n.site_id = kind.owner and n.event_id = ${id}
  union all select n.id from event e join notification n on n.site_id = e.site_id and n.event_id = e.id where e.site_id = kind.owner and e.order_id = ${id}`;

/** Whether the other conditions leave few messages, so that each is asked whether it is found. */
export const isNarrow = ({ phone, ids, operationId, eventId, eventIds, sentAs }: NotificationFilter): boolean =>
  (phone ?? ids ?? operationId ?? eventId ?? eventIds ?? sentAs) !== undefined;

/** SQL: `and` a condition on found messages. */
function isFound(sql: Sql, filter: NotificationFilter, found: FoundBy, page: LogPage): Fragment {
  const { phone, sentAs, eventIds } = found;
  const isSent = sql`${newestOf(sql, givenIds(sql, sentAs))}`;
  if (isNarrow(filter) || found.isEach === true)
    return sql`and (${isOfFound(sql, "notification", found)} or to_phone = any(${[...phone]}::text[]) or id = any(array(${isSent})))`;
  const within = withinPage(sql, { from: page.from, before: page.before }, "n.id");
  return sql`and id = any(array(
    select n.id from notification n where n.site_id = kind.owner and n.event_id = any(${[...eventIds]}::uuid[]) ${sinceFirst(sql, eventIds)}
    ${sentAs.length === 0 ? sql`` : sql`union all (${isSent})`}
    ${phone.length === 0 ? sql`` : sql`union all select n.id from notification n where n.site_id = kind.owner and n.to_phone = any(${[...phone]}::text[]) and n.to_phone <> '' ${within}`}
    ${asksRows(found) ? sql`union all select n.id from (select id, site_id, event_id from notification where ${sql.unsafe(isLate)}) n where n.site_id = kind.owner ${within} and ${isOfFound(sql, "n", { ...found, eventIds: [] })}` : sql``}))`;
}

/** The account's message. The condition names each of its sites, because the key begins with the site. */
export const findNotification = (sql: Sql, accountId: string, id: string) =>
  one(sql<NotificationDetailRow[]>`
    select ${detailColumns.read(sql)} from notification
    where id = ${id} and site_id = any(array(select id from site where account_id = ${accountId}))`);

/** The most attempts of a message that are shown, the newest. */
const mostAttempts = 100;

/** All attempts of a message, newest first. Those of one message belong to one event; the oldest may be gone, so that others only name it. */
export const listAttempts = (sql: Sql, { id, site_id, event_id }: Pick<NotificationRow, "id" | "site_id" | "event_id">) =>
  sql<NotificationRow[]>`
    with recursive own as (select id, resend_of from notification where site_id = ${site_id} and event_id = ${event_id}),
    attempt as (
      select id, resend_of from own where id = ${id}
      union
      select own.id, own.resend_of from attempt join own on own.id = attempt.resend_of or own.resend_of = attempt.id or own.resend_of = attempt.resend_of
    )
    select ${notificationColumns.read(sql)} from notification
    where site_id = ${site_id} and event_id = ${event_id} and id = any(array(select id from attempt)) order by id desc limit ${mostAttempts}`;

/** The messages of one site's events, with all their attempts, oldest first. Without the fence PostgreSQL reads all messages of the site in their order. */
export const listNotificationsOfEvents = (sql: Sql, siteId: string, eventIds: readonly string[], limit: number) =>
  sql<NotificationRow[]>`
    select ${notificationColumns.read(sql)} from (
      select ${sql.unsafe(notificationColumns.stored)} from notification n where site_id = ${siteId} and event_id = any(${[...eventIds]}::uuid[]) ${sinceFirst(sql, eventIds)} offset 0
    ) notification order by id limit ${limit}`;
