import fc from "fast-check";
import { expect, it } from "vitest";
import { testDatabase } from "../../../test/support/database.ts";
import { claimMembers } from "./event/claim.ts";
import { settlementMembers } from "./event/settle.ts";
import { rowsText } from "./sql-text.ts";

it("is read back as it was, whatever the texts hold", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await sql`create type thing as (name text, count integer, good boolean, note text)`;
  const text = fc.oneof(
    fc.string({ unit: "binary" }).map((any) => any.replaceAll("\0", "")),
    fc.string({ unit: fc.constantFrom('"', "\\", ",", "(", ")", "{", "}", " ", "\n", "\t", "a") }),
    fc.constantFrom("NULL", "null", "", " ", '""', "\\N", "t"),
  );
  const count = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
  const thing = fc.record({ name: fc.option(text), count: fc.option(count), good: fc.option(fc.boolean()), note: fc.option(text) });
  await fc.assert(
    fc.asyncProperty(fc.array(thing, { maxLength: 5 }), async (things) => {
      const given = rowsText(things, ["name", "count", "good", "note"]);
      const rows = await sql`
        select t.name, t.count, t.good, t.note from unnest(${given}::text::thing[]) with ordinality as t(name, count, good, note, n) order by n`;
      expect([...rows]).toEqual(things);
    }),
    { numRuns: 200 },
  );
});

it.each(Object.entries({ ...claimMembers, ...settlementMembers }))("%s has its type's members, in their order", async (type, members) => {
  await using database = await testDatabase();
  const rows = await database.sql<{ name: string }[]>`
    select attname as name from pg_attribute where attrelid = ${type}::text::regclass and attnum > 0 and not attisdropped order by attnum`;
  expect(rows.map(({ name }) => name)).toEqual(members);
});
