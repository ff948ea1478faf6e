import { mostBackfilled } from "../core/requested.ts";
import { newId } from "./ids.ts";
import { type IdPage, type RowOf, type Sql, columns, firstId, hasRows, newestFirst, of, one, scalars, valuesOf } from "./statement.ts";

const requests = (condition: string) => `(select count(*)::integer from requested_event r where r.backfill_id = b.id and ${condition})`;

const backfillColumns = columns(
  {
    ...of.texts("id", "account_id", "site_id", "binding_id", "created_by"),
    /** The client's id of its request; a repeat with it is the same request. */
    request_id: of<string>(),
    event: of<string>(),
    /** Events with smaller ids are left out. */
    above: of<string>(),
    /** Events with this id or a greater one are left out too. */
    below: of<string>(),
    /** The last event that was looked at. */
    position: of<string>(),
    /** The number of events at the start, and of those that were requested. */
    ...of.each(of<number>(), "total", "asked"),
    created_at: of<Date>(),
    ...of.each(of<Date | null>(), "cancelled_at", "finished_at"),
    /** The numbers of requests that a gateway has taken, and that it could not take. */
    taken: of<number>({ read: requests("r.done_at is not null and r.problem is null"), stored: false }),
    refused: of<number>({ read: requests("r.problem is not null"), stored: false }),
    open: of<number>({ read: requests("r.done_at is null"), stored: false }),
  },
  "b",
);

/** A request to run earlier events for a binding. */
export type BackfillRow = RowOf<typeof backfillColumns>;

type Span = Pick<BackfillRow, "site_id" | "binding_id" | "event" | "above" | "below">;

/** Adds a backfill and answers its id; a repeated request gets the id of the first. Undefined while another backfill of the account runs. */
export async function insertBackfill(
  sql: Sql,
  backfill: Span & Pick<BackfillRow, "id" | "account_id" | "created_by" | "request_id" | "total">,
): Promise<string | undefined> {
  await sql`insert into backfill ${valuesOf(sql, { ...backfill, position: firstId })} on conflict do nothing`;
  const [id] = await scalars(sql<{ id: string }[]>`
    select id from backfill where account_id = ${backfill.account_id} and request_id = ${backfill.request_id}`);
  return id;
}

export const findBackfill = (sql: Sql, accountId: string, id: string) =>
  one(sql<BackfillRow[]>`select ${backfillColumns.read(sql)} from backfill b where b.id = ${id} and b.account_id = ${accountId}`);

/** A page of a binding's backfills, newest first. */
export const listBackfills = (sql: Sql, bindingId: string, page: IdPage) =>
  sql<BackfillRow[]>`
    select ${backfillColumns.read(sql)} from backfill b where b.binding_id = ${bindingId} ${newestFirst(sql, page, "b.id")}`;

/** Cancels a backfill: events that it has not asked for yet are left out. */
export const cancelBackfill = (sql: Sql, id: string) =>
  sql`update backfill set cancelled_at = coalesce(cancelled_at, now()) where id = ${id} and finished_at is null`;

/**
 * The live events of a span that the binding has not had, neither when they came nor when they were run once more, in the order in which they came. An
 * event's messages are made with it: those that were made meanwhile at the site, if they are not too many, tell of nearly all events. Of the others one week or two are looked
 * into, event by event: a join would read all messages of the site, and so would a plan that expects few such events and sorts them (`is_had is null`).
 */
const missedEvents = (
  sql: Sql,
  { site_id, binding_id, event, above, below }: Span,
  page: { after: string; last: string | null; limit: number },
) => sql`
  with looked as materialized (
    select id, test or dry_run as is_trial from event
    where site_id = ${site_id} and name = ${event} and name <> '' and id >= ${above} and id < ${below} and id > ${page.after}
      ${page.last === null ? sql`` : sql`and id <= ${page.last}`}
    order by id limit ${mostLooked}
  ),
  had as materialized (
    select made.event_id from (select min(id::text)::uuid as first, max(id::text)::uuid as last from looked) ends cross join lateral (
      select event_id, binding_id from notification
      where site_id = ${site_id} and id >= ends.first and id < uuid_at(uuid_time(ends.last) + interval '1 second') order by id limit ${4 * mostLooked}
    ) made where made.binding_id = ${binding_id}
  )
  select e.id from (select id from looked where not is_trial and id not in (select event_id from had)) e left join lateral (
    select true as is_had from notification n
    where n.site_id = ${site_id} and n.event_id = e.id and n.binding_id = ${binding_id}
      and n.id >= uuid_at(uuid_time(e.id)) and n.id < uuid_at(uuid_time(e.id) + interval '1 day') limit 1
  ) own on true
  where not coalesce(own.is_had, false)
    and not exists (select from requested_event r where r.id = e.id)
    and not exists (select from requested_event r where r.kind = 'backfill' and r.binding_id = ${binding_id} and r.replay_of = e.id)
    and not exists (select from requested_event r join notification n on n.site_id = ${site_id} and n.event_id = r.id and n.binding_id = ${binding_id}
      where r.site_id = ${site_id} and r.replay_of = e.id)
  order by e.id limit ${page.limit}`;

/** The last of the next events of a span, as many as one statement looks at; null when there are not so many. */
const endOfStretch = async (sql: Sql, { site_id, event, above, below }: Span, after: string): Promise<string | null> =>
  (
    await scalars(sql<{ id: string }[]>`
    select id from event where site_id = ${site_id} and name = ${event} and name <> '' and id >= ${above} and id < ${below} and id > ${after}
    order by id offset ${mostLooked - 1} limit 1`)
  )[0] ?? null;

/** The events of one statement, and for how many milliseconds one search goes on: one that a page waits for, and one that work is done by. */
const mostLooked = 1_000;
export const mostPreviewedMs = 50;
const mostSearchedMs = 400;

/**
 * The first missed events of a span after an id. Where the binding has had nearly all, a search ends before it has found as many as `limit`: `searchedTo` is the
 * last event that it has looked at, null at the end of the span.
 */
export async function findMissedEvents(sql: Sql, span: Span, page: { after: string; limit: number }, mostMs = mostSearchedMs) {
  const until = performance.now() + mostMs;
  const ids: string[] = [];
  let searchedTo: string | null = page.after;
  do {
    const last: string | null = await endOfStretch(sql, span, searchedTo);
    const stretch = { after: searchedTo, last, limit: page.limit - ids.length };
    ids.push(...(await scalars(sql<{ id: string }[]>`${missedEvents(sql, span, stretch)}`)));
    searchedTo = ids.length === page.limit ? (ids.at(-1) ?? null) : last;
  } while (searchedTo !== null && ids.length < page.limit && performance.now() < until);
  return { ids, searchedTo };
}

/**
 * An open backfill, locked until the transaction ends; undefined while another server has it. Each is given to a server at most once in `restMs`, over all
 * servers, which sets its pace: those of earlier versions look for one as well.
 */
export const holdBackfill = (sql: Sql, id: string, restMs: number) =>
  one(sql<BackfillRow[]>`
    select ${backfillColumns.read(sql)} from backfill b
    where b.id = ${id} and b.finished_at is null and b.worked_at <= now() - make_interval(secs => ${restMs / 1000})
    for update of b skip locked`);

/** Whether a backfill has not finished; false also once it is gone, with its binding. */
export const isBackfillOpen = (sql: Sql, id: string) => hasRows(sql`select from backfill where id = ${id} and finished_at is null`);

/** Adds requests for the next events of a locked backfill, at most `limit`; answers whether nothing is left to ask for. */
export async function askForMissed(sql: Sql, backfill: BackfillRow, limit: number): Promise<boolean> {
  const { id, account_id, site_id, binding_id, position: after, asked } = backfill;
  const room = Math.min(limit, mostBackfilled - asked);
  const { ids, searchedTo } = room > 0 ? await findMissedEvents(sql, backfill, { after, limit: room }) : { ids: [], searchedTo: null };
  if (ids.length === 0 && searchedTo === null) return true;
  const rows = ids.map((of) => ({ id: newId(), of }));
  await sql`
    insert into requested_event (id, account_id, site_id, kind, replay_of, binding_id, backfill_id)
    select r.id, ${account_id}, ${site_id}, 'backfill', r.of, ${binding_id}, ${id}
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as r(id uuid, of uuid) order by r.id
    on conflict (binding_id, replay_of) where kind = 'backfill' do nothing`;
  await sql`update backfill set position = ${searchedTo ?? ids.at(-1) ?? after}, asked = asked + ${rows.length} where id = ${id}`;
  return false;
}

/** The most messages a second that the platform takes from a number: more ahead of a backfill makes no difference. */
const mostAhead = 1_000;

/**
 * The account's pace, and what leaves before a backfill's next messages: one message of each recipient that is due, as those behind it wait for their own turn,
 * and what the binding itself has waiting.
 */
export const readAhead = (sql: Sql, { account_id, site_id, binding_id }: BackfillRow) =>
  one(sql<{ limit_per_second: number | null; ahead: number }[]>`
    select a.messages_per_second as limit_per_second, (select count(*)::integer from (
      (select from site s join recipient_turn t on t.site_id = s.id and t.owner is null and t.due_at <= now()
        where s.account_id = a.id and not s.hold_messages and s.deleted_at is null limit ${mostAhead})
      union all
      (select from site s join waiting_message w on w.site_id = s.id and w.binding_id = ${binding_id} and w.queued_at <= now()
        where s.id = ${site_id} and not s.hold_messages limit ${mostAhead})
    ) first) as ahead
    from account a where a.id = ${account_id}`);

/** Records that a backfill was worked on now, and whether it is finished. */
export const restBackfill = (sql: Sql, id: string, isFinished: boolean) =>
  sql`update backfill set worked_at = clock_timestamp(), finished_at = case when ${isFinished} then now() end where id = ${id}`;

/** Deletes the site's finished backfills with smaller ids than `before`. */
export const deleteBackfillsBefore = (sql: Sql, siteId: string, before: string) =>
  sql`delete from backfill where site_id = ${siteId} and finished_at is not null and id < ${before}`;
