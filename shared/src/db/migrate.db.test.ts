import { randomUUID } from "node:crypto";
import { expect, test, describe, vi } from "vitest";
import { data } from "../../../test/support/data.ts";
import { emptyDatabase } from "../../../test/support/database.ts";
import { everydayRole } from "../postgres/start.ts";
import { connect } from "./connect.ts";
import { takeOver, workAhead } from "./migrate-ahead.ts";
import { patiently, tellWaits } from "./migrate-waits.ts";
import { migrate, migrationLock, requireMigrated, readMigrationFiles } from "./migrate.ts";
import type { Pool } from "./statement.ts";

/** Applies the migrations before the one whose file's name ends so, and tells its place among all. */
async function migrateUpTo(sql: Pool, ending: string) {
  const files = await readMigrationFiles();
  const at = files.findIndex(({ name }) => name.endsWith(`${ending}.sql`));
  expect(at).toBeGreaterThan(0);
  await migrate(sql, files.slice(0, at));
  return { files, at };
}

describe("migrate", () => {
  const file = (number: number, text: string, checksum = `sum-${number}`) => ({ number, name: `000${number}_test.sql`, text, checksum });

  test("eight processes migrate one empty database at once, and each migration is applied once", async () => {
    await using database = await emptyDatabase();
    const pools = Array.from({ length: 8 }, () => connect(database.ownerUrl, { max: 1, applicationName: "tidings-migrate" }));
    const applied = await Promise.all(pools.map(async (pool) => migrate(pool)));
    await Promise.all(pools.map(async (pool) => pool.end()));
    const names = (await readMigrationFiles()).map(({ name }) => name);
    expect(applied.flat().toSorted()).toEqual(names);
    const rows = await database.owner<{ name: string }[]>`select name from schema_migration order by number`;
    expect(rows.map(({ name }) => name)).toEqual(names);
    await expect(requireMigrated(database.owner)).resolves.toBeUndefined();
  });

  test("an index on what has many rows is built while rows are written, and anew if an earlier build was interrupted", async () => {
    await using database = await emptyDatabase();
    const { owner } = database;
    await migrate(owner);
    const files = await readMigrationFiles();
    const next = {
      ...file(
        files.length + 1,
        "create index probe on notification (site_id, due_at) where due_at is not null;\ncreate index plain_probe on customer_order (number);",
      ),
      name: "0999_probe.sql",
    };
    await owner`create index notification_default_probe on notification_default (site_id, due_at) where due_at is not null`;
    await owner`create index plain_probe on customer_order (number)`;
    await owner`update pg_index set indisvalid = false where indexrelid in ('notification_default_probe'::regclass, 'plain_probe'::regclass)`;
    const migrating = await owner.begin("isolation level repeatable read", async (snapshot) => {
      await snapshot`select count(*) from notification`;
      const begun = migrate(owner, [...files, next], 0);
      await vi.waitUntil(async () => (await owner`select from pg_stat_progress_create_index where lockers_total > 0`).length > 0, {
        timeout: 20_000,
      });
      await owner.begin(async (writer) => {
        await writer`set local lock_timeout = '1s'`;
        await writer`lock table notification in row exclusive mode`;
      });
      return { begun };
    });
    expect(await migrating.begun).toEqual(["0999_probe.sql"]);
    const state = await owner`
      select count(*) = (select count(*) from pg_inherits where inhparent = 'notification'::regclass) as whole, bool_and(x.indisvalid) as valid
      from pg_inherits i join pg_index x on x.indexrelid = i.inhrelid where i.inhparent = 'probe'::regclass`;
    expect(state).toEqual([{ whole: true, valid: true }]);
    expect(await owner`select indisvalid from pg_index where indexrelid = 'plain_probe'::regclass`).toEqual([{ indisvalid: true }]);
  });

  test("writers do not queue behind a migration that waits for a long transaction", async () => {
    await using database = await emptyDatabase();
    const { owner } = database;
    const first = file(1, "create table one (id integer)");
    await migrate(owner, [first]);
    const { begun } = await owner.begin(async (long) => {
      await long`select from one`;
      const begun = migrate(owner, [first, file(2, "alter table one add column two integer")]);
      await vi.waitUntil(async () => (await owner`select from pg_locks where relation = 'one'::regclass and not granted`).length > 0, {
        timeout: 20_000,
      });
      await owner`insert into one values (1)`;
      return { begun };
    });
    expect(await begun).toEqual(["0002_test.sql"]);
  });

  test("a new column is filled before its migration, which writes those rows no more, only what came since", async () => {
    await using database = await emptyDatabase();
    const { owner: sql } = database;
    const { files, at } = await migrateUpTo(sql, "_operations");
    const [one, backfill] = [randomUUID(), randomUUID()];
    const ask = (count: number, kind: string, from: string | null) =>
      sql.begin((transaction) => [
        // What the rows refer to is of no interest.
        transaction`set local session_replication_role = replica`,
        transaction`
          insert into requested_event (id, account_id, site_id, kind, replay_of, binding_id, backfill_id)
          select gen_random_uuid(), ${one}, ${one}, ${kind}, gen_random_uuid(), ${one}, ${from} from generate_series(1, ${count}::integer)`,
      ]);
    const states = () => sql`
      select kind, operation_id = backfill_id as named, count(*)::integer, array_agg(xmin::text || id order by id) as written,
        to_regclass('requested_event_operation')::oid::integer as index
      from requested_event group by kind, named order by kind`;
    await ask(2_500, "backfill", backfill);
    await ask(1, "replay", null);

    await workAhead(sql, files[at]?.text ?? "", 0);
    const ahead = await states();
    expect(ahead).toMatchObject([
      { kind: "backfill", named: true, count: 2_500, index: expect.any(Number) },
      { kind: "replay", named: null, count: 1 },
    ]);
    await ask(1, "test", backfill);
    await migrate(sql, files);

    expect(await states()).toMatchObject([...ahead, { kind: "test", named: true, count: 1 }]);
  });

  test("what a migration does for each account is done once it is over, and locks nothing meanwhile", async () => {
    await using database = await emptyDatabase();
    const { owner: sql } = database;
    const { files, at } = await migrateUpTo(sql, "_problems");
    const [account, alert, left] = [randomUUID(), randomUUID(), randomUUID()];
    await sql`insert into account (id, name, verify_token) values (${account}, 'A', 'v')`;
    const add = (id: string, kind: string) =>
      sql`insert into alert (id, account_id, kind, subject, detail) values (${id}, ${account}, ${kind}, '', '{}')`;
    await add(alert, "platform_stopped");

    expect(takeOver(files[at]?.text ?? "")).not.toMatch(/^select/m);
    await migrate(sql, files.slice(0, at + 1));

    expect(await sql`select id, state from problem`).toEqual([{ id: alert, state: "open" }]);
    // As if it had been killed before the end.
    await add(left, "template_refused");
    await Promise.all([migrate(sql, files), migrate(sql, files), migrate(sql, files)]);
    expect((await sql<{ id: string }[]>`select id from problem`).map(({ id }) => id).toSorted()).toEqual([alert, left].toSorted());
  });

  test("a migrator that another one was faster than does the work ahead of what is next now", async () => {
    await using database = await emptyDatabase();
    const { owner } = database;
    const [one, two] = [file(1, "create table one (id integer)"), file(2, "create table two (id integer)")];
    const three = file(
      3,
      "do $$ begin if to_regclass('probe') is null then raise 'no work ahead'; end if; end $$;\ncreate index probe on one (id);",
    );
    await migrate(owner, [one]);
    const { begun } = await owner.begin(async (faster) => {
      await faster`select pg_advisory_xact_lock(${migrationLock}::bigint)`;
      const begun = migrate(owner, [one, two, three], 0);
      await vi.waitUntil(async () => (await owner`select from pg_locks where locktype = 'advisory' and not granted`).length > 0, {
        timeout: 20_000,
      });
      await faster`insert into schema_migration (number, name, checksum) values (2, ${two.name}, ${two.checksum})`;
      return { begun };
    });
    expect(await begun).toEqual([three.name]);
  });

  test("who waited in vain is told what to do", async () => {
    const held = Object.assign(new Error("canceling statement due to lock timeout"), { code: "55P03" });
    await expect(patiently(() => Promise.reject(held), 1)).rejects.toThrow(/end the session that holds it, and run the migration again$/);
  });

  test("a wait for a lock is told of, with who holds it and since when", async () => {
    await using database = await emptyDatabase();
    const { owner, ownerUrl } = database;
    const first = file(1, "create table one (id integer)");
    await migrate(owner, [first]);
    const lines: string[] = [];
    const sql = connect(ownerUrl, { max: 1, applicationName: "tidings-migrate" });
    await using _waits = await tellWaits(sql, connect(ownerUrl, { max: 1 }), (line) => lines.push(line));
    const { begun, pid } = await owner.begin(async (long) => {
      const [session] = await long<{ pid: number }[]>`select pg_backend_pid() as pid, count(*) from one`;
      const begun = migrate(sql, [first, file(2, "alter table one add column two integer")]);
      await vi.waitUntil(() => lines.length > 0, { timeout: 20_000 });
      return { begun, pid: session?.pid };
    });
    expect(await begun).toEqual(["0002_test.sql"]);
    await sql.end();
    expect(lines[0]).toMatch(new RegExp(`^the migration waits: one is held by process ${pid} \\(test, since [-0-9]{10} [:0-9]{8} UTC\\)$`));
  });

  test("a migrated database is left as it is", async () => {
    await using database = await emptyDatabase();
    await migrate(database.owner);
    expect(await migrate(database.owner)).toEqual([]);
  });

  test("an empty database is said to lack its migrations", async () => {
    await using database = await emptyDatabase();
    await expect(requireMigrated(database.owner)).rejects.toThrow(/lacks 0001_core\.sql: run "npm run migrate"/);
  });

  test("a migration that fails leaves nothing of itself, and the next run starts there", async () => {
    await using database = await emptyDatabase();
    const good = file(1, "create table one (id integer)");
    await expect(migrate(database.owner, [good, file(2, "create table two (id integer); select 1/0;")])).rejects.toThrow(
      /division by zero/,
    );
    expect(await database.owner`select to_regclass('one') is not null as one, to_regclass('two') is null as no_two`).toEqual([
      { one: true, no_two: true },
    ]);
    expect(await migrate(database.owner, [good, file(2, "create table two (id integer)")])).toEqual(["0002_test.sql"]);
  });

  test("a database that is ahead, or whose migration has changed since, is refused with one line", async () => {
    await using database = await emptyDatabase();
    const first = file(1, "create table one (id integer)");
    await migrate(database.owner, [first, file(2, "create table two (id integer)")]);
    await expect(migrate(database.owner, [first])).rejects.toMatchObject({
      name: "ConfigurationError",
      message: expect.stringMatching(/^.*0002_test\.sql.*newer version.*$/),
    });
    await expect(migrate(database.owner, [{ ...first, checksum: "other" }])).rejects.toMatchObject({
      name: "ConfigurationError",
      message: expect.stringMatching(/^.*0001_test\.sql.*append-only.*$/),
    });
  });
});

test("a week gives the rights of its table, also one that was made before, without that anybody gives them again", async () => {
  await using database = await emptyDatabase();
  const { owner } = database;
  const files = await readMigrationFiles();
  await migrate(owner, files.slice(0, 45));
  await owner`select make_week_partition('event', '2026-01-05')`;
  await owner`grant select, insert on event to ${owner(everydayRole)}`;
  await owner`grant select on event to public`;

  await migrate(owner);

  await owner`select make_week_partition('event', '2026-01-12')`;
  for (const name of ["event_2026w02", "event_2026w03", "event_default"]) {
    const [row] = await owner`select relacl::text as rights from pg_class where relname = ${name}`;
    expect(row?.["rights"]).toMatch(new RegExp(`,${everydayRole}=ar/\\w+,=r/\\w+}$`));
  }
});

test("everybody is a member of the account that they had, with what they had opened and made there", async () => {
  await using database = await emptyDatabase();
  const { owner: sql } = database;
  await migrateUpTo(sql, "_membership");
  const [account, user, other] = [randomUUID(), randomUUID(), randomUUID()];
  await sql`insert into account (id, name, verify_token) values (${account}, 'A', 'v')`;
  await sql`insert into app_user (id, account_id, email, name, role, password_hash) values
    (${user}, ${account}, 'a@x.example', 'A', 'owner', 'h'), (${other}, ${account}, 'b@x.example', 'B', 'viewer', 'h')`;
  await sql`insert into user_session (id, handle, user_id, expires_at) values ('one', ${randomUUID()}, ${other}, now())`;
  await sql`insert into password_reset (user_id, created_by, token_hash, expires_at) values (${other}, ${user}, '\\x01', now())`;
  await sql`insert into access_token (id, account_id, created_by, name, role, token_hash, hint) values (${randomUUID()}, ${account}, ${other}, 'T', 'viewer', '\\x02', 'x')`;

  await migrate(sql);

  expect(await sql`select user_id, account_id, role from membership order by role`).toEqual([
    { user_id: user, account_id: account, role: "owner" },
    { user_id: other, account_id: account, role: "viewer" },
  ]);
  const left = () =>
    sql`select account_id from user_session union all select account_id from password_reset union all select account_id from access_token`;
  expect(await left()).toEqual(Array.from({ length: 3 }, () => ({ account_id: account })));
  await sql`delete from membership where user_id = ${other}`;
  expect(await left()).toEqual([]);
});

test("a shop that has only tried its address is not connected any more, and who has signed an event is", async () => {
  await using database = await emptyDatabase();
  const { owner: sql } = database;
  await migrateUpTo(sql, "_proven_requests");
  const account = randomUUID();
  await sql`insert into account (id, name, verify_token) values (${account}, 'A', 'v')`;
  const connected = "2026-01-01T00:00:00.000Z";
  const add = async (type: string, { at = null, topic = false, used = false }: { at?: string | null; topic?: boolean; used?: boolean }) => {
    const id = randomUUID();
    await sql`insert into site (id, account_id, name, url, source_type, connected_at) values (${id}, ${account}, 'S', 'https://s.example', ${type}, ${at})`;
    await sql`
      insert into site_secret (id, site_id, kind, secret, hint, last_used_at)
      values (${randomUUID()}, ${id}, 'webhook_secret', 'sealed', 'h', ${used ? "2026-03-01" : null}::timestamptz)`;
    if (topic) await sql`insert into site_topic (site_id, topic, last_seen_at) values (${id}, 'order.created', now())`;
    return id;
  };
  const sites = [
    await add("woocommerce", { at: connected }),
    await add("woocommerce", { at: connected, topic: true }),
    await add("woocommerce", { at: connected, used: true }),
    await add("shopify", { at: connected }),
    await add("generic", { used: true }),
    await add("generic", {}),
    await add("generic", { used: true }),
  ];
  await sql`
    insert into event (id, site_id, source, name, test, dry_run, bindings_run)
    values (uuid_at('2026-02-01'), ${sites[6] ?? ""}, 'generic', 'a', false, false, 0)`;

  await migrate(sql);

  const rows = await sql<{ id: string; connected_at: Date | null; pinged_at: Date | null; valid_at: Date | null }[]>`
    select id, connected_at, pinged_at, (select max(last_at) from site_proven where site_id = site.id) as valid_at from site`;
  const day = (date: Date | null) => date?.toISOString().slice(0, 10) ?? null;
  const byId = new Map(rows.map((row) => [row.id, [row.connected_at, row.pinged_at, row.valid_at].map(day)]));
  expect(sites.map((id) => byId.get(id))).toEqual(data("db-migrate", "a shop that has only tried its address is not connected any"));
});

describe("migrate people", () => {
  test("keys, secrets, sessions and audit entries of before are kept", async () => {
    await using database = await emptyDatabase();
    const { owner: sql } = database;
    await migrateUpTo(sql, "0007_people");
    const [account, user, site, gone, token] = [randomUUID(), randomUUID(), randomUUID(), randomUUID(), randomUUID()];
    await sql`insert into account (id, name, verify_token) values (${account}, 'A', 'v')`;
    await sql`insert into app_user (id, account_id, email, name, role, password_hash) values (${user}, ${account}, 'a@x.example', 'A', 'owner', 'h')`;
    await sql`insert into user_session (id, user_id, expires_at, created_at)
    values ('one', ${user}, now() + interval '1 day', '2026-01-01'), ('two', ${user}, now() + interval '1 day', '2026-01-02')`;
    await sql`insert into site (id, account_id, name, url, source_type, key_hash, key_hint, webhook_secret, deleted_at) values
    (${site}, ${account}, 'S', 'https://s.example', 'generic', '\\x01', 'sk_live_…abcd', 'sealed', null),
    (${gone}, ${account}, 'S', 'https://s.example', 'generic', '', '', '', now())`;
    await sql`insert into audit_entry (id, account_id, actor, action) values
    (${randomUUID()}, ${account}, 'a@x.example', 'sites.create'), (${randomUUID()}, ${account}, ${`a@x.example (token ${token})`}, 'sites.update')`;

    await migrate(sql);

    expect(
      await sql`select kind, key_hash, secret, hint, expires_at, last_used_at from site_secret where site_id = ${site} order by kind`,
    ).toEqual([
      { kind: "api_key", key_hash: Buffer.from([1]), secret: null, hint: "sk_live_…abcd", expires_at: null, last_used_at: null },
      { kind: "webhook_secret", key_hash: null, secret: "sealed", hint: "whs_…", expires_at: null, last_used_at: null },
    ]);
    expect(await sql`select id from site_secret where site_id = ${gone}`).toEqual([]);
    expect(await sql`select id, last_used_at = created_at as as_made from user_session order by handle`).toEqual([
      { id: "one", as_made: true },
      { id: "two", as_made: true },
    ]);
    expect(await sql`select actor, token_id, action from audit_entry order by action`).toEqual([
      { actor: "a@x.example", token_id: null, action: "sites.create" },
      { actor: "a@x.example", token_id: token, action: "sites.update" },
    ]);
  });
});
