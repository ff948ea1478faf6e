import { randomUUID } from "node:crypto";
import { migrate } from "shared/db/migrate";
import { beforeAll, expect, it } from "vitest";
import { emptyDatabase } from "../../../../test/support/database.ts";
import { shared } from "../../../../test/support/shared.ts";
import { copyIn, copyOut, listTablesToKeep, type TableToKeep } from "./database.ts";

const database = shared(async () => emptyDatabase());
beforeAll(async () => {
  await migrate(database.owner);
});

const tableOf = async (name: string): Promise<TableToKeep> => {
  const table = (await listTablesToKeep(database.owner)).find((one) => one.name === name);
  if (table === undefined) throw new Error(`no table ${name}`);
  return table;
};

it("takes rows out and puts them in again as they were, and the connection goes on", async () => {
  const { owner: sql } = database;
  await sql`create table odd (n integer, t text, b bytea, j json, a text[], at timestamptz)`;
  await sql`insert into odd values (1, ${"tab\tline\nback\\slash \\N \u{1f600}"}, '\\x000aff', '{"k":  "\\u0000"}', array['a,b', null, '"'], 'infinity'), (2, null, null, null, null, null), (3, '', '', '""', '{}', '2026-11-20 15:30:00.123456+00')`;
  await sql`insert into odd select n, repeat(md5(n::text), 300) from generate_series(4, 2000) n`;
  const table = await tableOf("odd");
  await sql`create table odd_before as table odd`;
  const pieces: Buffer[] = await sql.begin(async (transaction) => {
    const taken: Buffer[] = [];
    for await (const piece of copyOut(transaction, table)) {
      taken.push(piece);
      await new Promise(setImmediate);
    }
    await transaction`truncate odd`;
    return taken;
  });
  await sql.begin(async (transaction) => {
    const writer = await copyIn(transaction, table);
    for (const piece of pieces) await writer.write(piece);
    await writer.end();
    await transaction`select 1`;
  });
  const differing =
    await sql`(select t::text from odd t except select t::text from odd_before t) union all (select t::text from odd_before t except select t::text from odd t)`;
  expect(differing).toEqual([]);
  expect(await sql`select from odd`).toHaveLength(2000);
});

it("says so when rows are refused, at their beginning and at their end", async () => {
  const { owner: sql } = database;
  const recipients = await tableOf("site_recipient");
  const row = (values: string[]): Buffer => Buffer.from(`${values.join("\t")}\n`);
  const load = async (rows: Buffer[]): Promise<void> => {
    await sql.begin(async (transaction) => {
      const writer = await copyIn(transaction, recipients);
      for (const one of rows) await writer.write(one);
      await writer.end();
    });
  };
  const [id, site] = [randomUUID(), randomUUID()];
  const fits = row([id, site, "+15551230001", "", "t", "2026-11-20"]);
  await expect(load([fits])).rejects.toThrow("the rows of site_recipient were refused");
  await expect(load([row(["no uuid", site, "x", "", "t", "2026-11-20"]), fits])).rejects.toThrow(/refused|invalid input/);
  expect(await sql`select from site_recipient`).toEqual([]);
});

it("every table comes behind those that it refers to", async () => {
  const names = (await listTablesToKeep(database.owner)).map(({ schema, name }) => (schema === "public" ? name : `${schema}.${name}`));
  const before = (first: string, second: string): boolean => names.indexOf(first) < names.indexOf(second) && names.includes(first);
  expect(
    before("account", "site") && before("site", "binding") && before("template", "binding") && before("app_user", "access_token"),
  ).toBe(true);
  expect(before("sandbox.account", "sandbox.template") && before("platform_account", "template_poll")).toBe(true);
  expect(names).not.toContain("login_try");
  expect(names).not.toContain("schema_migration");
});
