import { expect, test } from "vitest";
import { testDatabase } from "../support/database.ts";
import { dumpSchema } from "./dump-schema.ts";

// After a new migration: run this file with `-u`, and read the difference in shared/src/db/schema.sql.
test("the committed dump is the schema that the migrations make", async () => {
  await using database = await testDatabase();
  await expect(await dumpSchema(database.sql)).toMatchFileSnapshot("../../shared/src/db/schema.sql");
});

test.each([
  ["a column", "alter table site add column planted text"],
  ["a default", "alter table site alter column name set default 'x'"],
  ["a check", "alter table site add constraint planted check (name <> '')"],
  ["an index", "create index planted on site (name)"],
  ["a trigger", "drop trigger bump on site"],
  ["a function", "create function planted() returns int language sql as 'select 1'"],
  ["a row type", "create type planted as (a text)"],
  ["an enum's label", "alter type notification_status add value 'planted'"],
])("%s that no migration made would show", async (_what, change) => {
  await using database = await testDatabase();
  const before = await dumpSchema(database.sql);
  await database.owner.unsafe(change);
  expect(await dumpSchema(database.sql)).not.toBe(before);
});

test("a week's partition does not show: the dump is the same on every day", async () => {
  await using database = await testDatabase();
  const before = await dumpSchema(database.sql);
  await database.sql`select make_week_partition('event', '2031-01-01')`;
  expect(await dumpSchema(database.sql)).toBe(before);
});
