import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openAdminOn } from "../../../test/support/admin.ts";
import { type TestDatabase, testDatabase } from "../../../test/support/database.ts";
import { masterKey, openGateway, openShop } from "../../../test/support/gateway.ts";
import { startScriptedPlatform } from "../../../test/support/platform.ts";
import { postEvent } from "../../../test/support/requests.ts";
import { followChain, insertAuditEntry } from "./audit.ts";
import { connect, type Pool } from "./connect.ts";
import { grantEverydayRights } from "./grants.ts";
import { newId } from "./ids.ts";
import { makePartitions } from "./migrate.ts";
import { dropPartitionsBefore } from "./retention.ts";

const role = `everyday_${randomBytes(4).toString("hex")}`;
let database: TestDatabase;
let everyday: Pool;
let url: URL;
beforeAll(async () => {
  database = await testDatabase();
  await database.sql`create role ${database.sql(role)} login password 'everyday'`;
  // The schema's rights are those of a database of PostgreSQL 14, or of one that was upgraded from there.
  await database.sql`grant create on schema public to public`;
  await Promise.all([1, 2].map(async () => grantEverydayRights(database.sql, role)));
  url = Object.assign(new URL(database.url), { username: role, password: "everyday" });
  everyday = connect(url.href, { max: 2 });
});
afterAll(async () => {
  await everyday.end();
  await database.sql`drop owned by ${database.sql(role)}`;
  await database.sql`drop role ${database.sql(role)}`;
  await database[Symbol.asyncDispose]();
});

const refused = { code: expect.stringMatching(/^(42501|42P16)$/) };

describe("the everyday role", () => {
  it.each([
    "drop table site",
    "alter table site add column planted text",
    "alter table site disable trigger user",
    "truncate event",
    "create table planted (id integer)",
    "create index planted on site (name)",
    "create function audit_field(value varchar) returns text language sql immutable as $$ select '' $$",
    "create or replace function uuid_at(at timestamptz) returns uuid language sql immutable strict as $$ select null::uuid $$",
    "drop function drop_week_partition(text)",
    "delete from schema_migration",
    "update schema_migration set checksum = ''",
    "create role planted superuser",
    "set session_replication_role = replica",
    "copy site to '/tmp/planted'",
    "drop table event_default",
    "update audit_entry set actor = 'nobody'",
    "delete from audit_entry",
    "truncate audit_entry",
    "alter table audit_entry disable trigger chain",
    "select from audit_entry for update",
    "update audit_value set content = null, salt = null",
    "delete from audit_value",
    "insert into audit_head (account_id, seq, hash) select id, 9, '' from account",
    "update audit_head set seq = 1",
    "delete from account",
  ])("is refused: %s", async (statement) => {
    await expect(everyday.unsafe(statement)).rejects.toMatchObject(refused);
  });

  it("makes and drops weekly partitions, and nothing else by the same functions", async () => {
    await makePartitions(everyday, new Date("2032-05-05T00:00:00Z"), 1);
    const isThere = async () => (await everyday`select to_regclass('event_2032w19') is not null as there`)[0]?.["there"];
    expect(await isThere()).toBe(true);
    expect(await dropPartitionsBefore(everyday, "event", "ffffffff-ffff-7fff-bfff-ffffffffffff")).toContain("event_2032w19");
    expect(await isThere()).toBe(false);
    for (const name of ["site", "event", "event_default", "public.site", "event_2032w19; drop table site"]) {
      await expect(everyday`select drop_week_partition(${name})`).rejects.toThrow(/is no weekly partition/);
    }
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
    await everyday.begin(async (sql) => {
      for (const name of ["audit_entry", "audit_value", "audit_head"])
        await sql`create temp table ${sql(name)} (like ${sql(`public.${name}`)}) on commit drop`;
      await sql`set local search_path = public, pg_temp`;
      await insertAuditEntry(sql, { ...entry, changes: [{ member: "phone", personal: true, after: "+491700000001" }] });
      await sql`set local search_path = pg_temp, public`;
      await sql`select empty_audit_values(${accountId}, ${[entry.id]}::uuid[])`;
    });
    expect(await database.sql`select content, emptied_at is not null as emptied from audit_value where account_id = ${accountId}`).toEqual([
      { content: null, emptied: true },
    ]);
    expect(await followChain(everyday, accountId)).toMatchObject({ entries: 1, broken: null });
  });

  it.each([
    [
      "a value beside an entry that tells none",
      "insert into audit_value (entry_id, account_id, salt, content) select id, account_id, 's', '{}' from audit_entry where values_digest is null",
    ],
    [
      "a value that is emptied from the start",
      "insert into audit_value (entry_id, account_id, emptied_at) select id, account_id, now() from audit_entry where values_digest is null",
    ],
    [
      "a value without an entry",
      "insert into audit_value (entry_id, account_id, salt, content) select gen_random_uuid(), id, 's', '{}' from account",
    ],
    [
      "an entry that tells of a value which is not there",
      "insert into audit_entry (id, account_id, actor, action, values_digest) select gen_random_uuid(), id, 'a', 'x', sha256('s') from account",
    ],
    [
      "an entry that tells of another value",
      `with told as (insert into audit_value (entry_id, account_id, salt, content) select $1::uuid, id, 's', '{}' from account limit 1 returning account_id)
       insert into audit_entry (id, account_id, actor, action, values_digest) select $1::uuid, account_id, 'a', 'x', sha256('other') from told`,
    ],
  ])("cannot break a chain by %s", async (_what, statement) => {
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
    const shop = await openShop(database.sql);
    await using gateway = await openGateway(url.href, platform.url);
    expect((await postEvent(gateway, shop)).json["chat"]).toBe("sent");
    await using admin = await openAdminOn(url.href, { masterKey });
    const { client } = await admin.signUp();
    const { site } = await client.sites.create.mutate({ name: "Shop", url: "https://shop.example", sourceType: "generic" });
    expect((await client.sites.list.query({})).items.map(({ id }) => id)).toEqual([site.id]);
    await client.sites.rotateWebhookSecret.mutate({ id: site.id });
    await client.sites.delete.mutate({ id: site.id });
  });

  it("may use a table of a later migration once the rights are given again", async () => {
    await database.sql`create table later (id integer)`;
    await expect(everyday`select from later`).rejects.toMatchObject(refused);
    await grantEverydayRights(database.sql, role);
    expect(await everyday`select from later`).toEqual([]);
  });
});
