import { migrationLock } from "./migrate.ts";
import type { Pool, Sql } from "./statement.ts";

/** The everyday role's rights on tables of which it may do less than everything that touches only rows. */
const rightsOf: Record<string, string> = {
  // Only migrations write this table.
  "public.schema_migration": "select",
  // There is no right to delete: an account's audit would be deleted with it.
  "public.account": "select, insert, update",
  // Entries are added and never changed; a function empties their personal values, and triggers note the last one.
  "public.audit_entry": "select, insert",
  "public.audit_value": "select, insert",
  "public.audit_head": "select",
};
const rowRights = "select, insert, update, delete";

/** The rights on a relation: on a table those of the rule, on a partition those of its table, and none on anything else. */
const rightsOn = ({ table, kind }: Relation): string | null => (kind === "r" || kind === "p" ? (rightsOf[table] ?? rowRights) : null);

/** A relation of the service or the sandbox. */
interface Relation {
  /** The name in SQL, with its schema. */
  name: string;
  /** That of the table that it is a partition of, else its own. */
  table: string;
  /** As in `pg_class`: `r` and `p` are tables. */
  kind: string;
}

/** Every relation that somebody can have a right on, and whether the one who asks owns it. */
const listRelations = (sql: Sql) => sql<(Relation & { is_own: boolean })[]>`
  select format('%I.%I', n.nspname, c.relname) as name, format('%I.%I', n.nspname, coalesce(root.relname, c.relname)) as table,
    c.relkind as kind, c.relowner = (select oid from pg_roles where rolname = current_user) as is_own
  from pg_class c join pg_namespace n on n.oid = c.relnamespace left join pg_class root on root.oid = pg_partition_root(c.oid)
  where n.nspname in ('public', 'sandbox') and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S') order by 1`;

/** Functions that run with their owner's rights: the programs make and drop weekly partitions, and erase people from the audit, without owning any table. */
const functions = ["make_week_partition(text, timestamptz)", "drop_week_partition(text)", "empty_audit_values(uuid, uuid[])"];

/**
 * Gives the programs' role its rights, and takes all other rights on relations from it. It owns nothing, so it can neither change nor drop a table. `sql`
 * belongs to the owner, after the migrations; any number of processes may do it at once, also while others make and drop partitions.
 */
export async function grantEverydayRights(sql: Pool, role: string): Promise<void> {
  await sql.begin(async (transaction) => {
    await transaction`select pg_advisory_xact_lock(${migrationLock}::bigint)`;
    const to = transaction(role);
    const listOwn = async () => (await listRelations(transaction)).filter(({ is_own }) => is_own);
    // Everybody has this right by default before PostgreSQL 15, and could make objects that replace those that the owner's functions call.
    await transaction`revoke create on schema public, sandbox from public, ${to}`;
    await transaction`grant usage on schema public, sandbox to ${to}`;
    // Partitions come and go with a lock of their table, which this holds off until the end.
    for (const { name, kind } of await listOwn())
      if (kind === "p") await transaction`lock table only ${transaction.unsafe(name)} in access share mode`;
    const relations = await listOwn();
    for (const rights of new Set(relations.map(rightsOn))) {
      const names = relations.flatMap((relation) => (rightsOn(relation) === rights ? [relation.name] : []));
      const those = transaction.unsafe(names.join(", "));
      await transaction`revoke all on ${those} from ${to}`;
      if (rights !== null) await transaction`grant ${transaction.unsafe(rights)} on ${those} to ${to}`;
    }
    for (const one of functions) await transaction`grant execute on function public.${transaction.unsafe(one)} to ${to}`;
  });
}
