import { pino } from "pino";
import { connect } from "shared/db/connect";
import { forgetSamples } from "shared/db/event-kind";
import { newId } from "shared/db/ids";
import type { Pool } from "shared/db/statement";
import { createVault } from "shared/secrets/vault";
import { describe, expect, test } from "vitest";
import { idAt, insertEvent } from "../../../test/support/admin-shops.ts";
import { testDatabase } from "../../../test/support/database.ts";
import { masterKey } from "../../../test/support/gateway.ts";
import { shared } from "../../../test/support/shared.ts";
import { defaultLearningLimits, type LearningLimits } from "./kinds.ts";
import { createLearner } from "./learner.ts";

const database = shared(async () => testDatabase());

const learnerWith = (changes: Partial<LearningLimits> = {}, sql: Pool = database.sql) =>
  createLearner({
    sql,
    vault: createVault(masterKey),
    log: pino({ level: "silent" }),
    stopping: new AbortController().signal,
    limits: { ...defaultLearningLimits, ...changes },
  });

async function openSite(): Promise<string> {
  const [accountId, siteId] = [newId(), newId()];
  await database.sql`insert into account (id, name, verify_token) values (${accountId}, 'Shop', 'v')`;
  await database.sql`insert into site (id, account_id, name, url, source_type) values (${siteId}, ${accountId}, 'S', 'https://s.example', 'generic')`;
  return siteId;
}

const kindsOf = async (siteId: string) =>
  database.sql<{ name: string; last_event_id: string; fields: { path: string; sample: string | null }[] }[]>`
    select name, last_event_id, fields from event_kind where site_id = ${siteId} order by name`;
const pathsOf = async (siteId: string, name = "order.created"): Promise<string[]> =>
  (await kindsOf(siteId)).find((kind) => kind.name === name)?.fields.map(({ path }) => path) ?? [];
const store = async (siteId: string, payload: object, columns = {}, sql: Parameters<typeof insertEvent>[0] = database.sql) =>
  insertEvent(sql, siteId, { payload: JSON.stringify(payload), ...columns });

/** Letters only: digits would make the keys look like data. */
const word = (n: number): string => Array.from(String(n), (digit) => "abcdefghij"[Number(digit)]).join("");

describe("two learners at once", () => {
  test("miss nothing while events of several sites are committed, and both come to an end", async () => {
    const sites = [await openSite(), await openSite(), await openSite()];
    const other = connect(database.url, { max: 4 });
    const patient = { restSeconds: 0, rows: 30, askMs: 10_000 };
    const learners = [learnerWith(patient), learnerWith(patient, other)];
    const writing = sites.map(async (siteId, index) => {
      for (let n = 0; n < 60; n += 1) await store(siteId, { data: { [word(n)]: n } }, { name: `kind.${(n + index) % 3}` });
    });
    const asking = learners.flatMap((learner) => sites.map((siteId) => Promise.all([learner.catchUp(siteId), learner.round()])));
    await Promise.all([...writing, ...asking]);
    await Promise.all(learners.flatMap((learner) => [learner.round(), ...sites.map((siteId) => learner.catchUp(siteId))]));
    for (const siteId of sites) {
      const learned = (await kindsOf(siteId)).flatMap(({ fields }) => fields.map(({ path }) => path)).filter((path) => path !== "data");
      expect(learned.toSorted()).toEqual(Array.from({ length: 60 }, (_, n) => `data.${word(n)}`).toSorted());
    }
    await other.end();
  });

  test("one that dies with its sites held leaves them to the other, and nothing half done", async () => {
    const siteId = await openSite();
    await store(siteId, { first: 1 });
    await learnerWith().catchUp(siteId);
    const dying = connect(database.url, { max: 1 });
    const [{ pid }] = await dying<[{ pid: number }]>`select pg_backend_pid() as pid`;
    await new Promise<void>((hold) => {
      const dead = dying.begin(async (transaction) => {
        await transaction`update event_learning set fresh = ${newId()} where site_id = ${siteId}`;
        await transaction`update event_kind set fields = '[]' where site_id = ${siteId}`;
        hold();
        await new Promise(() => undefined);
      });
      dead.catch(() => undefined);
    });
    await store(siteId, { second: 2 });
    // The sites are held: a round passes over them, and a caller who asks gets the known fields.
    await learnerWith({ restSeconds: 0 }).round();
    await learnerWith({ askMs: 50 }).catchUp(siteId);
    expect(await pathsOf(siteId)).toEqual(["first"]);
    await database.sql`select pg_terminate_backend(${pid}::integer)`;
    await learnerWith({ askMs: 10_000 }).catchUp(siteId);
    expect(await pathsOf(siteId)).toEqual(["first", "second"]);
    await dying.end({ timeout: 0 });
  });
});

test("an event that is committed late is learned, although later ones were learned before it", async () => {
  const siteId = await openSite();
  const [soon, sure] = [learnerWith({ freshSeconds: 0, settledSeconds: 60 }), learnerWith({ freshSeconds: 0, settledSeconds: 15 })];
  const late = idAt(Date.now() - 30_000);
  await database.sql.begin(async (slow) => {
    await store(siteId, { late: 1 }, { id: late, name: "slow.one" }, slow);
    const early = await store(siteId, { early: 1 }, { id: idAt(Date.now() - 20_000) });
    await soon.catchUp(siteId);
    expect(
      await database.sql`select from event_learning where site_id = ${siteId} and fresh = ${early} and settled < ${late}`,
    ).toHaveLength(1);
    expect((await kindsOf(siteId)).map(({ name }) => name)).toEqual(["order.created"]);
  });
  await soon.catchUp(siteId);
  expect(await pathsOf(siteId, "slow.one")).toEqual([]);
  await sure.round();
  expect(await pathsOf(siteId, "slow.one")).toEqual([]);
  await sure.catchUp(siteId);
  expect(await pathsOf(siteId, "slow.one")).toEqual(["late"]);
  expect(await database.sql`select from event_learning where site_id = ${siteId} and fresh = settled`).toHaveLength(1);
});

describe("a backlog", () => {
  test("is read in pages, in full while that is affordable; then no name is missed, and of each the newest is learned", async () => {
    const siteId = await openSite();
    const start = Date.now() - 3_600_000;
    for (let n = 0; n < 120; n += 1) {
      const name = n === 57 ? "rare.one" : "order.created";
      await store(siteId, { [word(n)]: n, always: n }, { id: idAt(start + n), name });
    }
    await learnerWith({ rows: 20, payloads: 40, samples: 1, askMs: 60_000 }).catchUp(siteId);
    const paths = await pathsOf(siteId);
    expect(paths).toEqual(expect.arrayContaining([...Array.from({ length: 40 }, (_, n) => word(n)), word(119)]));
    expect(paths.length).toBeLessThan(60);
    expect(await pathsOf(siteId, "rare.one")).toEqual(["always", word(57)].toSorted());
    const kind = (await kindsOf(siteId)).find(({ name }) => name === "order.created");
    expect(kind?.fields.find(({ path }) => path === "always")?.sample).toBe("119");
    expect(
      await database.sql`select from event_learning where site_id = ${siteId} and fresh = settled and fresh = ${kind?.last_event_id ?? null}`,
    ).toHaveLength(1);
  });

  test("of many sites is learned by rounds, each site as often as it may", async () => {
    const sites = await Promise.all(Array.from({ length: 12 }, openSite));
    for (const siteId of sites) await store(siteId, { one: 1 });
    const learner = learnerWith({ sites: 5 });
    await learner.round();
    for (const siteId of sites) expect(await pathsOf(siteId)).toEqual(["one"]);
    for (const siteId of sites) await store(siteId, { two: 1 });
    await learner.round();
    expect(await pathsOf(sites[0] ?? "")).toEqual(["one"]);
    await learnerWith({ restSeconds: 0 }).round();
    for (const siteId of sites) expect(await pathsOf(siteId)).toEqual(["one", "two"]);
  });

  test("one site that cannot be learned stops no other", async () => {
    const [broken, fine] = [await openSite(), await openSite()];
    await store(broken, { one: 1 }, { name: "cannot.be" });
    await store(fine, { one: 1 });
    await database.owner`alter table event_kind add constraint refuses check (name <> 'cannot.be')`;
    await learnerWith({ restSeconds: 0 }).round();
    expect(await pathsOf(fine)).toEqual(["one"]);
    expect(await kindsOf(broken)).toEqual([]);
    await database.owner`alter table event_kind drop constraint refuses`;
    await learnerWith({ restSeconds: 0 }).round();
    expect(await pathsOf(broken, "cannot.be")).toEqual(["one"]);
  });
});

test("a site's names are bounded: those unseen for longest give way", async () => {
  const siteId = await openSite();
  for (let n = 0; n < 8; n += 1) await store(siteId, {}, { name: `name.${n}`, id: idAt(Date.now() - 1_000 + n) });
  await learnerWith({ kinds: 5 }).catchUp(siteId);
  expect((await kindsOf(siteId)).map(({ name }) => name)).toEqual(["name.3", "name.4", "name.5", "name.6", "name.7"]);
});

test("a payload that was emptied teaches nothing and stops nothing", async () => {
  const siteId = await openSite();
  for (const payload of ["", "erased", "[1]", '{"a":1}']) await insertEvent(database.sql, siteId, { payload });
  await learnerWith().catchUp(siteId);
  expect(await pathsOf(siteId)).toEqual(["a"]);
});

test("samples of an erased event are forgotten for good; its paths stay, and others' samples", async () => {
  const siteId = await openSite();
  const kept = await store(siteId, { customer: { city: "London" } }, { id: idAt(Date.now() - 5_000) });
  const erased = await store(siteId, { customer: { first_name: "Ada" } });
  await learnerWith().catchUp(siteId);
  await database.sql`update event_payload set payload = '{}' where id = ${erased}`;
  await database.sql.begin(async (transaction) => forgetSamples(transaction, [siteId], (field) => field.sampled === erased));
  // The event is so fresh that it is read again.
  await learnerWith().catchUp(siteId);
  const [kind] = await kindsOf(siteId);
  expect(kind?.last_event_id).toBe(erased);
  expect(kind?.fields.map(({ path, sample }) => [path, sample])).toEqual([
    ["customer", null],
    ["customer.city", "London"],
    ["customer.first_name", null],
  ]);
  expect(kept < erased).toBe(true);
});
