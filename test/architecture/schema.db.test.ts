import { expect, test } from "vitest";
import { data } from "../support/data.ts";
import { testDatabase } from "../support/database.ts";
import { dumpSchema } from "./dump-schema.ts";

// After a new migration: run this file with `-u`, and read the difference in shared/src/db/schema.sql.
test("the committed dump is the schema that the migrations make", async () => {
  await using database = await testDatabase();
  await expect(await dumpSchema(database.sql)).toMatchFileSnapshot("../../shared/src/db/schema.sql");
});

test.each(data<[string, string][]>("test-architecture-schema", "that no migration made would"))(
  "%s that no migration made would show",
  async (_what, change) => {
    await using database = await testDatabase();
    const before = await dumpSchema(database.sql);
    await database.owner.unsafe(change);
    expect(await dumpSchema(database.sql)).not.toBe(before);
  },
);

test("a week's partition does not show: the dump is the same on every day", async () => {
  await using database = await testDatabase();
  const before = await dumpSchema(database.sql);
  await database.sql`select make_week_partition('event', '2031-01-01')`;
  expect(await dumpSchema(database.sql)).toBe(before);
});
