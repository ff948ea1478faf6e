import fc from "fast-check";
import { expect, it } from "vitest";
import { scaled } from "../../../test/faults/harness/scale.ts";
import { testDatabase } from "../../../test/support/database.ts";
import { rowsOf, rowTexts } from "./sql-text.ts";
import { columns, of } from "./statement.ts";

it("is read back as it was, whatever the texts hold", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  const all = columns({
    name: of<string | null>(),
    count: of<number | null>({ sqlType: "integer" }),
    good: of<boolean | null>({ sqlType: "boolean" }),
    note: of<string | null>(),
  });
  const text = fc.oneof(
    fc.string({ unit: "binary" }).map((any) => any.replaceAll("\0", "")),
    fc.string({ unit: fc.constantFrom('"', "\\", ",", "(", ")", "{", "}", " ", "\n", "\t", "a") }),
    fc.string({ unit: fc.constantFrom("\u001f", "\u001e", "\u001d", "\u001c", "a") }),
    fc.constantFrom("NULL", "null", "", " ", '""', "\\N", "t"),
  );
  const count = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
  const thing = fc.record({ name: fc.option(text), count: fc.option(count), good: fc.option(fc.boolean()), note: fc.option(text) });
  await fc.assert(
    fc.asyncProperty(fc.array(thing, { maxLength: 5 }), fc.array(fc.record({ name: text }), { maxLength: 2 }), async (things, others) => {
      const { texts, separators } = rowTexts([
        { rows: things, names: all.names },
        { rows: others, names: ["name"] },
      ]);
      const rows = await sql.unsafe(`select t.name, t.count, t.good, t.note from ${rowsOf(all, "t", "$1", ["$2", "$3", "$4"])}`, [
        texts[0] ?? "",
        ...separators,
      ]);
      expect([...rows]).toEqual(things);
    }),
    { numRuns: scaled(40, 200) },
  );
});
