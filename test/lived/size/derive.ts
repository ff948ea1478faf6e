import { setTimeout as sleep } from "node:timers/promises";
import { learnPayloads, readKinds } from "admin-server/learning/kinds";
import { parseJson } from "shared/core/json";
import { findableOf } from "shared/core/search";
import { findDueSites, type NewEvent, writeLearned } from "shared/db/event-kind";
import { findSitesToSearch, type SearchRow, writeSearchRows } from "shared/db/event/search";
import { newId } from "shared/db/ids";
import { latencyGrowth } from "shared/db/notification/hours";
import { countDays, findSitesToCount } from "shared/db/notification/statistics";
import { isAccepted, isArrived, isDropped, isNewest } from "shared/db/notification/statuses";
import { inTransaction, type Pool, scalar, scalars } from "shared/db/statement";
import { cell, say } from "../../bench/report.ts";
import { orderBody } from "../../bench/requests.ts";

// What the programs learn and count of what is stored, a few hundred events a second, is written here at once, by their own functions.

/** What the programs make of events and messages, with the columns that do not depend on when they did. */
const derived: Readonly<Record<string, string>> = {
  event_search: "*",
  search_learning: "*",
  event_learning: "site_id, fresh, settled",
  event_kind: "site_id, name, last_event_id, fields::text",
  notification_count: "*",
  notification_day: "*",
  notification_hour: "*",
};

/** Numbers of orders, as long as all are. Of those that end like the total's digits, a word is left out that stands twice. */
const sampleNumbers = ["87654321", "87654199"] as const;

/** SQL: the rows of `event_search` of the events in the common table `made`, as the product writes those of sample numbers. */
export async function searchRowsOf(sql: Pool, accountIds: readonly string[]): Promise<string> {
  const written = accountIds.flatMap((account_id) => sampleNumbers.map((number) => ({ ...searchRow(account_id, number), number })));
  const made = await inTransaction(sql, async (transaction) => {
    await writeSearchRows(transaction, written);
    return await transaction<
      SampleRow[]
    >`delete from event_search where id = any(${written.map(({ id }) => id)}::uuid[]) returning id, words, open_words, letters, customer`;
  });
  const rowOf = (number: string) => made.find(({ id }) => id === written.find((row) => row.number === number)?.id);
  const column = (name: "words" | "open_words" | "letters"): string => {
    const [usual, twice] = sampleNumbers.map((number) => {
      const endings = Array.from(number.slice(2), (_, at) => number.slice(at)).join("|");
      const text = (rowOf(number)?.[name] ?? "").replace(/^[0-9A-Z]{5} /u, "' || own || ' ");
      return `'${text.replaceAll(new RegExp(`(?:${endings})(?= |$)`, "gu"), (ending) => `' || right(number::text, ${ending.length}) || '`)}'`;
    });
    return usual === twice ? `${usual}` : `case when number % 1000 = 199 then ${twice} else ${usual} end`;
  };
  const owns = new Map(written.map(({ id, account_id }) => [account_id, made.find((row) => row.id === id)?.words.split(" ")[0] ?? ""]));
  return `
    select site_id, event_id, account_id, ${column("words")}, ${column("open_words")}, ${column("letters")}, '${made[0]?.customer ?? ""}'
    from made join (values ${Array.from(owns, ([id, own]) => `('${id}'::uuid, '${own}')`).join(", ")}) account(account_id, own) using (account_id)`;
}

type SampleRow = Record<"id" | "words" | "open_words" | "letters" | "customer", string>;

function searchRow(account_id: string, number: string): SearchRow {
  const { open, personal, customer } = findableOf(parseJson(orderBody(number)));
  return { site_id: newId(), id: newId(), account_id, words: [...open, ...personal], open_words: open, customer };
}

/** Learns and counts all that is stored at these sites. No program may run meanwhile. */
export async function derive(sql: Pool, siteIds: readonly string[]): Promise<void> {
  const started = performance.now();
  for (const siteId of siteIds) await learnNewest(sql, siteId);
  await sql`
    insert into search_learning (site_id, fresh, settled) select site_id, fresh, settled from event_learning where site_id = any(${[...siteIds]}::uuid[])
    on conflict (site_id) do update set fresh = excluded.fresh, settled = excluded.settled`;
  await countDaysBefore(sql, siteIds, new Date(Date.now() - 3 * 86_400_000).toISOString().slice(0, 10));
  say(`  all but the last days are counted after ${cell((performance.now() - started) / 1000)} s`);
  const left = [...siteIds];
  const work = async (): Promise<void> => {
    for (let siteId = left.shift(); siteId !== undefined; siteId = left.shift())
      while (await inTransaction(sql, async (transaction) => await countDays(transaction, siteId as string)));
  };
  await Promise.all(Array.from({ length: sql.options.max }, work));
  say(`  all is learned and counted after ${cell((performance.now() - started) / 1000)} s`);
}

/** Counts all messages of sites before that day as `countDays` does a site's of a week. Times differ little, and are counted by how long they took. */
async function countDaysBefore(sql: Pool, siteIds: readonly string[], day: string): Promise<void> {
  const stepOf = (took: string) =>
    `case when ${took} is not null then least(260, greatest(0, ceil(ln(greatest(1, extract(epoch from ${took})::double precision * 1000)) / ln(${latencyGrowth}::double precision))))::integer end`;
  const took = (column: string) => `case when resend_of is null and due_at is null then ${column} - uuid_extract_timestamp(event_id) end`;
  const sum = (condition: string) => `sum(case when ${condition} then count else 0 end)`;
  await inTransaction(sql, async (transaction) => {
    const run = async (query: string) => await transaction.unsafe(query, [[...siteIds], day] as never[]);
    // Millions of groups are counted in memory: to sort the rows would take longer.
    await transaction`set local work_mem = '1GB'`;
    await transaction`set local enable_sort = off`;
    for (const table of ["notification_day", "notification_hour"])
      await run(`delete from ${table} where site_id = any($1::uuid[]) and day < $2::date`);
    await run(`
      create temp table counted on commit drop as
      select n.site_id, date_trunc('hour', uuid_extract_timestamp(n.id) at time zone a.timezone) as hour, binding_id, template, status, ${took("sent_at")} as sent_in,
        ${took("delivered_at")} as delivered_in, case when ${isDropped("n")} then '' else coalesce(error_code, '') end as error_code, count(*) as count
      from notification n join site s on s.id = n.site_id join account a on a.id = s.account_id
      where not test and ${isNewest("n")} and n.site_id = any($1::uuid[]) and uuid_extract_timestamp(n.id) at time zone a.timezone < $2::date
      group by 1, 2, 3, 4, 5, 6, 7, 8`);
    await transaction`
      insert into notification_day (site_id, day, template, status, error_code, count, once)
      select site_id, hour::date, template, status, error_code, sum(count), true from counted group by 1, 2, 3, 4, 5`;
    await transaction.unsafe(`
      insert into notification_hour (site_id, day, hour, binding_id, template, total, sent, delivered, read, failed, sent_in, delivered_in)
      select site_id, hour::date, extract(hour from hour), binding_id, template,
        ${["total", "sent", "delivered", "read", "failed"].map((name) => `max(${name}) filter (where level = 3)`).join(", ")},
        coalesce(jsonb_object_agg(sent_step, total) filter (where level = 1 and sent_step is not null), '{}'),
        coalesce(jsonb_object_agg(delivered_step, total) filter (where level = 2 and delivered_step is not null), '{}')
      from (
        select site_id, hour, binding_id, template, sent_step, delivered_step, grouping(sent_step, delivered_step) as level, sum(count) as total,
          ${sum(isAccepted("message"))} as sent, ${sum(isArrived("message"))} as delivered, ${sum("status = 'read'")} as read, ${sum("status = 'failed'")} as failed
        from (select site_id, hour, binding_id, template, status, count, ${stepOf("sent_in")} as sent_step, ${stepOf("delivered_in")} as delivered_step from counted) message
        group by grouping sets ((site_id, hour, binding_id, template), (site_id, hour, binding_id, template, sent_step), (site_id, hour, binding_id, template, delivered_step))
      ) step
      group by site_id, hour, binding_id, template`);
    await run(`
      insert into notification_count (site_id, timezone, counted_to) select s.id, a.timezone, $2::date from site s join account a on a.id = s.account_id where s.id = any($1::uuid[])
      on conflict (site_id) do update set timezone = excluded.timezone, counted_to = excluded.counted_to`);
  });
}

/** Has the programs learn and count all of these sites anew, and throws unless they come to the same rows. */
export async function checkDerived(sql: Pool, siteIds: readonly string[]): Promise<void> {
  const rowsOf = (table: string) =>
    sql`select ${sql.unsafe(derived[table] ?? "")} from ${sql(table)} where site_id = any(${[...siteIds]}::uuid[])`;
  for (const table of Object.keys(derived)) await sql`create table ${sql(`made_${table}`)} as ${rowsOf(table)}`;
  await inTransaction(sql, async (transaction) => {
    for (const table of Object.keys(derived))
      await transaction`delete from ${transaction(table)} where site_id = any(${[...siteIds]}::uuid[])`;
  });
  await caughtUp(sql);
  for (const table of Object.keys(derived)) {
    const made = sql`table ${sql(`made_${table}`)}`;
    const differing = await scalar(sql<[{ count: number }]>`
      select count(*)::integer as count from ((${rowsOf(table)} except all ${made}) union all (${made} except all ${rowsOf(table)})) row`);
    if (differing > 0) throw new Error(`${differing} rows of ${table} differ from those that the programs make`);
  }
  say("  the programs make the same of all rows");
}

/** Waits until the programs have counted, and learned from, all that was stored. */
export async function caughtUp(sql: Pool): Promise<void> {
  const lateness = { freshSeconds: 10, settledSeconds: 120 };
  const left = async () => [
    (await findSitesToCount(sql, 1_000)).length,
    (await findSitesToSearch(sql, lateness.settledSeconds, 1_000)).length,
    (await findDueSites(sql, lateness, 0, 1_000)).length,
    (
      await scalars(
        sql<
          { id: string }[]
        >`select id from site where exists (select from event where site_id = site.id) and not exists (select from event_learning where site_id = site.id)`,
      )
    ).length,
  ];
  for (let sites = await left(); sites.some((count) => count > 0); sites = await left()) {
    say(`  ${sites.join(", ")} sites to count, to find events of, to learn, to learn first`);
    await sleep(10_000);
  }
}

const newestOfName = 5;

/** Learns the fields of the first event of each name of a site and of its newest: those between have the same. */
async function learnNewest(sql: Pool, site_id: string): Promise<void> {
  const events = await sql<NewEvent[]>`
    with recursive named as (
      (select name from event where site_id = ${site_id} and name <> '' order by name limit 1)
      union all select (select name from event where site_id = ${site_id} and name <> '' and name > named.name order by name limit 1) from named where name is not null
    )
    select ${site_id}::uuid as site_id, id, name, row_number() over (partition by name order by id desc)::integer as newest, 0 as total,
      (select octet_length(payload) from event_payload where site_id = ${site_id} and event_payload.id = found.id limit 1) as bytes
    from named cross join lateral (
      (select id from event where site_id = ${site_id} and event.name = named.name and event.name <> '' order by id desc limit ${newestOfName})
      union
      (select id from event where site_id = ${site_id} and event.name = named.name and event.name <> ''
        and id >= (select id from event_payload where site_id = ${site_id} order by id limit 1) order by id limit 1)
    ) found`;
  const last = events
    .map(({ id }) => id)
    .toSorted()
    .at(-1);
  if (last === undefined) return;
  await inTransaction(sql, async (transaction) => {
    const { kinds } = await readKinds(transaction, events);
    await learnPayloads(
      transaction,
      events.filter(({ bytes }) => bytes !== null),
      kinds,
      new Map(),
    );
    await transaction`insert into event_learning (site_id) values (${site_id}) on conflict do nothing`;
    await writeLearned(transaction, [...kinds.values()], [{ site_id, fresh: last, settled: last, has_more: false }]);
  });
}
