import { type NotificationStatus, statusFacts } from "../../core/message.ts";
import type { Sql } from "../connect.ts";
import type { LogPage } from "../paging.ts";

export interface WaMessageRow {
  wa_message_id: string;
  site_id: string;
  id: string;
  attempt: number;
}

/** The account's notifications that the platform knows by these ids. The one statement on the log that cannot name a site. */
export const findByWaMessageIds = async (sql: Sql, accountId: string, waMessageIds: readonly string[]): Promise<WaMessageRow[]> =>
  sql<WaMessageRow[]>`
    select wa_message_id, site_id, id, attempt from notification
    where wa_message_id = any(${[...waMessageIds]}::text[]) and account_id = ${accountId}`;

/** Whom these messages of the account went to. */
export const findPhones = (sql: Sql, accountId: string, messages: readonly { siteId: string; id: string }[]) => {
  const ids = messages.map(({ id }) => id).toSorted();
  const sites = [...new Set(messages.map(({ siteId }) => siteId))];
  return sql<{ id: string; to_phone: string }[]>`
    select id, to_phone from notification
    where account_id = ${accountId} and site_id = any(${sites}::uuid[]) and id = any(${ids}::uuid[])
      and id >= ${ids[0] ?? null}::uuid and id <= ${ids.at(-1) ?? null}::uuid`;
};

/** With what was sent (JSON) and the platform's whole error (JSON) however long it is. */
export interface NotificationDetailRow extends NotificationRow {
  components: string;
  whole_error: string | null;
}

/** The account's message. Names each of the account's sites, because the key begins with it. */
export async function findNotification(sql: Sql, accountId: string, id: string): Promise<NotificationDetailRow | undefined> {
  const [row] = await sql<NotificationDetailRow[]>`
    select ${notificationColumns(sql)}, components, error_detail as whole_error from notification
    where id = ${id} and site_id = any(array(select id from site where account_id = ${accountId}))`;
  return row;
}

/** All messages of events of one site, in the order in which they were made. */
export const listNotificationsOfEvents = (sql: Sql, siteId: string, eventIds: readonly string[], limit: number) =>
  sql<NotificationRow[]>`
    select ${notificationColumns(sql)} from notification
    where site_id = ${siteId} and event_id = any(${[...eventIds]}::uuid[])
    order by id limit ${limit}`;

/** A message without what was sent in it. */
export interface NotificationRow {
  id: string;
  site_id: string;
  event_id: string;
  /** The event's name. */
  event: string;
  binding_id: string;
  template_id: string;
  template: string;
  /** The template's, as the platform sees it now; null when the template is gone. */
  category: string | null;
  language: string;
  to_phone: string;
  status: NotificationStatus;
  attempt: number;
  wa_message_id: string | null;
  error_code: string | null;
  error_reason: string | null;
  /** JSON: the platform's whole error; null also when it is very long. */
  error_detail: string | null;
  sent_at: Date | null;
  delivered_at: Date | null;
  read_at: Date | null;
  failed_at: Date | null;
  resend_of: string | null;
  resent_as: string | null;
}

/** Of a row of `notification`. */
const notificationColumns = (sql: Sql) =>
  sql`id, site_id, event_id, event, binding_id, template_id, template, (select t.category from template t where t.id = template_id) as category,
    language, to_phone, status, attempt, wa_message_id, error_code, error_reason,
    case when octet_length(error_detail) <= 10000 then error_detail end as error_detail, sent_at, delivered_at, read_at, failed_at, resend_of, resent_as`;

/** A page of the account's messages, newest first, those of deleted sites too. Each site's own index gives its newest in order: see `listEvents`. */
export const listNotifications = (sql: Sql, accountId: string, filter: NotificationFilter, page: LogPage) =>
  sql<NotificationRow[]>`
    with recursive ${notificationSource(sql, accountId, filter, page)}
    select ${notificationColumns(sql)} from page order by id desc limit ${page.limit}`;

export interface NotificationFilter {
  siteId?: string | undefined;
  /** The message's own, its event's, or its order's. */
  anyId?: string | undefined;
  eventId?: string | undefined;
  status?: NotificationStatus | undefined;
  /** The event's name. */
  event?: string | undefined;
  phone?: string | undefined;
  /** A template's name. */
  template?: string | undefined;
  waMessageId?: string | undefined;
  errorCode?: string | undefined;
  /** Only those that nobody has sent again yet. */
  notResent?: true | undefined;
}

/**
 * The common tables of a statement (`with recursive …`) that make `page`: the newest messages of each of the account's sites, as many as a page takes.
 *
 * Every filter that a long log may hardly ever satisfy has an index that gives its rows in order; the statement is shaped so that it is used, and says
 * the condition that some of them have (`<> ''`). One index serves template and event name: where one of the two is left open, its values at the site
 * (there are few) are stepped through in that index.
 */
export const notificationSource = (sql: Sql, accountId: string, filter: NotificationFilter, page: LogPage) => sql`
  own as (select id as owner from site where account_id = ${accountId} ${filter.siteId === undefined ? sql`` : sql`and id = ${filter.siteId}`}),
  kind as (${kinds(sql, filter)}),
  page as (
    select ${storedColumns(sql)} from kind cross join lateral (
      select ${storedColumns(sql)} from notification
      where site_id = kind.owner ${ofKind(sql, filter)} ${conditions(sql, filter)}
        ${page.from === null ? sql`` : sql`and id >= ${page.from}`}
        ${page.before === null ? sql`` : sql`and id < ${page.before}`}
      order by id desc limit ${page.limit}
    ) found
  )`;

const storedColumns = (sql: Sql) =>
  sql`id, site_id, event_id, event, binding_id, template_id, template, language, to_phone, status, attempt, wa_message_id, error_code, error_reason,
    error_detail, sent_at, delivered_at, read_at, failed_at, resend_of, resent_as`;

/** Which of the two columns of that index the filter leaves open; none where another index fits better. */
function openColumn(filter: NotificationFilter): "template" | "event" | null {
  const { template, event, phone, eventId, anyId, waMessageId, status, errorCode } = filter;
  const isSelective = [phone, eventId, anyId, waMessageId, errorCode].some((given) => given !== undefined);
  if (isSelective || (status !== undefined && !isCommon(status))) return null;
  if (template !== undefined && event === undefined) return "event";
  return event !== undefined && template === undefined ? "template" : null;
}

const isCommon = (status: NotificationStatus): boolean => statusFacts[status].phase === "accepted";

/** Where to look: the sites, or each with every value of the open column. */
function kinds(sql: Sql, filter: NotificationFilter) {
  const open = openColumn(filter);
  if (open === null) return sql`select owner from own`;
  const given = open === "event" ? sql`template = ${filter.template ?? ""} and template <> ''` : sql`template <> ''`;
  const column = sql(open);
  return sql`
    select owner, open from own
    cross join lateral (select ${column} as open from notification where site_id = own.owner and ${given} order by ${column} limit 1) first
    union all
    select kind.owner, next.open from kind
    cross join lateral (
      select ${column} as open from notification where site_id = kind.owner and ${given} and ${column} > kind.open order by ${column} limit 1
    ) next`;
}

function ofKind(sql: Sql, filter: NotificationFilter) {
  const open = openColumn(filter);
  return open === null ? sql`` : sql`and ${sql(open)} = kind.open and template <> ''`;
}

const conditions = (sql: Sql, filter: NotificationFilter) => sql`
  ${filter.anyId === undefined ? sql`` : sql`and id = any(array(${idsOf(sql, filter.anyId)}))`}
  ${filter.eventId === undefined ? sql`` : sql`and event_id = ${filter.eventId}`}
  ${filter.status === undefined ? sql`` : hasStatus(sql, filter.status)}
  ${filter.errorCode === undefined ? sql`` : sql`and error_code = ${filter.errorCode}`}
  ${filter.notResent === undefined ? sql`` : sql`and resent_as is null`}
  ${filter.phone === undefined ? sql`` : sql`and to_phone = ${filter.phone} and to_phone <> ''`}
  ${filter.waMessageId === undefined ? sql`` : sql`and wa_message_id = ${filter.waMessageId}`}
  ${filter.template === undefined ? sql`` : sql`and template = ${filter.template} and template <> ''`}
  ${filter.event === undefined ? sql`` : sql`and event = ${filter.event}`}`;

/**
 * Whatever failed has a code, nothing else has, and whatever is not yet sent belongs to an event that is not finished: two short indexes. To ask for
 * the status as well would make PostgreSQL expect next to no rows, and sort all that there are.
 */
function hasStatus(sql: Sql, status: NotificationStatus) {
  if (status === "failed") return sql`and error_code is not null`;
  if (statusFacts[status].phase !== "open") return sql`and status = ${status}`;
  return sql`and status = ${status} and event_id = any(array(select e.id from event e where e.lease_until is not null and e.site_id = kind.owner))`;
}

const idsOf = (sql: Sql, id: string) => sql`
  select ${id}::uuid
  union all select n.id from notification n where n.site_id = kind.owner and n.event_id = ${id}
  union all select n.id from event e join notification n on n.site_id = e.site_id and n.event_id = e.id where e.site_id = kind.owner and e.order_id = ${id}`;
