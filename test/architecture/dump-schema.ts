import type { Sql } from "shared/db/statement";

/**
 * The schema as text that is the same for every PostgreSQL version and day: no weekly partitions, no owners, no order of creation.
 * Read from the catalogue, since the embedded binaries carry no pg_dump.
 */
export async function dumpSchema(sql: Sql): Promise<string> {
  const sections = [
    await enums(sql),
    await rowTypes(sql),
    await functions(sql),
    await tables(sql),
    await indexes(sql),
    await triggers(sql),
  ];
  return `-- The schema after all migrations, made by the tests. Do not edit: change it by a new migration.\n\n${sections.flat().join("\n\n")}\n`;
}

async function enums(sql: Sql): Promise<string[]> {
  const rows = await sql<{ name: string; labels: string[] }[]>`
    select t.typname as name, json_agg(e.enumlabel::text order by e.enumsortorder) as labels
    from pg_type t join pg_enum e on e.enumtypid = t.oid
    where t.typnamespace = 'public'::regnamespace
    group by t.typname order by t.typname`;
  return rows.map(({ name, labels }) => `create type ${name} as enum (${labels.map((label) => `'${label}'`).join(", ")});`);
}

/** Composite types that belong to no table. */
async function rowTypes(sql: Sql): Promise<string[]> {
  const rows = await sql<{ name: string; members: string[] }[]>`
    select c.relname as name, json_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod) order by a.attnum) as members
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relkind = 'c' and c.relnamespace = 'public'::regnamespace
    group by c.relname order by c.relname`;
  return rows.map(({ name, members }) => `create type ${name} as (\n${members.map((member) => `  ${member}`).join(",\n")}\n);`);
}

async function functions(sql: Sql): Promise<string[]> {
  const rows = await sql<{ text: string }[]>`
    select pg_get_functiondef(p.oid) as text
    from pg_proc p
    where p.pronamespace = 'public'::regnamespace and p.prokind in ('f', 'p')
      and not exists (select 1 from pg_depend d where d.objid = p.oid and d.deptype = 'e')
    order by p.proname, pg_get_function_identity_arguments(p.oid)`;
  return rows.map(({ text }) => `${text.trim()};`);
}

async function tables(sql: Sql): Promise<string[]> {
  const rows = await sql<
    { name: string; columns: string[]; constraints: string[]; partitioned: string | null; partition: string | null }[]
  >`
    select c.relname as name, pg_get_partkeydef(c.oid) as partitioned,
      (select i.inhparent::regclass::text || ' ' || pg_get_expr(c.relpartbound, c.oid) from pg_inherits i where i.inhrelid = c.oid) as partition,
      array_to_json(array(
        select a.attname || ' ' || format_type(a.atttypid, a.atttypmod) || case when a.attnotnull then ' not null' else '' end
          || case when a.attidentity <> '' then ' generated as identity' else coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '') end
        from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped order by a.attnum)) as columns,
      array_to_json(array(
        select 'constraint ' || k.conname || ' ' || pg_get_constraintdef(k.oid)
        from pg_constraint k where k.conrelid = c.oid and k.contype in ('p', 'u', 'c', 'f', 'x') order by k.contype, k.conname)) as constraints
    from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and ${lasting(sql)}
    order by c.relname`;
  return rows.map((row) => {
    if (row.partition !== null) return `create table ${row.name} partition of ${row.partition};`;
    const lines = [...row.columns, ...row.constraints].map((line) => `  ${line}`).join(",\n");
    return `create table ${row.name} (\n${lines}\n)${row.partitioned === null ? "" : ` partition by ${row.partitioned}`};`;
  });
}

/** Indexes that no constraint made; those of a partition follow from its parent's. */
async function indexes(sql: Sql): Promise<string[]> {
  const rows = await sql<{ text: string }[]>`
    select pg_get_indexdef(i.indexrelid) as text
    from pg_index i join pg_class c on c.oid = i.indrelid
    where c.relnamespace = 'public'::regnamespace and not c.relispartition
      and not exists (select 1 from pg_constraint k where k.conindid = i.indexrelid)
    order by c.relname, i.indexrelid::regclass::text`;
  return rows.length === 0 ? [] : [rows.map(({ text }) => `${text};`).join("\n")];
}

async function triggers(sql: Sql): Promise<string[]> {
  const rows = await sql<{ text: string }[]>`
    select pg_get_triggerdef(t.oid) as text
    from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where c.relnamespace = 'public'::regnamespace and not t.tgisinternal and not c.relispartition
    order by c.relname, t.tgname`;
  return rows.length === 0 ? [] : [rows.map(({ text }) => `${text};`).join("\n")];
}

/** SQL: the table is no partition of a week: those come and go with the calendar. */
function lasting(sql: Sql) {
  return sql`not (c.relispartition and pg_get_expr(c.relpartbound, c.oid) <> 'DEFAULT')`;
}
