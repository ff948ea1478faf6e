import { expect, test } from "vitest";
import { emptyDatabase, testDatabase } from "../../../test/support/database/test-database.ts";
import { connect } from "./connect.ts";
import { migrate, requireMigrated } from "./migrate.ts";
import { readMigrationFiles } from "./migration-file.ts";

const file = (number: number, text: string, checksum = `sum-${number}`) => ({
  number,
  name: `000${number}_test.sql`,
  text,
  checksum,
});

test("eight processes migrate one empty database at once, and each migration is applied once", async () => {
  await using database = await emptyDatabase();
  const pools = Array.from({ length: 8 }, () => connect(database.url, { max: 1 }));
  const applied = await Promise.all(pools.map(async (pool) => migrate(pool)));
  await Promise.all(pools.map(async (pool) => pool.end()));
  const names = (await readMigrationFiles()).map(({ name }) => name);
  expect(applied.flat().toSorted()).toEqual(names);
  const rows = await database.sql<{ name: string }[]>`select name from schema_migration order by number`;
  expect(rows.map(({ name }) => name)).toEqual(names);
  await expect(requireMigrated(database.sql)).resolves.toBeUndefined();
});

test("a migrated database is left as it is", async () => {
  await using database = await testDatabase();
  expect(await migrate(database.sql)).toEqual([]);
});

test("an empty database is said to lack its migrations", async () => {
  await using database = await emptyDatabase();
  await expect(requireMigrated(database.sql)).rejects.toThrow(/lacks 0001_core\.sql: run "npm run migrate"/);
});

test("a migration that fails leaves nothing of itself, and the next run starts there", async () => {
  await using database = await emptyDatabase();
  const good = file(1, "create table one (id integer)");
  await expect(migrate(database.sql, [good, file(2, "create table two (id integer); select 1/0;")])).rejects.toThrow(/division by zero/);
  expect(await database.sql`select to_regclass('one') is not null as one, to_regclass('two') is null as no_two`).toEqual([
    { one: true, no_two: true },
  ]);
  expect(await migrate(database.sql, [good, file(2, "create table two (id integer)")])).toEqual(["0002_test.sql"]);
});

test("a database that is ahead, or whose migration has changed since, is refused with one line", async () => {
  await using database = await emptyDatabase();
  const first = file(1, "create table one (id integer)");
  await migrate(database.sql, [first, file(2, "create table two (id integer)")]);
  await expect(migrate(database.sql, [first])).rejects.toMatchObject({
    name: "ConfigurationError",
    message: expect.stringMatching(/^.*0002_test\.sql.*newer version.*$/),
  });
  await expect(migrate(database.sql, [{ ...first, checksum: "other" }])).rejects.toMatchObject({
    name: "ConfigurationError",
    message: expect.stringMatching(/^.*0001_test\.sql.*append-only.*$/),
  });
});
