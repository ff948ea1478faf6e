import { expect, it } from "vitest";
import { testDatabase } from "../../../test/support/database.ts";
import { auditedTables } from "./audited.ts";
import type { Sql } from "./statement.ts";

/** The columns of audited tables that are in no list, or in two, and listed columns that the table lacks. */
async function misplacedColumns(sql: Sql): Promise<string[]> {
  const tables = [...new Set(auditedTables.flatMap(([, each]) => each))];
  const rows = await sql<{ table: string; name: string }[]>`
    select table_name as table, column_name as name from information_schema.columns
    where table_schema = 'public' and table_name = any(${tables.map(({ table }) => table)}::text[])`;
  return tables.flatMap(({ table, plain, personal = [], secret = [], leftOut }) => {
    const named = [...plain, ...personal, ...secret, ...leftOut];
    const found = rows.filter((row) => row.table === table).map(({ name }) => name);
    const wrong = [...new Set([...named, ...found])].filter(
      (name) => !found.includes(name) || named.filter((each) => each === name).length !== 1,
    );
    return wrong.map((name) => `${table}.${name}`);
  });
}

it("tells of every column of an audited table, or names it as left out; a new one is found", async () => {
  await using database = await testDatabase();
  expect(await misplacedColumns(database.sql)).toEqual([]);
  await database.owner`alter table binding add column planted text`;
  expect(await misplacedColumns(database.sql)).toEqual(["binding.planted"]);
});
