import { readSearch } from "shared/core/search";
import { connect } from "shared/db/connect";
import { findEventIds, type SearchFilter } from "shared/db/event/search";
import { grantEverydayRights } from "shared/db/grants";
import { newId } from "shared/db/ids";
import { migrate } from "shared/db/migrate";
import { type LogPage, inTransaction } from "shared/db/statement";
import { everydayRole } from "shared/postgres/start";
import { createVault } from "shared/secrets/vault";
import { describe, expect, test } from "vitest";
import { idAt, insertEvent } from "../../../test/support/admin-shops.ts";
import { emptyDatabase, testDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { masterKey } from "../../../test/support/gateway.ts";
import { shared } from "../../../test/support/shared.ts";
import { learnToFind, searchLimits, type SearchLimits } from "./search.ts";

const database = shared(async () => testDatabase());

const learn = (changes: Partial<SearchLimits> = {}, { sql } = database) =>
  learnToFind(
    { sql, vault: createVault(masterKey), stopping: new AbortController().signal },
    { ...searchLimits, runMs: 60_000, ...changes },
  );

interface Site {
  accountId: string;
  siteId: string;
}

async function openSite({ sql } = database): Promise<Site> {
  const [accountId, siteId] = [newId(), newId()];
  await sql`insert into account (id, name, verify_token) values (${accountId}, 'Shop', 'v')`;
  await sql`insert into site (id, account_id, name, url, source_type) values (${siteId}, ${accountId}, 'S', 'https://s.example', 'generic')`;
  return { accountId, siteId };
}

const store = ({ siteId }: Site, payload: object, columns = {}, { sql } = database) =>
  insertEvent(sql, siteId, { payload: JSON.stringify(payload), ...columns });

const all: LogPage = { from: null, before: null, limit: 51 };
const find = (
  { accountId }: Site,
  text: string,
  { page = all, ...filter }: Partial<SearchFilter> & { page?: LogPage } = {},
  { sql } = database,
) => findEventIds(sql, accountId, { search: readSearch(text) ?? [], onlyOpen: false, ...filter }, page).then(({ ids }) => ids);

const ada = {
  order: { number: "10042" },
  customer: { first_name: "Ada", last_name: "Lovelace", email: "ada.l@example.com", phone: "+491701234567" },
  data: { tracking: "JD014600" },
};

describe.each(["any part of a word", "the beginnings of words"])("found by %s", (how) => {
  test("are the account's own events alone, by number, name, address, part of a phone and value", async () => {
    const hasParts = how === "any part of a word";
    await using own = hasParts ? null : await withoutTrigrams();
    const world = own ?? database;
    const [site, other] = [await openSite(world), await openSite(world)];
    const [event, foreign] = [await store(site, ada, {}, world), await store(other, ada, {}, world)];
    const grace = await store(site, { order: { number: "10043" }, customer: { name: "Grace" } }, {}, world);
    await learn({}, world);
    for (const text of [
      "10042",
      "lovelace",
      "LOVE ada",
      "ada.l@example.com",
      "+49 170 1234567",
      "0170 1234567",
      "1234567",
      "4567",
      "jd0146",
      "ada 10042",
    ]) {
      expect([text, await find(site, text, {}, world)]).toEqual([text, [event]]);
      expect([text, await find(other, text, {}, world)]).toEqual([text, [foreign]]);
    }
    expect(await find(site, "1004", {}, world)).toEqual([grace, event]);
    expect(await find(site, "ovelac", {}, world)).toEqual(hasParts ? [event] : []);
    for (const text of ["ada grace", "zyx", "49170999", "ad"]) expect([text, await find(site, text, {}, world)]).toEqual([text, []]);
    for (const text of ["lovelace", "ada.l@example.com", "+491701234567", "4567"])
      expect(await find(site, text, { onlyOpen: true }, world)).toEqual([]);
    for (const text of ["10042", "jd0146"]) expect(await find(site, text, { onlyOpen: true }, world)).toEqual([event]);
    expect(await find(site, "10042", { siteId: other.siteId }, world)).toEqual([]);
  });
});

/** A database where something stands in the extension's place, so that it cannot be made, as if it were missing. */
async function withoutTrigrams(): Promise<TestDatabase> {
  const empty = await emptyDatabase();
  await empty.owner`create function similarity(text, text) returns real language sql as 'select 1::real'`;
  await migrate(empty.owner);
  await grantEverydayRights(empty.owner, everydayRole);
  return empty;
}

test("old events are found as new ones are, page by page and within a range, whatever stands in many", async () => {
  const site = await openSite();
  // The weeks of the last two have no partition of their own, one between others, and one before all.
  const days = [0, 1, 8, 20, 40, 30, 60];
  for (const day of days.slice(0, 5))
    await database.sql`select make_week_partition('event_search', ${new Date(Date.now() - day * 86_400_000)})`;
  const ids: string[] = [];
  for (let n = 0; n < 150; n += 1) {
    const id = idAt(Date.now() - (days[n % 7] ?? 0) * 86_400_000 - n * 1000);
    const name = (days[n % 7] ?? 0) > 8 ? "Ada Former" : "Ada";
    const data = n === 107 ? { tracking: "20263648" } : {};
    ids.push(await store(site, { order: { number: n % 50 === 7 ? "seldom" : "often" }, customer: { name }, data }, { id }));
  }
  const second = await openSite();
  const target = await store({ ...site, siteId: second.siteId }, { order: { number: "often" } });
  await database.sql`update site set account_id = ${site.accountId} where id = ${second.siteId}`;
  await learn();
  const expected = [...ids, target].toSorted().toReversed();
  for (const how of [{}, { readFirst: 60 }, { readFirst: 60, sampledBytes: 0 }, { readFirst: 3 }, { readFirst: 3, sampledBytes: 0 }]) {
    const found: string[] = [];
    for (let before: string | null = null; ;) {
      const page: string[] = await find(site, "often", { ...how, page: { from: null, before, limit: 40 } });
      found.push(...page);
      before = page.at(-1) ?? null;
      if (page.length < 40) break;
    }
    const seldom = ids.filter((_, n) => n % 50 === 7);
    expect(found).toEqual(expected.filter((id) => !seldom.includes(id)));
    expect(await find(site, "seldom", how)).toEqual(seldom.toSorted().toReversed());
    expect(await find(site, "ada former", { ...how, page: { ...all, limit: 200 } })).toEqual(
      expected.filter((id) => id !== target && id < idAt(Date.now() - 9 * 86_400_000)),
    );
    const [from, before] = [idAt(Date.now() - 9 * 86_400_000), idAt(Date.now() - 7 * 86_400_000)];
    expect(await find(site, "ada", { ...how, page: { from, before, limit: 200 } })).toEqual(
      expected.filter((id) => id >= from && id < before && id !== target),
    );
    expect(await find(site, "eldo", how)).toEqual(seldom.toSorted().toReversed());
    expect(await find(site, "eldo 20263648", how)).toEqual([ids[107]]);
  }
});

test("two servers that learn at once, and events that are committed late, leave nothing out and nothing twice", async () => {
  const sites = [await openSite(), await openSite()];
  const other = connect(database.url, { max: 4 });
  const late = idAt(Date.now() - 30_000);
  const [first] = sites as [Site];
  await inTransaction(database.sql, async (slow) => {
    await insertEvent(slow, first.siteId, { id: late, payload: JSON.stringify(ada) });
    const writing = sites.map(async (site) => {
      for (let n = 0; n < 40; n += 1) await store(site, { order: { number: `each ${n}` } });
    });
    await Promise.all([
      ...writing,
      ...Array.from({ length: 6 }, (_, n) => learn({ rows: 7 }, n % 2 === 0 ? database : { ...database, sql: other })),
    ]);
  });
  await learn({ freshSeconds: 0 });
  for (const site of sites) expect(await find(site, "each")).toHaveLength(40);
  expect(await find(first, "10042")).toEqual([]);
  await database.sql`update search_learning set settled = ${idAt(Date.now() - 600_000)} where site_id = ${first.siteId}`;
  await learn({ settledSeconds: 1 });
  expect(await find(first, "10042")).toEqual([late]);
  await other.end();
});

test("what is encrypted, no JSON or too long is not found, and holds nothing up", async () => {
  const site = await openSite();
  await store(site, ada, { payload: "{" });
  await store(site, { order: { number: "10042" }, data: "x".repeat(3000) });
  const last = await store(site, { order: { number: "10043" } });
  await learn({ payloadBytes: 2000 });
  expect(await find(site, "1004")).toEqual([last]);
  await database.sql`update account set encrypt_payloads = true, data_key = 'x' where id = ${site.accountId}`;
  await store(site, { order: { number: "10044" } });
  await learn();
  expect(await find(site, "10044")).toEqual([]);
});

test("a site whose events cannot be learned stops no other, and is told", async () => {
  const [broken, ...others] = [await openSite(), await openSite(), await openSite()] as [Site, Site, Site];
  const { owner } = database;
  await owner.unsafe(`
    create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
    create trigger refused before insert on event_search for each row when (new.site_id = '${broken.siteId}') execute function refuse()`);
  for (const site of [broken, ...others]) await store(site, ada);
  await expect(learn()).rejects.toThrow("refused");
  for (const site of others) expect(await find(site, "10042")).toHaveLength(1);
  expect(await find(broken, "10042")).toEqual([]);
  await owner`drop function refuse cascade`;
  await learn();
  expect(await find(broken, "10042")).toHaveLength(1);
});
