import type { RequestProblem } from "../core/requested.ts";
import { dueWork, isFree, type Lease } from "./owned.ts";
import type { SiteRetention } from "./retention.ts";
import { type RowOf, type Sql, changedRows, columns, hasRows, of, one, scalar, valuesOf } from "./statement.ts";

export type RequestKind = "replay" | "backfill" | "test";

const shownColumns = {
  ...of.texts("id", "site_id"),
  kind: of<RequestKind>(),
  /** The event that is run once more; null for a test. */
  replay_of: of<string | null>(),
  done_at: of<Date | null>(),
  /** The reason why there is no such event; null if there is one, or while the request waits. */
  problem: of<RequestProblem | null>(),
};

const requestedColumns = columns(shownColumns);

/** An event that somebody asked for. */
export type RequestedEventRow = RowOf<typeof requestedColumns>;

const claimedColumns = columns({
  ...shownColumns,
  /** The only bindings that run; both null: all bindings of the event's name. */
  ...of.each(of<string | null>(), "binding_id", "template_id"),
  /** The content of a test; payload and phone are sealed. */
  ...of.each(of<string | null>(), "name", "payload", "phone"),
});

/** A request that this gateway takes. */
export type ClaimedRequest = RowOf<typeof claimedColumns>;

/** No event is taken while a person is erased, so that it cannot bring their data back. */
const nobodyIsErased = `not exists (select from erasure e where e.account_id = requested_event.account_id and e.finished_at is null)
  and not exists (select from erasure_request r where r.account_id = requested_event.account_id and r.state = 'confirmed')`;

/** The requests that wait. */
export const requests = dueWork<ClaimedRequest>({
  table: "requested_event",
  key: "id",
  columns: claimedColumns,
  isOpen: `done_at is null and ${nobodyIsErased}`,
});

/** Ends a request, and deletes the payload of a test, which its event has now. */
export const finishRequest = (sql: Sql, id: string, lease: Lease, problem: RequestProblem | null) =>
  requests.release(sql, id, lease, sql`done_at = now(), problem = ${problem}, payload = null, phone = null`);

export type NewRequest = Omit<ClaimedRequest, "done_at" | "problem"> & {
  account_id: string;
  request_id: string;
  operation_id?: string;
};

/** Asks for an event; a request that was made before is answered instead. */
export async function insertRequest(sql: Sql, request: NewRequest): Promise<RequestedEventRow & { isNew: boolean }> {
  const [made] = await sql<RequestedEventRow[]>`
    insert into requested_event ${valuesOf(sql, request)} on conflict (account_id, request_id) where request_id is not null do nothing
    returning ${requestedColumns.read(sql)}`;
  if (made !== undefined) return { ...made, isNew: true };
  const [known] = await sql<[RequestedEventRow]>`
    select ${requestedColumns.read(sql)} from requested_event where account_id = ${request.account_id} and request_id = ${request.request_id}`;
  return { ...known, isNew: false };
}

/** How many requests of a kind the account has made in the last minute. */
export const countLately = (sql: Sql, accountId: string, kind: RequestKind) =>
  scalar(sql<[{ count: number }]>`
    select count(*)::integer as count from requested_event
    where account_id = ${accountId} and kind = ${kind} and id >= uuid_at(now() - interval '1 minute')`);

/** Deletes the requests of an operation that no gateway has taken yet; answers how many. */
export const takeBackRequests = (sql: Sql, operationId: string) =>
  changedRows(sql`
    delete from requested_event where operation_id = ${operationId} and not counted and done_at is null and ${sql.unsafe(isFree)}`);

/** Whether requests of an operation wait, or their messages are not among its own yet. */
export const hasOpenRequests = (sql: Sql, operationId: string) =>
  hasRows(sql`select from requested_event where operation_id = ${operationId} and not counted limit 1`);

const mostShown = 20;

/** The requests about an event, newest first. */
export const listRequestsOf = (sql: Sql, siteId: string, eventId: string) =>
  sql<RequestedEventRow[]>`
    select ${requestedColumns.read(sql)} from requested_event where site_id = ${siteId} and replay_of = ${eventId} order by id desc limit ${mostShown}`;

/** The request with that id, if it is the account's. */
export const findRequest = (sql: Sql, accountId: string, id: string) =>
  one(sql<RequestedEventRow[]>`select ${requestedColumns.read(sql)} from requested_event where id = ${id} and account_id = ${accountId}`);

/**
 * Deletes a site's waiting tests: their payloads may name anybody. Answers how many of its requests are being taken, and may still bring back data that is
 * erased meanwhile.
 */
export async function forgetRequests(sql: Sql, siteId: string): Promise<{ deleted: number; open: number }> {
  const gone = await sql`delete from requested_event where site_id = ${siteId} and payload is not null and owner is null`;
  const open = await sql`select from requested_event where site_id = ${siteId} and not ${sql.unsafe(isFree)} limit 1`;
  return { deleted: gone.count, open: open.count };
}

/** Deletes the waiting tests of all of the account's sites. */
export const forgetTestsOfAccount = (sql: Sql, accountId: string) =>
  sql`delete from requested_event where account_id = ${accountId} and payload is not null and owner is null`;

/** Deletes a site's requests that are older than the log, and tests that have waited longer than payloads are kept. */
export const deleteRequestsBefore = (sql: Sql, { site_id: siteId, log_before, payloads_before }: SiteRetention, limit: number) =>
  changedRows(sql`
    delete from requested_event where id = any(array(
      select id from requested_event where site_id = ${siteId} and (id < ${log_before} or (payload is not null and id < ${payloads_before})) limit ${limit}))`);
