import { setTimeout as sleep } from "node:timers/promises";
import { parseJson } from "shared/core/json";
import { findableOf } from "shared/core/search";
import { enlistSites, findDueSites } from "shared/db/event-kind";
import { findSitesToSearch, writeSearchRows } from "shared/db/event/search-rows";
import { newId } from "shared/db/ids";
import { countDays, findSitesToCount } from "shared/db/notification/statistics";
import { inTransaction, type Pool, scalar } from "shared/db/statement";
import { cell, say } from "../../bench/report.ts";
import { orderBody } from "../../bench/requests.ts";

// What the programs learn and count of what is stored, a few hundred events a second, is written here at once, by their own functions.

/** What is written here of what the programs make of events and messages. */
const derived = ["event_search", "search_learning", "notification_count", "notification_day", "notification_hour"];

/** Numbers of orders, as long as all are. Of those that end like the total's digits, a word is left out that stands twice. */
const sampleNumbers = ["87654321", "87654199"] as const;

/** SQL: the rows of `event_search` of the events in the common table `made`, as the product writes those of sample numbers. */
export async function searchRowsOf(sql: Pool, accountIds: readonly string[]): Promise<string> {
  const written = accountIds.flatMap((account_id) =>
    sampleNumbers.map((number) => {
      const { open, personal, customer } = findableOf(parseJson(orderBody(number)));
      return { site_id: newId(), id: newId(), account_id, words: [...open, ...personal], open_words: open, customer, number };
    }),
  );
  const made = await inTransaction(sql, async (transaction) => {
    await writeSearchRows(transaction, written);
    const ids = written.map(({ id }) => id);
    return await transaction<Record<"id" | "words" | "open_words" | "letters" | "customer", string>[]>`
      delete from event_search where id = any(${ids}::uuid[]) returning id, words, open_words, letters, customer`;
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

/** Of so many events of each site the programs learn names and fields themselves: those before have the same, but for seldom names. */
const newestOfSite = 250;

/** Learns and counts all that is stored at these sites. No program may run meanwhile. */
export async function derive(sql: Pool, siteIds: readonly string[]): Promise<void> {
  const started = performance.now();
  for (const [table, newest] of [
    ["event_learning", newestOfSite],
    ["search_learning", 0],
  ] as const)
    await sql`
      insert into ${sql(table)} (site_id, fresh, settled) select site.id, last.id, last.id from site
      cross join lateral (select id from event where site_id = site.id order by id desc offset ${newest} limit 1) last where site.id = any(${[...siteIds]}::uuid[])
      on conflict (site_id) do update set fresh = excluded.fresh, settled = excluded.settled`;
  await sql`update notification_count set counted_to = '-infinity'`;
  // Week by week: each is in memory while all sites read it.
  for (let left = [...siteIds], more: string[] = []; left.length > 0; [left, more] = [more, []]) {
    const work = async (): Promise<void> => {
      for (let siteId = left.shift(); siteId !== undefined; siteId = left.shift())
        if (await inTransaction(sql, async (transaction) => await countDays(transaction, siteId as string))) more.push(siteId);
    };
    await Promise.all(Array.from({ length: sql.options.max }, work));
  }
  say(`  all is learned and counted after ${cell((performance.now() - started) / 1000)} s`);
}

/** Has the programs learn and count all of these sites anew, and throws unless they come to the same rows. */
export async function checkDerived(sql: Pool, siteIds: readonly string[]): Promise<void> {
  const own = sql`site_id = any(${[...siteIds]}::uuid[])`;
  const digestOf = async (table: string) =>
    scalar(sql<[{ rows: string }]>`select md5(string_agg(t::text, ' ' order by t::text)) as rows from ${sql(table)} t where ${own}`);
  const digests = async () => await Promise.all(derived.map(digestOf));
  const made = await digests();
  await inTransaction(sql, async (transaction) => {
    for (const table of derived) await transaction`delete from ${transaction(table)} where ${own}`;
  });
  await caughtUp(sql);
  const now = await digests();
  const differing = derived.filter((_, at) => made[at] !== now[at]);
  if (differing.length > 0) throw new Error(`the programs make other rows of ${differing.join(", ")}`);
}

/** Waits until the programs have counted, and learned from, all that was stored. */
export async function caughtUp(sql: Pool): Promise<void> {
  await enlistSites(sql, null);
  const lateness = { freshSeconds: 10, settledSeconds: 120 };
  const left = async () => [
    (await findSitesToCount(sql, 1_000)).length,
    (await findSitesToSearch(sql, lateness.settledSeconds, 1_000)).length,
    (await findDueSites(sql, lateness, 0, 1_000)).length,
  ];
  for (let sites = await left(); sites.some((count) => count > 0); sites = await left()) {
    say(`  ${sites.join(", ")} sites to count, to find events of, to learn`);
    await sleep(10_000);
  }
}
