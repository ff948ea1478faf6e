import { newId } from "shared/db/ids";
import { type MovedScope, movedTables, rowsOf } from "shared/db/move/rows";
import { scalar, scalars } from "shared/db/statement";
import type { TestDatabase } from "../support/database.ts";
import type { Shop } from "../support/gateway.ts";
import particular from "./moved-rows.json" with { type: "json" };

interface Column {
  name: string;
  type: string;
  nullable: boolean;
  parent: string | null;
  choices: string[];
}

/** The columns that a row may have, the tables that they name, and the words that a check lets them have. */
const columnsOf = ({ owner }: TestDatabase, table: string) => owner<Column[]>`
  select attname as name, format_type(atttypid, null) as type, not attnotnull as nullable,
    (select confrelid::regclass::text from pg_constraint where contype = 'f' and conrelid = attrelid and conkey = array[attnum] limit 1) as parent,
    coalesce((select json_agg(word[1]) from pg_constraint c, regexp_matches(pg_get_constraintdef(c.oid), '''([a-z_]+)''::text', 'g') word
      where contype = 'c' and conrelid = attrelid and conkey = array[attnum]), '[]') as choices
  from pg_attribute where attrelid = ${table}::regclass and attnum > 0 and not attisdropped and attgenerated = '' and attidentity = ''`;

const samples = (at: number): Record<string, unknown> => ({
  uuid: newId(),
  bytea: `\\x${Buffer.from(newId()).toString("hex")}`,
  boolean: at % 2 === 0,
  "timestamp with time zone": `2026-01-0${1 + at}T03:04:05.678901Z`,
  date: `2026-01-0${1 + at}`,
  notification_status: ["queued", "sent", "delivered", "failed"][at % 4],
});
const sampleOf = ({ name, type }: Column, at: number): unknown => {
  const sample = samples(at)[type];
  if (sample !== undefined) return sample;
  if (/^jsonb?$/.test(type)) return name === "steps" ? [] : {};
  if (type.endsWith("[]")) return [];
  return /int|numeric|double/.test(type) ? at + 1 : `${name} ${at}`;
};

/** Gives the account rows of every table that moves: for each word that a state may have, with everything that may be empty filled, and empty. */
export async function fillMoved(database: TestDatabase, shop: Shop): Promise<void> {
  const user = newId();
  const known: Record<string, string> = {
    account: shop.accountId,
    site: shop.siteId,
    template: shop.templateId,
    binding: shop.bindingId,
    app_user: user,
    user,
    created_by: user,
  };
  for (const parent of ["event", "event_payload", "notification", "event_search"])
    await database.owner`select make_week_partition(${parent}, now())`;
  for (const table of new Set(movedTables.filter(({ of }) => of !== "self").map((moved) => moved.table))) {
    const columns = await columnsOf(database, table);
    const variants = Math.max(2, ...columns.map(({ choices }) => choices.length));
    const special = (particular as Record<string, Record<string, unknown>[]>)[table] ?? [];
    for (let at = 0; at < variants; at += 1) {
      const row = Object.fromEntries(
        columns.flatMap((column) => {
          const own =
            column.name === "id"
              ? table === "app_user"
                ? user
                : newId()
              : (known[column.parent ?? ""] ?? known[column.name.replace(/_id$/, "")]);
          const value = own ?? column.choices[at % column.choices.length] ?? sampleOf(column, at);
          return column.nullable && at % 2 === 1 ? [] : [[column.name, value]];
        }),
      );
      const whole = JSON.stringify({ ...row, ...special[at % special.length] });
      const names = Object.keys(JSON.parse(whole) as object).map((name) => `"${name}"`);
      const { count } = await database.owner.unsafe(
        `insert into ${table} (${names.join(", ")}) select ${names.join(", ")} from json_populate_record(null::${table}, $1::text::json) on conflict do nothing`,
        [whole],
      );
      if (count > 0 && typeof row["id"] === "string") known[table] ??= row["id"];
    }
  }
}

/** How many rows of each table that moves the account has. */
export async function countMoved({ sql }: TestDatabase, accountId: string): Promise<Record<string, number>> {
  const siteIds = await scalars(sql<{ id: string }[]>`select id from site where account_id = ${accountId}`);
  const people = await scalars(sql<{ id: string }[]>`select user_id as id from membership where account_id = ${accountId}`);
  const scope: MovedScope = { accountId, siteIds, people, linked: new Map() };
  const counts = movedTables.map(async (table) => {
    const count = await scalar(
      sql.unsafe<[{ count: string }]>(`select count(*)::text as count from ${table.table} t where ${rowsOf(table, scope)}`),
    );
    return [`${table.table} ${table.where ?? ""}`.trim(), Number(count)] as const;
  });
  return Object.fromEntries(await Promise.all(counts));
}
