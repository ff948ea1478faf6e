import { expect, it } from "vitest";
import { testDatabase } from "../../../test/support/database/test-database.ts";

it("takes arrays as parameters, whatever their texts hold", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  const texts = ["a", 'with "quotes"', "back\\slash", "{braces,commas}", "NULL", ""];
  const rows = await sql<{ text: string }[]>`select t.text from unnest(${texts}::text[]) with ordinality as t(text, n) order by n`;
  expect(rows.map(({ text }) => text)).toEqual(texts);
  expect(await sql`select 1 as one where 7 = any(${["7", "8"]}::bigint[])`).toHaveLength(1);
  expect(await sql`select 1 as one where 'a' = any(${[]}::text[])`).toHaveLength(0);
});
