import type { Pool } from "./connect.ts";
import { migrationLock } from "./migrate.ts";

/** The everyday role's rights on a table; on tables that are not listed it may do everything that touches only rows. */
const rightsOf: Record<string, string> = {
  // Only migrations write this table.
  schema_migration: "select",
  // There is no right to delete: an account's audit would be deleted with it.
  account: "select, insert, update",
  // Entries are added and never changed; a function empties their personal values, and triggers note the last one.
  audit_entry: "select, insert",
  audit_value: "select, insert",
  audit_head: "select",
};
const rowRights = "select, insert, update, delete";

/** Functions that run with their owner's rights: the programs make and drop weekly partitions, and erase people from the audit, without owning any table. */
const functions = ["make_week_partition(text, timestamptz)", "drop_week_partition(text)", "empty_audit_values(uuid, uuid[])"];

/**
 * Gives the programs' role its rights, and takes all other rights on the tables from it. It owns nothing, so it can neither change nor drop a table. `sql`
 * belongs to the owner, after the migrations; any number of processes may do it at once.
 */
export async function grantEverydayRights(sql: Pool, role: string): Promise<void> {
  await sql.begin(async (transaction) => {
    await transaction`select pg_advisory_xact_lock(${migrationLock}::bigint)`;
    const to = transaction(role);
    const tables = await transaction<{ schema: string; name: string }[]>`
      select n.nspname as schema, c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in ('public', 'sandbox') and c.relkind in ('r', 'p') and not c.relispartition
        and c.relowner = (select oid from pg_roles where rolname = current_user)`;
    // Everybody has this right by default before PostgreSQL 15, and could make objects that replace those that the owner's functions call.
    await transaction`revoke create on schema public, sandbox from public, ${to}`;
    await transaction`grant usage on schema public, sandbox to ${to}`;
    for (const { schema, name } of tables) {
      const table = transaction`${transaction(schema)}.${transaction(name)}`;
      await transaction`revoke all on ${table} from ${to}`;
      await transaction`grant ${transaction.unsafe(rightsOf[name] ?? rowRights)} on ${table} to ${to}`;
    }
    for (const one of functions) await transaction`grant execute on function public.${transaction.unsafe(one)} to ${to}`;
  });
}
