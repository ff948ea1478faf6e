import { randomUUID } from "node:crypto";
import { expect, test, describe, vi } from "vitest";
import { emptyDatabase, migratedDatabase } from "../../../test/support/database.ts";
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

  test("four processes migrate one empty database at once, each migration is applied once, and what is migrated is left as it is", async () => {
    await using database = await emptyDatabase();
    const pools = Array.from({ length: 4 }, () => connect(database.ownerUrl, { max: 1, applicationName: "tidings-migrate" }));
    const applied = await Promise.all(pools.map(async (pool) => migrate(pool)));
    await Promise.all(pools.map(async (pool) => pool.end()));
    const names = (await readMigrationFiles()).map(({ name }) => name);
    expect(applied.flat().toSorted()).toEqual(names);
    const rows = await database.owner<{ name: string }[]>`select name from schema_migration order by number`;
    expect(rows.map(({ name }) => name)).toEqual(names);
    await expect(requireMigrated(database.owner)).resolves.toBeUndefined();
    expect(await migrate(database.owner)).toEqual([]);
  });

  test("an index on what has many rows is built while rows are written, and anew if an earlier build was interrupted", async () => {
    await using database = await migratedDatabase();
    const { owner } = database;
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
