import { beforeAll, describe, expect, it } from "vitest";
import { idAt } from "../../../test/support/admin-shops.ts";
import { openAdminOn } from "../../../test/support/admin.ts";
import { data } from "../../../test/support/data.ts";
import { emptyDatabase } from "../../../test/support/database.ts";
import { masterKey, openGateway, openShop } from "../../../test/support/gateway.ts";
import { startScriptedPlatform } from "../../../test/support/platform.ts";
import { postEvent } from "../../../test/support/requests.ts";
import { shared } from "../../../test/support/shared.ts";
import { waitFor } from "../../../test/support/wait-for.ts";
import { everydayRole } from "../postgres/start.ts";
import { followChain, insertAuditEntry } from "./audit.ts";
import { writeSearchRows } from "./event/search-rows.ts";
import { findEventIds } from "./event/search.ts";
import { grantEverydayRights } from "./grants.ts";
import { newId } from "./ids.ts";
import { makePartitions, migrate } from "./migrate.ts";
import { dropPartitionsBefore } from "./retention.ts";
import type { Pool } from "./statement.ts";

let everyday: Pool;
const database = shared(async () => emptyDatabase());
beforeAll(async () => {
  const { owner } = database;
  everyday = database.sql;
  await migrate(owner);
  // The schema's rights are those of a database of PostgreSQL 14, or of one that was upgraded from there.
  await owner`grant create on schema public to public`;
  await Promise.all([1, 2].map(async () => grantEverydayRights(owner, everydayRole)));
});

const refused = { code: expect.stringMatching(/^(42501|42P16)$/) };

describe("the everyday role", () => {
  it.each(data<string[]>("db-grants", "is refused"))("is refused: %s", async (statement) => {
    await expect(everyday.unsafe(statement)).rejects.toMatchObject(refused);
  });

  it("makes and drops weekly partitions, and nothing else by the same functions", async () => {
    await makePartitions(everyday, new Date("2032-05-05T00:00:00Z"), 1);
    const isThere = async () => (await everyday`select to_regclass('event_2032w19') is not null as there`)[0]?.["there"];
    expect(await isThere()).toBe(true);
    expect(await dropPartitionsBefore(everyday, "event", "ffffffff-ffff-7fff-bfff-ffffffffffff")).toContain("event_2032w19");
    expect(await isThere()).toBe(false);
    for (const name of ["site", "event", "event_default", "public.site", "event_2032w19; drop table site"])
      await expect(everyday`select drop_week_partition(${name})`).rejects.toThrow(/is no weekly partition/);
    await expect(everyday`select make_week_partition('site', now())`).rejects.toThrow(/has no weekly partitions/);
  });

  it("adds to the audit's chains, and empties what they tell of a person, through no table of its own", async () => {
    const accountId = newId();
    await everyday`insert into account (id, name, verify_token) values (${accountId}, 'A', 'v')`;
    const entry = {
      id: newId(),
      account_id: accountId,
      actor: "ann",
      actor_id: null,
      token_id: null,
      action: "x",
      subject: null,
      address: null,
    };
    await database.owner`grant temporary on database ${database.owner(new URL(database.url).pathname.slice(1))} to ${database.owner(everydayRole)}`;
    await everyday.begin(async (sql) => {
      for (const name of ["audit_entry", "audit_value", "audit_head"])
        await sql`create temp table ${sql(name)} (like ${sql(`public.${name}`)}) on commit drop`;
      await sql`set local search_path = public, pg_temp`;
      await insertAuditEntry(sql, { ...entry, changes: [{ member: "phone", personal: true, after: "+491700000001" }] });
      await sql`set local search_path = pg_temp, public`;
      await sql`select empty_audit_values(${accountId}, ${[entry.id]}::uuid[])`;
    });
    expect(await everyday`select content, emptied_at is not null as emptied from audit_value where account_id = ${accountId}`).toEqual([
      { content: null, emptied: true },
    ]);
    expect(await followChain(everyday, accountId)).toMatchObject({ entries: 1, broken: null });
  });

  it.each(data<[string, string][]>("db-grants", "cannot break a chain by"))("cannot break a chain by %s", async (_what, statement) => {
    await everyday`insert into account (id, name, verify_token) values (${newId()}, 'A', 'v')`;
    const [account] = await everyday<[{ id: string }]>`select id from account order by id desc limit 1`;
    await everyday`insert into audit_entry (id, account_id, actor, action) values (${newId()}, ${account.id}, 'a', 'x')`;
    const planting = everyday.unsafe(statement, statement.includes("$1") ? [newId()] : []);
    await expect(planting).rejects.toMatchObject({ code: "23514" });
    for (const { id } of await everyday<{ id: string }[]>`select id from account`)
      expect(await followChain(everyday, id)).toMatchObject({ broken: null });
  });

  it("serves a gateway and an admin server, from the first owner to a message that is sent", async () => {
    await using platform = await startScriptedPlatform();
    const shop = await openShop(everyday);
    await using gateway = await openGateway(database.url, platform.url);
    expect((await postEvent(gateway, shop)).json["chat"]).toBe("sent");
    await using admin = await openAdminOn(database.url, { masterKey });
    const { client } = await admin.signUp();
    const { site } = await client.sites.create.mutate({ name: "Shop", url: "https://shop.example", sourceType: "generic" });
    expect((await client.sites.list.query({})).items.map(({ id }) => id)).toEqual([site.id]);
    await client.sites.rotateWebhookSecret.mutate({ id: site.id });
    await client.sites.delete.mutate({ id: site.id });
  });

  it("finds events of every week, also those that lie behind the newest", async () => {
    const [accountId, siteId] = [newId(), newId()];
    await everyday`insert into account (id, name, verify_token) values (${accountId}, 'A', 'v')`;
    await everyday`insert into site (id, account_id, name, url, source_type) values (${siteId}, ${accountId}, 'S', 'https://s.example', 'generic')`;
    const ids = [3, 2, 1, 0].map((weeks) => idAt(Date.now() - weeks * 7 * 86_400_000));
    for (const id of ids) await everyday`select make_week_partition('event_search', uuid_time(${id}))`;
    const rows = ids.map((id) => ({ site_id: siteId, id, account_id: accountId, words: ["ada"], open_words: [], customer: null }));
    await writeSearchRows(everyday, rows);
    const found = await findEventIds(
      everyday,
      accountId,
      { search: [["ada"]], onlyOpen: false, readFirst: 1 },
      { from: null, before: null, limit: 9 },
    );
    expect(found.ids).toEqual(ids.toReversed());
  });

  it("may use a table of a later migration once the rights are given again", async () => {
    await database.owner`create table later (id integer)`;
    await expect(everyday`select from later`).rejects.toMatchObject(refused);
    await grantEverydayRights(database.owner, everydayRole);
    expect(await everyday`select from later`).toEqual([]);
  });
});

describe("on each relation, also on partitions of past and coming weeks, the everyday role has what the rule gives", () => {
  /** What the role has less than all rights on rows. */
  const less: Record<string, string[]> = data("db-grants", "less");

  /** The rights that the role has, by itself or as everybody, on every relation, beside those of the rule. */
  async function compare(): Promise<{ relation: string; has: string[]; rule: string[] }[]> {
    const rows = await database.owner<{ schema: string; name: string; kind: string; table: string; has: string }[]>`
      with recursive of_table as (
        select oid, relname as name from pg_class where not relispartition
        union all select i.inhrelid, name from of_table join pg_inherits i on i.inhparent = oid)
      select c.relnamespace::regnamespace::text as schema, c.relname as name, c.relkind as kind, t.name as table, (
        select coalesce(json_agg(what), '[]')::text from unnest('{SELECT,INSERT,UPDATE,DELETE,TRUNCATE,REFERENCES,TRIGGER}'::text[]) what
        where has_table_privilege(${everydayRole}, c.oid, what)) as has
      from pg_class c join of_table t using (oid) where c.relnamespace::regnamespace::text in ('public', 'sandbox') and c.relkind not in ('i', 'I', 'c')`;
    return rows.map(({ schema, name, kind, table, has }) => ({
      relation: `${schema}.${name}`,
      has: JSON.parse(has) as string[],
      rule: "rp".includes(kind) ? ((schema === "public" ? less[table] : undefined) ?? ["SELECT", "INSERT", "UPDATE", "DELETE"]) : [],
    }));
  }
  const differing = async () => (await compare()).filter(({ has, rule }) => has.join() !== rule.join());

  it("and it owns nothing, is nobody else, and calls no other function with the owner's rights than it needs", async () => {
    for (const table of ["event", "event_payload", "notification", "event_search"])
      for (const at of ["2024-02-29", "2033-03-03"]) await everyday`select make_week_partition(${table}, ${at}::timestamptz)`;
    const all = await compare();
    for (const name of ["public.event_2024w09", "public.event_search_2033w09", "public.notification_default", "sandbox.account"])
      expect(all).toContainEqual({ relation: name, has: ["SELECT", "INSERT", "UPDATE", "DELETE"], rule: expect.anything() });
    expect(all.filter(({ has, rule }) => has.join() !== rule.join())).toEqual([]);
    const [role] = await everyday<[{ id: number }]>`select oid as id from pg_roles where rolname = current_user`;
    expect(await database.owner`select classid::regclass, objid from pg_shdepend where refobjid = ${role.id} and deptype = 'o'`).toEqual(
      [],
    );
    expect(await database.owner`select roleid::regrole from pg_auth_members where member = ${role.id}`).toEqual([]);
    const callable = await everyday`
      select proname as name from pg_proc where prosecdef and prorettype <> 'trigger'::regtype and has_function_privilege(oid, 'execute') order by 1`;
    expect(callable.map(({ name }) => String(name))).toEqual(["drop_week_partition", "empty_audit_values", "make_week_partition"]);
  });

  it("whatever was given or taken by hand, once the rights are given again, while a week is dropped", async () => {
    const { owner } = database;
    await everyday`select make_week_partition('event', '2033-03-03'::timestamptz)`;
    await owner`grant truncate, trigger on event, event_2033w09, audit_entry to ${owner(everydayRole)}`;
    await owner`revoke select on event_search_default from ${owner(everydayRole)}`;
    await owner`grant update (name) on account to ${owner(everydayRole)} with grant option`;
    const granting: Promise<void>[] = [];
    await owner.begin(async (sql) => {
      await sql`drop table event_2033w09`;
      for (let n = 0; n < 2; n += 1) granting.push(grantEverydayRights(owner, everydayRole));
      void Promise.allSettled(granting);
      await waitFor("the rights to wait for the drop", async () => {
        const waiting = await owner`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
        return waiting.length === granting.length;
      });
    });
    await Promise.all(granting);
    expect(await differing()).toEqual([]);
  });

  it("on a partition of a table with fewer rights too", async () => {
    const { owner } = database;
    await owner`drop table schema_migration`;
    await owner`create table schema_migration (number integer) partition by range (number)`;
    await owner`create table schema_migration_some partition of schema_migration for values from (0) to (9)`;
    await grantEverydayRights(owner, everydayRole);
    expect(await differing()).toEqual([]);
  });
});
