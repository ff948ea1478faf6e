import { fewestSigns, type Search } from "../../core/search.ts";
import { type Fragment, type LogPage, type Sql, scalars, withinPage } from "../statement.ts";
import { hasLetter, ownWord } from "./search-rows.ts";

export interface SearchFilter {
  siteId?: string | undefined;
  search: Search;
  /** True to search only the words that everybody in the account may search for. */
  onlyOpen: boolean;
  /**
   * This many of the newest events are read before any index is asked: a word of many events is found among them. An account with a small part of all rows
   * reads a third of it, as each of its rows lies on a page of its own.
   */
  readFirst?: number | undefined;
  /** Weeks of so many bytes are looked into before their index is asked: in a smaller one, all rows may match. */
  sampledBytes?: number | undefined;
  /** True where any events of the page do: all of them are asked for, or whether there are more. An index then reads no more than these. */
  inAnyOrder?: boolean | undefined;
}

/** A search, and whether it asks for the beginnings of words or, as none of the account's events matches so, for any part of them. */
export type Sought = SearchFilter & { by: "beginnings" | "parts" };

/** Events that a search has found, and what more it asks of the events of rows: words (null: none), or one of some orders. */
export interface FoundEvents {
  eventIds: readonly string[];
  words: Sought | null;
  orders: readonly string[];
}

/** Whether a search asks something of the events of rows. */
export const asksRows = ({ words, orders }: FoundEvents): boolean => words !== null || orders.length > 0;

/** Matching events, newest first, all of them down to an id; null: to the end of the page's range. */
export interface MatchingEvents {
  ids: string[];
  readTo: string | null;
}

/** The account's newest matching events: by the beginnings of words; if none of all its events matches so, by any part of them. */
export async function findEventIds(
  sql: Sql,
  accountId: string,
  filter: SearchFilter,
  page: LogPage,
): Promise<MatchingEvents & { words: Sought }> {
  const words: Sought = { ...filter, by: "beginnings" };
  const span = await spanOf(sql, accountId, filter, page);
  if (span.oldest === null) return { ids: [], readTo: null, words };
  const begun = await findIn(sql, accountId, words, page, span);
  if (begun.ids.length > 0 || begun.readTo !== null || !span.has_parts || !mayBePart(filter)) return { ...begun, words };
  const isWhole = page.from === null && page.before === null;
  const sought = isWhole ? inParts(filter) : await readSought(sql, accountId, filter);
  return { ...(sought.by === "parts" ? await findIn(sql, accountId, sought, page, span) : begun), words: sought };
}

/** What the search asks for. */
export async function readSought(sql: Sql, accountId: string, filter: SearchFilter): Promise<Sought> {
  const words: Sought = { ...filter, by: "beginnings" };
  if (!mayBePart(filter)) return words;
  const newest: LogPage = { from: null, before: null, limit: 1 };
  const span = await spanOf(sql, accountId, filter, newest);
  if (!span.has_parts || span.oldest === null) return words;
  const { ids, readTo } = await findIn(sql, accountId, { ...words, inAnyOrder: true }, newest, span);
  return ids.length > 0 || readTo !== null ? words : inParts(filter);
}

const inParts = (filter: SearchFilter): Sought => ({ ...filter, by: "parts" });

const mayBePart = ({ search }: SearchFilter): boolean => search.some((terms) => terms.some(isPart));

const isPart = (term: string): boolean => term.length >= fewestSigns && hasLetter(term);

/** Those of these events of the account that match. */
export const matchingEvents = async (sql: Sql, accountId: string, filter: SearchFilter, ids: readonly string[]) =>
  ids.length === 0
    ? []
    : scalars(sql<{ id: string }[]>`
        select id from event_search where site_id = any(array(${ownSites(sql, accountId, filter.siteId)})) and id = any(array(select unnest(${[...ids]}::uuid[])))
          and ${isMatch(sql, await readSought(sql, accountId, filter))}`);

/** SQL: whether the event of the row `of` is found: it is one of these, or its words or its order match, which are looked up by its key. */
export function isOfFound(sql: Sql, of: string, { eventIds, words, orders }: FoundEvents): Fragment {
  const own = sql`site_id = ${sql(of)}.site_id and id = ${sql(of)}.event_id`;
  return sql`(${sql(of)}.event_id = any(${[...eventIds]}::uuid[])
    ${words === null ? sql`` : sql`or exists (select from event_search where ${own} and ${isMatch(sql, words)})`}
    ${orders.length === 0 ? sql`` : sql`or exists (select from event where ${own} and order_id = any(${[...orders]}::uuid[]))`})`;
}

interface Span {
  /** Rows newer than this are read first. Null if those are all. */
  cut: string | null;
  /** Null without any row. */
  oldest: Date | null;
  /** Whether this database finds any part of a word. */
  has_parts: boolean;
}

const readAtFirst = 3_000;

async function spanOf(sql: Sql, accountId: string, { siteId, readFirst = readAtFirst }: SearchFilter, page: LogPage): Promise<Span> {
  const own = ownSites(sql, accountId, siteId);
  const nth = (rows: number) => sql`(
    select id::text as nth from event_search where site_id = site.id ${withinPage(sql, page)}
    order by id desc offset greatest(${Math.ceil(rows / 30)}::integer, ${rows}::integer / (select count(*)::integer from (${own}) s)) limit 1)`;
  const [row] = await sql<[Span]>`
    select oldest, case when is_small then (select max(${nth(Math.ceil(readFirst / 3))}) from (${own}) site) else far end as cut, to_regclass('event_search_parts') is not null as has_parts
    from (
      select oldest, far,
        ${readFirst}::integer * extract(epoch from now() - oldest) / greatest(1, extract(epoch from now() - uuid_time(far::uuid))) < 0.1 * (
          select sum(reltuples) from pg_class where oid in (select inhrelid from pg_inherits where inhparent = 'event_search'::regclass)) as is_small
      from (
        select max(${nth(readFirst)}) as far, min(uuid_time(first.id)) as oldest
        from (${own}) site
        left join lateral (select id from event_search where site_id = site.id ${withinPage(sql, page)} order by id limit 1) first on true
      ) ends
    ) span`;
  return row;
}

const ownSites = (sql: Sql, accountId: string, siteId: string | undefined) =>
  sql`select id from site where account_id = ${accountId} ${siteId === undefined ? sql`` : sql`and id = ${siteId}`}`;

/**
 * Where one row of so many matches, rows are read in order: an index lists all matches of a week, which are read and sorted before the newest is known. What decides
 * is read from the rows themselves, so that no plan hangs on what the statistics say of a word.
 */
const seldom = 40;
/** A word that so many rows have tells next to nothing beside another. */
const nearlyAll = 0.95;

/**
 * In order while many match, then by the index of each week where few do, until the page is full: it costs little however many rows there are. Words that many rows hide
 * from viewers are looked for in order, so far at once: an index would list all of these.
 */
async function findIn(sql: Sql, accountId: string, sought: Sought, page: LogPage, span: Span): Promise<MatchingEvents> {
  const { ids, before } = await walk(sql, accountId, sought, page, span);
  const whole = (): MatchingEvents => ({ ids, readTo: ids.length < page.limit ? null : (ids.at(-1) ?? null) });
  if (before === null || ids.length === page.limit) return whole();
  const ranges = await sample(sql, accountId, sought, await listRanges(sql, before, page.from));
  for (let at = 0, first = ranges[0]; first !== undefined && ids.length < page.limit; first = ranges[at]) {
    const { shares, isUnseen } = first;
    const isHidden =
      sought.onlyOpen &&
      isUnseen &&
      sought.search.every((terms) => indexedTerms(terms, shares).every((term) => seldom * (shares[term] ?? 0) >= 1));
    if (first.isDense || isHidden) {
      const part = { ...first, limit: page.limit - ids.length };
      const walked = await (first.isDense
        ? walk(sql, accountId, sought, part)
        : walk(sql, accountId, { ...sought, readFirst: mostUnseen }, part, null));
      ids.push(...walked.ids);
      if (walked.before === null) at += 1;
      else if (!first.isDense) return { ids, readTo: walked.before };
      else ranges[at] = { ...first, isDense: false, before: walked.before };
    } else {
      const end = sought.onlyOpen ? at + 1 : ranges.findIndex(({ isDense }, n) => n > at && isDense);
      const sparse = ranges.slice(at, end === -1 ? undefined : end);
      ids.push(...(await askIndexes(sql, accountId, sought, sparse, page.limit - ids.length)));
      at += sparse.length;
    }
  }
  return whole();
}

/** The most rows that one statement reads in order, and that a page reads where all matches may be hidden. */
const [mostAtOnce, mostUnseen] = [50_000, 10_000];

/**
 * Reads rows in order, in stretches, until the page is full or a stretch has few matches: with the page's `span` the first, else the first after those that have many.
 * `before`: where it stopped; null at the end.
 */
async function walk(sql: Sql, accountId: string, sought: Sought, page: LogPage, span?: Span | null) {
  const ids: string[] = [];
  let { before } = page;
  for (let rows = sought.readFirst ?? readAtFirst; ;) {
    const rest = { ...page, before, limit: page.limit - ids.length };
    const { cut } = (before === page.before ? span : null) ?? (await spanOf(sql, accountId, { ...sought, readFirst: rows }, rest));
    const found = await scalars(sql<{ id: string }[]>`
      select found.id from (${ownSites(sql, accountId, sought.siteId)}) site cross join lateral (
        select id from event_search where site_id = site.id ${withinPage(sql, { ...rest, from: cut ?? page.from })} and ${isMatch(sql, sought)}
        order by id desc limit ${rest.limit}
      ) found order by id desc limit ${rest.limit}`);
    ids.push(...found);
    before = cut;
    const isFew = found.length * seldom < rows && (span !== undefined || ids.length > 0);
    if (before === null || found.length === rest.limit || isFew) return { ids, before };
    // Twice as many as are likely to have the rest.
    const likely = found.length === 0 ? 4 * rows : (2 * rows * (rest.limit - found.length)) / found.length;
    rows = Math.min(Math.ceil(likely), mostAtOnce);
  }
}

/** The matches of some weeks by their indexes, newest first. */
async function askIndexes(sql: Sql, accountId: string, sought: Sought, ranges: readonly Range[], limit: number) {
  // Each range is written out, so that it is planned for its own week alone. Without the fence PostgreSQL would read the ids of the whole week, too.
  const bound = (than: string, id: string | null) => (id === null ? sql`` : sql`and id ${sql.unsafe(`${than} '${id}'`)}`);
  const parts = ranges.map(
    (range) => sql`(
      select id from (
        select id, site_id, words, open_words from event_search
        where account_id = ${accountId} and ${isIndexed(sql, sought, range.shares, ownWord(accountId))} ${bound(">=", range.start)} ${bound("<", range.end)} offset 0
      ) candidate
      where site_id = any(array(${ownSites(sql, accountId, sought.siteId)})) ${withinPage(sql, range)} and ${isMatch(sql, sought)}
      ${sought.inAnyOrder === true ? sql`` : sql`order by id desc`} limit ${limit})`,
  );
  return await scalars(sql<{ id: string }[]>`select id from (${joined(sql, parts, sql` union all `)}) found limit ${limit}`);
}

const joined = (sql: Sql, [first = sql``, ...parts]: readonly Fragment[], by: Fragment): Fragment =>
  parts.reduce((all, part) => sql`${all}${by}${part}`, sql`${first}`);

/** A part of a page, from `from` on and before `before`, in a week of the table, from `start` on and before `end`; null: without a bound. */
interface Range extends Record<"from" | "before" | "start" | "end", string | null> {
  bytes: number;
  /** Whether reading in order comes to matches sooner than the index. */
  isDense: boolean;
  /** Whether no row that was looked at matches. */
  isUnseen: boolean;
  /** How many of the rows that were looked at have each word, of 1. */
  shares: Shares;
}

type Shares = Readonly<Record<string, number>>;

/** The ids between `from` and `before`, in ranges of a week each as the table is divided, newest first. */
const listRanges = (sql: Sql, before: string, from: string | null) => sql<Range[]>`
  select start, "end", greatest(start, ${from}) as "from", least("end", ${before}) as before, bytes, false as "isDense", false as "isUnseen", '{}'::json as shares
  from (
    select start, lag(start) over (order by start desc nulls last) as "end", bytes from pg_inherits cross join lateral (
      select substring(pg_get_expr(relpartbound, oid) from $$FROM \\('([0-9a-f-]+)'\\)$$)::uuid as start, pg_relation_size(oid)::double precision as bytes
      from pg_class where oid = inhrelid
    ) part where inhparent = 'event_search'::regclass
  ) week
  where (start < ${before}) is not false and ("end" > ${from}) is not false order by start desc nulls last`;

const sampledBytes = 16_000_000;
/** At so many times, rows of three sites at most. */
const samples = 8;

/** Looks at some rows of each large week. */
async function sample(sql: Sql, accountId: string, sought: Sought, ranges: readonly Range[]): Promise<Range[]> {
  const words = [...new Set(sought.search.flat())];
  const matching = (search: Search, onlyOpen = sought.onlyOpen) => sql`where ${isMatch(sql, { ...sought, search, onlyOpen })}`;
  const large = ranges.filter(({ from, bytes }) => from !== null && bytes >= (sought.sampledBytes ?? sampledBytes));
  if (large.length === 0) return [...ranges];
  const seen = await sql<Pick<Range, "before" | "isDense" | "isUnseen" | "shares">[]>`
    select range.before, ${seldom}::integer * count(*) filter (${matching(sought.search)}) >= count(*)
        and min(part) filter (${matching(sought.search)}) * count(*) < ${4 * samples}::integer * count(*) filter (${matching(sought.search)}) as "isDense",
      count(*) filter (${matching(sought.search)}) = 0 as "isUnseen", json_build_object(${joined(
        sql,
        words.map((word) => sql`${word}::text, count(*) filter (${matching([[word]], false)}) / count(*)::double precision`),
        sql`, `,
      )}) as shares
    from unnest(${large.map(({ from }) => from)}::uuid[], ${large.map(({ before }) => before)}::uuid[]) as range (since, before)
    cross join generate_series(0, ${samples - 1}::integer) as part
    join (select id, count(*) over () as sites, row_number() over () as nth from (${ownSites(sql, accountId, sought.siteId)}) own) site
      on (nth + part) % ((sites + 2) / 3) = 0
    cross join lateral (
      select words, open_words from event_search
      where site_id = site.id and id >= since and id < uuid_at(uuid_time(range.before) - part * (uuid_time(range.before) - uuid_time(since)) / ${samples}::integer)
      order by id desc limit greatest(8, 24 / sites)
    ) found
    group by range.before`;
  return ranges.map((range) => ({ ...range, ...seen.find(({ before }) => before === range.before) }));
}

/** SQL: whether a row that is read matches. */
function isMatch(sql: Sql, { search, onlyOpen, by }: Sought): Fragment {
  const text = onlyOpen ? sql`open_words` : sql`words`;
  const holds = (term: string) => (by === "parts" ? sql`${text} like ${`%${term}%`}` : sql`(' ' || ${text}) like ${`% ${term}%`}`);
  return anyOf(sql, search, holds);
}

/** SQL: a condition that an index answers; the account's matching rows are a part of its result. */
function isIndexed(sql: Sql, { search, by }: Sought, shares: Shares, own: string): Fragment {
  if (by === "parts")
    return anyOf(
      sql,
      search.map((terms) => terms.filter(isPart)).flatMap((terms) => (terms.length === 0 ? [] : [[own, ...terms]])),
      (term) => sql`letters like ${`%${term}%`}`,
    );
  const lists = search.map((terms) => indexedTerms(terms, shares));
  const asked = lists.map((terms) => `(${terms.map((term) => `${own}${term}:*`).join(" & ")})`).join(" | ");
  return sql`array_to_tsvector(string_to_array(replace(words, ' ', ' ' || split_part(words, ' ', 1)), ' ')) @@ ${asked}::tsquery`;
}

/** The words that the index is asked for: only a long number if there is one, else those that few rows have, else that not nearly all have. The others are checked in what they find. */
function indexedTerms(terms: readonly string[], shares: Shares): string[] {
  const number = terms.find((term) => /^\d{5,}$/.test(term));
  const long = terms.filter((term) => term.length >= fewestSigns);
  const rarer = (share: number) => long.filter((term) => (shares[term] ?? 0) < share);
  return number === undefined ? ([rarer(1 / seldom), rarer(nearlyAll)].find((told) => told.length > 0) ?? long) : [number];
}

function anyOf(sql: Sql, search: Search, holds: (term: string) => Fragment): Fragment {
  const lists = search.map((terms) => joined(sql, terms.map(holds), sql` and `));
  return lists.length === 0 ? sql`false` : sql`((${joined(sql, lists, sql`) or (`)}))`;
}

/** The names of the customers of these events of the account, if they are known. */
export const findCustomers = (sql: Sql, accountId: string, ids: readonly string[]) =>
  sql<{ id: string; customer: string }[]>`
    select id, customer from event_search
    where site_id = any(array(select id from site where account_id = ${accountId})) and id = any(${[...ids]}::uuid[]) and customer is not null`;

/**
 * Who and what these events of the account are about: the order's number as it is stored, and the customer's name where a search has learned it, else the
 * payload. Payloads are read from the newest on, up to `bytes` together.
 */
export const readParties = (sql: Sql, accountId: string, events: readonly { site_id: string; event_id: string }[], bytes: number) =>
  sql<{ id: string; order_id: string | null; number: string | null; customer: string | null; payload: string | null }[]>`
    select id, order_id, number, customer, case when sum(bytes) over (order by id desc) <= ${bytes} and customer is null
      then (select p.payload from event_payload p where p.site_id = e.site_id and p.id = e.id) end as payload
    from (
      select e.id, e.site_id, e.order_id, o.number, s.customer,
        case when s.customer is null then (select octet_length(p.payload) from event_payload p where p.site_id = e.site_id and p.id = e.id) end as bytes
      from unnest(${events.map(({ site_id }) => site_id)}::uuid[], ${events.map(({ event_id }) => event_id)}::uuid[]) as of_message (of_site, of_event)
      join site on site.id = of_site and site.account_id = ${accountId}
      cross join lateral (select id, site_id, order_id from event where site_id = of_site and id = of_event limit 1) e
      left join customer_order o on o.site_id = e.site_id and o.id = e.order_id
      left join lateral (select customer from event_search where site_id = of_site and id = of_event limit 1) s on true
    ) e`;
