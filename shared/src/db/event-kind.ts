import type { KnownField } from "../core/fields/known.ts";
import { maskPath } from "../core/mask.ts";
import type { SiteRetention } from "./retention.ts";
import { type IdPage, type RowOf, type Sql, columns, newestFirst, of, scalars, inTransaction } from "./statement.ts";

const eventKindColumns = columns(
  {
    ...of.texts("site_id", "name"),
    /** The last event of the kind, whose id carries its time. */
    last_event_id: of<string>(),
    fields: of<KnownField[]>(),
  },
  "k",
);

/** The events of one name that a site has received, and the fields learned from them. */
export type EventKindRow = RowOf<typeof eventKindColumns>;

/** A page of the names of the site's events, the one that was received last first. `before`: the event that the page starts after, null for the first. */
export const listEventKinds = (sql: Sql, siteId: string, page: IdPage) =>
  sql<Pick<EventKindRow, "name" | "last_event_id">[]>`
    select name, last_event_id from event_kind
    where site_id = ${siteId} ${newestFirst(sql, page, "last_event_id")}`;

/** Event names that contain a text, the last received first: names that the account's sites have received, and names of its bindings. */
export const listEventNames = (sql: Sql, accountId: string, filter: { siteId: string | undefined; search: string }, limit: number) =>
  sql<{ name: string }[]>`
    with own as (select id as owner from site where account_id = ${accountId} ${filter.siteId === undefined ? sql`` : sql`and id = ${filter.siteId}`}),
    found as (
      select k.name, k.last_event_id::text as last from own cross join lateral (
        select name, last_event_id from event_kind where site_id = own.owner and strpos(name, ${filter.search}) > 0 order by last_event_id desc limit ${limit}
      ) k
      union all
      select distinct b.event, '' from own join binding b on b.site_id = own.owner where strpos(b.event, ${filter.search}) > 0
    )
    select name from found group by name order by max(last) desc, name limit ${limit}`;

/** The known kinds among `keys`, in any order. */
export const findEventKinds = (sql: Sql, keys: readonly Pick<EventKindRow, "site_id" | "name">[]) =>
  sql<EventKindRow[]>`
    select ${eventKindColumns.read(sql)}
    from json_to_recordset(${JSON.stringify(keys)}::text::json) as r(site_id uuid, name text)
    join event_kind k on k.site_id = r.site_id and k.name = r.name`;

/** A learned field of an event's name, and the event from which on the newest ones count. */
export type FadedField = Pick<KnownField, "path" | "type" | "sampled"> & {
  of_site: string;
  of_name: string;
  types: KnownField["types"] | null;
  since: string;
};

/** The fields among `asked` that, as far as was learned, the newest `many` events of the name have no value of, or that had another type before them. */
export const listFadedFields = (sql: Sql, asked: readonly { of_site: string; of_name: string; paths: readonly string[] }[], many: number) =>
  sql<FadedField[]>`
    select of_site, of_name, f.path, f.type, f.sampled, f.types, newest.since
    from json_to_recordset(${JSON.stringify(asked)}::text::json) as asked(of_site uuid, of_name text, paths text[])
      join event_kind k on k.site_id = of_site and k.name = of_name
      cross join lateral json_to_recordset(k.fields) as f(path text, type text, sampled uuid, types json)
      cross join lateral (
        select id as since from event where site_id = of_site and event.name = of_name and event.name <> '' order by id desc offset ${many - 1} limit 1
      ) newest
    where f.path = any(paths) and f.type <> 'null'
      and (f.sampled < since or exists (select from json_each(f.types) before where (before.value->>'last')::uuid < since))
    order by of_site, of_name, f.path`;

/**
 * The payloads of the newest `many` events of names, as they are stored, of as many names as fit into `mostBytes`. Each is looked up by its event: joined, the
 * planner may read all of a site's.
 */
export const readNewestPayloads = (sql: Sql, asked: readonly { of_site: string; of_name: string }[], many: number, mostBytes: number) =>
  sql<{ of_site: string; of_name: string; id: string; payload: string }[]>`
    select of_site, of_name, id, payload from (
      select of_site, of_name, found.id, found.payload, sum(octet_length(found.payload)) over (order by of_site, of_name, found.id) as bytes
      from json_to_recordset(${JSON.stringify(asked)}::text::json) as asked(of_site uuid, of_name text) cross join lateral (
        select event.id, kept.payload from event
          cross join lateral (select payload from event_payload where site_id = event.site_id and id = event.id limit 1) kept
        where event.site_id = of_site and event.name = of_name and event.name <> ''
          and event.id >= (select id from event_payload where site_id = of_site order by id limit 1)
        order by event.id desc limit ${many}
      ) found
    ) sized where bytes <= ${mostBytes}`;

/** Adds sites that are not in the learning state yet: `siteId`, or all of them when it is null. */
export const enlistSites = (sql: Sql, siteId: string | null) => sql`
  insert into event_learning (site_id)
  select id from site s
  where not exists (select from event_learning l where l.site_id = s.id) ${siteId === null ? sql`` : sql`and id = ${siteId}`}
  for key share of s skip locked
  on conflict do nothing`;

/**
 * Sites that were not looked at for `restSeconds` and have something to learn, the longest waiting first: a new event, or events that were read soon
 * after they came and are to be read once more.
 */
export const findDueSites = (sql: Sql, { settledSeconds }: Lateness, restSeconds: number, limit: number) =>
  // Each site costs one look-up by key: with `exists` the planner might read all events.
  scalars(sql<{ site_id: string }[]>`
    select l.site_id from event_learning l
    left join lateral (select id from event where site_id = l.site_id and id > l.fresh limit 1) e on true
    where (learned_at is null or learned_at <= now() - make_interval(secs => ${restSeconds}))
      and (e.id is not null or ${isOverdue(sql, settledSeconds)})
    order by learned_at nulls first, l.site_id limit ${limit}`);

/** Puts a site last in the order of learning, after its events could not be learned. */
export const letRest = (sql: Sql, siteId: string) => sql`update event_learning set learned_at = now() where site_id = ${siteId}`;

/** How far a site is learned, and the ids of moments before now by the database's clock. */
export interface HeldSite {
  site_id: string;
  fresh: string;
  settled: string;
  /** Events below this id are committed, unless a commit or clock was slow. */
  fresh_limit: string;
  /** All events below this id are committed. */
  settled_limit: string;
  /** Whether events between `settled` and `fresh` are to be read once more. */
  overdue: boolean;
}

export interface Lateness {
  /** How many seconds late a commit usually comes. */
  freshSeconds: number;
  /** How many seconds late a commit comes at most. */
  settledSeconds: number;
}

/**
 * Locks the sites until the transaction ends, so that no other process learns their events meanwhile. Sites that another has locked are left out, or
 * waited for; the caller bounds how long.
 */
export const holdLearning = (sql: Sql, siteIds: readonly string[], lateness: Lateness, others: "skip" | "wait") =>
  sql<HeldSite[]>`
    select ${heldSite(sql, lateness)} from event_learning l where site_id in ${sql(siteIds)}
    order by site_id for no key update ${others === "skip" ? sql`skip locked` : sql``}`;

/** SQL: the members of a site that is held; `l`: its row of learning. */
export const heldSite = (sql: Sql, { freshSeconds, settledSeconds }: Lateness) => sql`
  l.site_id, l.fresh, l.settled, uuid_at(clock_timestamp() - make_interval(secs => ${freshSeconds})) as fresh_limit,
  uuid_at(clock_timestamp() - make_interval(secs => ${settledSeconds})) as settled_limit, ${isOverdue(sql, settledSeconds)} as overdue`;

/** SQL: true once events that were read soon are certainly committed; twice the time, so that a busy site is not read again after each event. */
export const isOverdue = (sql: Sql, settledSeconds: number) =>
  sql`(l.settled < l.fresh and l.settled <= uuid_at(clock_timestamp() - make_interval(secs => ${2 * settledSeconds})))`;

/** An event to learn from. */
export interface NewEvent {
  site_id: string;
  id: string;
  name: string;
  /** 1 for the newest event of its name in the page, and so on. */
  newest: number;
  /** The number of events in the site's page. */
  total: number;
  /** The size of the payload; null when it is gone. */
  bytes: number | null;
}

/**
 * The events after an id at each site, at most `rows` of each site and the oldest first; answers the newest `samples` of each name. Reads the lengths of
 * payloads, not the payloads.
 */
export const readNewEvents = (sql: Sql, starts: readonly { site_id: string; after: string }[], rows: number, samples: number) =>
  sql<NewEvent[]>`
    select page.site_id, page.id, name, newest, total, payload.bytes
    from (
      select s.site_id, e.id, e.name, row_number() over (partition by s.site_id, e.name order by e.id desc)::integer as newest,
        count(*) over (partition by s.site_id)::integer as total
      from json_to_recordset(${JSON.stringify(starts)}::text::json) as s(site_id uuid, after uuid)
      cross join lateral (select id, name from event where site_id = s.site_id and id > s.after order by id limit ${rows}) e
    ) page
    left join lateral (select octet_length(payload) as bytes from event_payload where site_id = page.site_id and id = page.id limit 1) payload on true
    where newest <= ${samples}`;

/** The payloads of events, as received; deleted ones are left out. One look-up by key each, however large the table is. */
export const readPayloads = (sql: Sql, events: readonly Pick<NewEvent, "site_id" | "id">[]) =>
  sql<{ id: string; payload: string }[]>`
    select r.id, e.payload
    from json_to_recordset(${JSON.stringify(events.map(({ site_id, id }) => ({ site_id, id })))}::text::json) as r(site_id uuid, id uuid)
    cross join lateral (select payload from event_payload where site_id = r.site_id and id = r.id limit 1) e`;
/** How far a site's events are learned, as event ids. */
export interface LearningCursors extends Pick<HeldSite, "site_id" | "fresh" | "settled"> {
  /** Whether more events were waiting than were read. */
  has_more: boolean;
}

/** Writes the lessons of locked sites (`holdLearning`) and how far they are learned now, in one statement. */
export const writeLearned = (sql: Sql, kinds: readonly EventKindRow[], cursors: readonly LearningCursors[]) => sql`
  with written as (
    insert into event_kind as k (${sql.unsafe(eventKindColumns.stored)})
    select ${sql.unsafe(eventKindColumns.stored)}
    from json_to_recordset(${JSON.stringify(kinds)}::text::json) as r(site_id uuid, name text, last_event_id uuid, fields json)
    order by site_id, name
    on conflict (site_id, name) do update set last_event_id = greatest(k.last_event_id, excluded.last_event_id), fields = excluded.fields
  )
  update event_learning l set fresh = c.fresh, settled = c.settled, learned_at = case when not c.has_more then now() end
  from json_to_recordset(${JSON.stringify(cursors)}::text::json) as c(site_id uuid, fresh uuid, settled uuid, has_more boolean)
  where l.site_id = c.site_id`;

/** Deletes the kinds beyond `keep` a site, those that were not received for longest first. */
export const dropLongUnseenKinds = (sql: Sql, siteIds: readonly string[], keep: number) => sql`
  delete from event_kind k
  using (
    select site_id, name, row_number() over (partition by site_id order by last_event_id desc) as place
    from event_kind where site_id in ${sql(siteIds)}
  ) ranked
  where ranked.place > ${keep} and k.site_id = ranked.site_id and k.name = ranked.name`;

/**
 * Empties samples at the sites, such as those of erased events (`field.sampled` is the event) or with somebody's phone; the paths stay known, but for those
 * that name a person themselves. Call it in a transaction, after the payloads were emptied: it waits for learners, and later ones read the emptied payloads.
 */
export async function forgetSamples(sql: Sql, siteIds: readonly string[], isForgotten: (field: KnownField, siteId: string) => boolean) {
  const isOfPerson = ({ path, hidden }: KnownField): boolean => hidden !== undefined || maskPath(path) !== path;
  await rewriteFields(sql, siteIds, (field, siteId) =>
    isForgotten(field, siteId) ? (isOfPerson(field) ? null : { ...field, sample: null }) : field,
  );
}

/** Replaces each field by the result of `rewrite`, null for none, and waits like `forgetSamples`; answers how many kinds of events changed. */
export async function rewriteFields(
  sql: Sql,
  siteIds: readonly string[],
  rewrite: (field: KnownField, siteId: string) => KnownField | null,
): Promise<number> {
  if (siteIds.length === 0) return 0;
  await sql`select site_id from event_learning where site_id in ${sql(siteIds)} order by site_id for no key update`;
  const kinds = await sql<EventKindRow[]>`select ${eventKindColumns.read(sql)} from event_kind k where site_id in ${sql(siteIds)}`;
  const changed = kinds.flatMap(({ site_id, name, fields }) => {
    const rewritten = fields.map((field) => rewrite(field, site_id));
    const isSame = rewritten.every((field, at) => field?.sample === fields[at]?.sample);
    return isSame ? [] : [{ site_id, name, fields: rewritten.filter((field) => field !== null) }];
  });
  if (changed.length === 0) return 0;
  await sql`
    update event_kind k set fields = r.fields
    from json_to_recordset(${JSON.stringify(changed)}::text::json) as r(site_id uuid, name text, fields json)
    where k.site_id = r.site_id and k.name = r.name`;
  return changed.length;
}

/** Empties the site's samples whose payloads are deleted, and deletes kinds whose last event is. Writes nothing if there is none. */
export async function forgetOldKinds(sql: Sql, { site_id, payloads_before, log_before }: SiteRetention): Promise<void> {
  const rows = await sql`
    select from event_kind k
    where site_id = ${site_id} and (last_event_id < ${log_before} or exists (
      select from json_array_elements(k.fields) field where (field->>'sampled')::uuid < ${payloads_before} and (field->>'sample' is not null or field->>'hidden' is not null)))
    limit 1`;
  if (rows.length === 0) return;
  await inTransaction(sql, async (transaction) => {
    await forgetSamples(transaction, [site_id], ({ sampled }) => sampled < payloads_before);
    await transaction`delete from event_kind where site_id = ${site_id} and last_event_id < ${log_before}`;
  });
}
