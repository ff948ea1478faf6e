import fc from "fast-check";
import { expect, it } from "vitest";
import { testDatabase } from "../../../test/support/database/test-database.ts";

it("takes arrays as parameters, whatever their texts hold", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  const marks = fc.string({ unit: fc.constantFrom('"', "\\", "{", "}", ",", " ", "\n", "\u0001", "\u2028", "\u{1f600}", "n") });
  const any = fc.string({ unit: "binary" }).map((text) => text.replaceAll(/\0|\p{Surrogate}/gu, ""));
  const text = fc.option(fc.oneof(marks, any, fc.constantFrom("NULL", "null", "", '{"a": 1}')));
  await fc.assert(
    fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 5 }), async (texts) => {
      const rows = await sql<{ text: string }[]>`select t.text from unnest(${texts}::text[]) with ordinality as t(text, n) order by n`;
      expect(rows.map(({ text }) => text)).toEqual(texts);
    }),
    { numRuns: 200 },
  );
  expect(await sql`select 1 as one where 7 = any(${["7", "8"]}::bigint[])`).toHaveLength(1);
  expect(await sql`select 1 as one where 'a' = any(${[]}::text[])`).toHaveLength(0);
});
