import type { ReconcileProblem } from "../core/reason.ts";
import type { PhoneMode, SiteMode, SourceType } from "../core/site.ts";
import type { TopicMap } from "../core/sources/sources.ts";
import { deleteRefusedRequests } from "./refused-request.ts";
import { deleteProven } from "./site-proven.ts";
import { containing } from "./sql-text.ts";
import {
  type IdPage,
  type RowOf,
  type Sql,
  asJson,
  columns,
  countRows,
  hasRows,
  newestFirst,
  of,
  one,
  scalars,
  valuesOf,
} from "./statement.ts";
import { cancelOfSite } from "./waiting/cancel.ts";

const keyHint = "(select hint from site_secret where site_id = site.id and kind = 'api_key' and expires_at is null)";
const sourceHint = "(select hint from site_secret where site_id = site.id and kind = 'source_secret' and expires_at is null)";
const reconcile = `(select json_build_object('hint', k.hint, 'since', k.created_at, 'last_at', r.last_at, 'taken', r.taken, 'problem', r.problem, 'problem_since', r.problem_since)
  from reconcile r join site_secret k on k.id = r.key_id where r.site_id = site.id)`;
const lastEventId = "(select event.id from event where event.site_id = site.id order by event.id desc limit 1)";

/** The columns of a site that people set. */
const ownColumns = {
  ...of.texts("name", "url"),
  source_type: of<SourceType>(),
  enabled: of<boolean>(),
  test_phone: of<string | null>(),
  ...of.each(of<boolean>(), "require_timestamp", "require_signed_timestamp"),
  rate_limit_per_second: of<number | null>(),
  /** How long idempotency keys count; null: five minutes. */
  idempotency_hours: of<number | null>(),
  /** True while the site's messages wait. */
  hold_messages: of<boolean>(),
  /** The country (ISO 3166-1 alpha-2) of phones without a country code. */
  country: of<string | null>(),
  topic_map: of<TopicMap>(),
  normalize_phones: of<PhoneMode>(),
  /** Whether messages whose event is answered are tried again later. */
  retry_after_answer: of<boolean>(),
};

const siteColumns = columns({
  ...of.texts("id", "account_id"),
  mode: of<SiteMode>(),
  ...ownColumns,
  /** The token in the site's inbound address. */
  inbound_token: of<string>(),
  /** The time of the first request with a valid signature; null before. */
  connected_at: of<Date | null>(),
  /** The time at which the shop first tried the address with an unsigned request; null before. */
  pinged_at: of<Date | null>(),
  created_at: of<Date>(),
  /** The last change of what people set, the shop's secrets included. */
  updated_at: of<Date>(),
  /** The hint of the current API key. */
  key_hint: of<string>({ read: keyHint, stored: false }),
  /** The hint of the current source secret; null without one. */
  source_hint: of<string | null>({ read: sourceHint, stored: false }),
  /** Null without a key. */
  reconcile: of<ReconcileState | null>({ read: reconcile, stored: false }),
  /** The last event, whose id carries its time; null before the first. */
  last_event_id: of<string | null>({ read: lastEventId, stored: false }),
});

/** The state of fetching the shop's orders. Times are in PostgreSQL's form of JSON. */
interface ReconcileState {
  /** The hint of the key. */
  hint: string;
  since: string;
  last_at: string | null;
  taken: number;
  problem: ReconcileProblem | null;
  problem_since: string | null;
}

/** A site without its secrets. */
export type SiteRow = RowOf<typeof siteColumns>;

type OwnValues = Pick<SiteRow, keyof typeof ownColumns>;

export type NewSite = Pick<SiteRow, "id" | "account_id" | "inbound_token" | "mode"> &
  Omit<OwnValues, "enabled" | "require_timestamp" | "rate_limit_per_second">;

/** Adds a site without key and secret: nobody can post to it yet. */
export const insertSite = (sql: Sql, site: NewSite) => sql`insert into site ${storedValues(sql, site)}`;

const storedValues = (
  sql: Sql,
  { topic_map, ...plain }: SitePatch & Partial<Pick<SiteRow, "id" | "account_id" | "inbound_token" | "mode">>,
) => valuesOf(sql, { ...plain, ...(topic_map !== undefined && { topic_map: asJson(sql, topic_map) }) });

/** How many sites the account has; deleted ones do not count. */
export const countSites = (sql: Sql, accountId: string) =>
  countRows(sql, sql`select from site where account_id = ${accountId} and deleted_at is null`);

/** The account's site, unless it was deleted. */
export const findSite = (sql: Sql, accountId: string, id: string) =>
  one(sql<SiteRow[]>`
    select ${siteColumns.read(sql)} from site where id = ${id} and account_id = ${accountId} and deleted_at is null`);

/** Also true of a deleted site, whose log is still there. */
export const isSiteOfAccount = (sql: Sql, accountId: string, id: string) =>
  hasRows(sql`select id from site where id = ${id} and account_id = ${accountId}`);

/** The ids of all the account's sites, also of deleted ones, whose log is still there. */
export const listSiteIds = (sql: Sql, accountId: string) =>
  scalars(sql<{ id: string }[]>`select id from site where account_id = ${accountId} order by id`);

export type SiteStateRow = Pick<SiteRow, "id" | "name" | "mode" | "enabled" | "hold_messages" | "test_phone"> & {
  /** The number of messages that wait only for the end of the site's pause; counts no further than `mostWaiting`. */
  waiting: number;
  /** The number of its enabled bindings. */
  bindings: number;
};

/** The most waiting messages of a site that are counted. */
export const mostWaiting = 1000;

/** Whether the account's sites take events and send, and how many messages wait at those that do not send. */
export const listSiteStates = (sql: Sql, accountId: string) =>
  sql<SiteStateRow[]>`
    select id, name, mode, enabled, hold_messages, test_phone,
      case when hold_messages then (select count(*)::integer from (select from waiting_message w where w.site_id = site.id and w.queued_at <= now() limit ${mostWaiting}) w) else 0 end as waiting,
      (select count(*)::integer from binding b where b.site_id = site.id and b.enabled) as bindings
    from site where account_id = ${accountId} and deleted_at is null order by id`;

export interface SiteFilter {
  /** Part of the name or of the URL, in any case. */
  search?: string | undefined;
  /** True for sites that pause sending or refuse events. */
  halted?: boolean | undefined;
  /** These alone, deleted ones too. */
  ids?: readonly string[] | undefined;
}

/** A page of the account's sites, newest first. `before`: the id that the page starts after, null for the first. */
export const listSites = (sql: Sql, accountId: string, { search, halted, ids }: SiteFilter, page: IdPage) =>
  sql<SiteRow[]>`
    select ${siteColumns.read(sql)} from site
    where account_id = ${accountId} and ${ids === undefined ? sql`deleted_at is null` : sql`id = any(${[...ids]}::uuid[])`}
      ${search === undefined ? sql`` : sql`and (name ilike ${containing(search)} or url ilike ${containing(search)})`}
      ${halted === undefined ? sql`` : sql`and (hold_messages or not enabled) = ${halted}`} ${newestFirst(sql, page)}`;

/**
 * Locks the account's sites until the transaction ends, in the order of their ids, so that two transactions cannot wait for each other; answers the ids of
 * those that exist. Call it before any write to recipients or bindings, whose triggers write the site's row.
 */
export const lockSites = async (sql: Sql, accountId: string, ids: readonly string[]) =>
  new Set(
    await scalars(sql<{ id: string }[]>`
      select id from site where id = any(${[...ids]}::uuid[]) and account_id = ${accountId} and deleted_at is null order by id for no key update`),
  );

export type SitePatch = Partial<OwnValues>;

/** Changes the members of the patch; undefined when the account has no such site. */
export const updateSite = (sql: Sql, accountId: string, id: string, patch: SitePatch) =>
  // The id is written too, so that a patch may be empty.
  one(sql<SiteRow[]>`
    update site set ${storedValues(sql, { ...patch, id })}
    where id = ${id} and account_id = ${accountId} and deleted_at is null
    returning ${siteColumns.read(sql)}`);

/** Gives the site another inbound address; the former one ends at once. False when the account has no such site. */
export const renewInboundToken = (sql: Sql, accountId: string, id: string, token: string) =>
  hasRows(sql`update site set inbound_token = ${token} where id = ${id} and account_id = ${accountId} and deleted_at is null returning id`);

/** Notes the site's first request with a valid signature. */
export const noteConnected = (sql: Sql, id: string, at: Date) =>
  sql`update site set connected_at = ${at}::timestamptz where id = ${id} and connected_at is null`;

/** Notes the first unsigned request by which the site's shop tries the address. */
export const notePinged = (sql: Sql, id: string, at: Date) =>
  sql`update site set pinged_at = ${at}::timestamptz where id = ${id} and pinged_at is null`;

/** Makes gateways read the site again after a row has moved away from it: the one change that no trigger sees. */
export const touchSite = (sql: Sql, id: string) => sql`update site set config_version = config_version + 1 where id = ${id}`;

/** Deletes the account's site with its secrets, bindings, recipients and waiting messages; its row stays for the log. Call it in a transaction. False if there is none. */
export async function deleteSite(sql: Sql, accountId: string, id: string): Promise<boolean> {
  const rows = await sql`
    update site set deleted_at = now(), enabled = false, test_phone = null
    where id = ${id} and account_id = ${accountId} and deleted_at is null
    returning id`;
  if (rows.length === 0) return false;
  await cancelOfSite(sql, id);
  await sql`delete from site_secret where site_id = ${id}`;
  // Gateways that record deliveries lock the endpoints in the same order.
  await sql`with locked as materialized (select id from webhook where site_id = ${id} order by id for update) delete from webhook w using locked where w.id = locked.id`;
  await sql`delete from site_topic where site_id = ${id}`;
  await deleteProven(sql, id);
  await deleteRefusedRequests(sql, id, null);
  await sql`delete from binding where site_id = ${id}`;
  await sql`delete from site_recipient where site_id = ${id}`;
  return true;
}

/** Who has paused the sending of a site last, as far as the audit is kept. */
export const findPauser = (sql: Sql, accountId: string, siteId: string) =>
  one(sql<{ id: string; actor: string }[]>`
    select id, actor from audit_entry e where account_id = ${accountId} and action = 'sites.update' and subject = ${siteId}
      and exists (select from json_array_elements(changes) c where c->>'member' = 'holdMessages' and c->>'after' = 'true') order by id desc limit 1`);
