import { fewestSigns } from "../../core/search.ts";
import { type HeldSite, heldSite, isOverdue, type Lateness, type LearningCursors, type NewEvent } from "../event-kind.ts";
import { type Sql, changedRows, scalars } from "../statement.ts";

/** The words by which an event is found. */
export interface SearchRow {
  site_id: string;
  id: string;
  account_id: string;
  words: string[];
  open_words: string[];
  /** The customer's name. */
  customer: string | null;
}

/** Adds search rows of events; an event that has its row already keeps it. */
export async function writeSearchRows(sql: Sql, rows: readonly SearchRow[]): Promise<void> {
  const written = rows.map(({ words, open_words, ...row }) => ({
    ...row,
    words: [ownWord(row.account_id), ...new Set(words.flatMap(endingsOf))].join(" "),
    open_words: open_words.flatMap(endingsOf).join(" "),
    letters: [ownWord(row.account_id), ...words.filter(hasLetter)].join(" "),
  }));
  await sql`
    insert into event_search (site_id, id, account_id, words, open_words, letters, customer)
    select site_id, id, account_id, words, open_words, case when to_regclass('event_search_parts') is null then '' else letters end, customer
    from json_to_recordset(${JSON.stringify(written)}::text::json)
      as r(site_id uuid, id uuid, account_id uuid, words text, open_words text, letters text, customer text)
    order by site_id, id on conflict do nothing`;
}

export const hasLetter = (word: string): boolean => /[a-z]/.test(word);

/** The endings of a long number, so that each part of a phone is the beginning of a word. */
const endingsOf = (word: string): string[] =>
  /^\d{7,20}$/.test(word) ? Array.from({ length: word.length - fewestSigns + 1 }, (_, at) => word.slice(at)) : [word];

/** The account's own word, which keeps its rows apart in both indexes. Its capitals never occur in searched words. */
export const ownWord = (accountId: string): string =>
  parseInt(accountId.slice(-8), 16).toString(36).toUpperCase().padStart(5, "0").slice(-5);

/** Deletes the search rows of a site's events, in a transaction that has waited for learners. */
export const forgetSearchRows = (sql: Sql, siteId: string, ids: readonly string[]) =>
  sql`delete from event_search where site_id = ${siteId} and id = any(${[...ids]}::uuid[])`;

/** Deletes at most `limit` search rows of a site; answers how many. */
export const forgetSomeOfSite = (sql: Sql, siteId: string, limit: number) =>
  changedRows(sql`
    delete from event_search where site_id = ${siteId} and id = any(array(select id from event_search where site_id = ${siteId} order by id limit ${limit}))`);

/** Sites with events that have no search row yet, or whose events were read soon after they came and are to be read once more. */
export async function findSitesToSearch(sql: Sql, settledSeconds: number, limit: number): Promise<string[]> {
  await sql`
    insert into search_learning (site_id)
    select s.id from event_learning l join site s on s.id = l.site_id where not exists (select from search_learning k where k.site_id = l.site_id)
    for key share of s skip locked
    on conflict do nothing`;
  return await scalars(sql<{ site_id: string }[]>`
    select l.site_id from search_learning l
    left join lateral (select id from event where site_id = l.site_id and id > l.fresh limit 1) e on true
    where e.id is not null or ${isOverdue(sql, settledSeconds)}
    order by l.fresh limit ${limit}`);
}

/** Locks sites for the transaction, as `holdLearning` does and with the same lock; those that another has locked are left out. */
export const holdSearchLearning = (sql: Sql, siteIds: readonly string[], lateness: Lateness) =>
  sql<(HeldSite & { account_id: string })[]>`
    select ${heldSite(sql, lateness)}, s.account_id
    from event_learning k join search_learning l using (site_id) join site s on s.id = l.site_id where k.site_id in ${sql(siteIds)}
    order by k.site_id for no key update of k, l skip locked`;

/** An event that gets its search row; `bytes` is null too when it is found already. */
export type UnfoundEvent = Pick<NewEvent, "site_id" | "id" | "bytes">;

/** The events after an id at each site, at most `rows` of each, oldest first. */
export const readUnfoundEvents = (sql: Sql, starts: readonly { site_id: string; after: string }[], rows: number) =>
  sql<UnfoundEvent[]>`
    select page.site_id, page.id, case when found.id is null then payload.bytes end as bytes
    from (
      select s.site_id, e.id from json_to_recordset(${JSON.stringify(starts)}::text::json) as s(site_id uuid, after uuid)
      cross join lateral (select id from event where site_id = s.site_id and id > s.after order by id limit ${rows}) e
    ) page
    left join lateral (select id from event_search where site_id = page.site_id and id = page.id limit 1) found on true
    left join lateral (select octet_length(payload) as bytes from event_payload where site_id = page.site_id and id = page.id limit 1) payload on true
    order by page.site_id, page.id`;

export const advanceSearchLearning = (sql: Sql, cursors: readonly Pick<LearningCursors, "site_id" | "fresh" | "settled">[]) => sql`
  update search_learning l set fresh = c.fresh, settled = c.settled
  from json_to_recordset(${JSON.stringify(cursors)}::text::json) as c(site_id uuid, fresh uuid, settled uuid)
  where l.site_id = c.site_id and (l.fresh, l.settled) is distinct from (c.fresh, c.settled)`;
