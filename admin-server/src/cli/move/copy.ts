import {
  deleteRows,
  digestRows,
  listColumns,
  type MovedScope,
  type MovedTable,
  movedTables,
  rowsOf,
  selectMoved,
} from "shared/db/move/rows";
import { type Pool, type Sql, hasRows, inTransaction, scalar } from "shared/db/statement";
import { ConfigurationError } from "shared/server/configuration-error";
import { copyIn, piecesOf } from "../backup/database.ts";
import { recodedColumns, recodeOf, type Vaults } from "./recode.ts";

export interface Copying {
  from: Sql;
  scope: MovedScope;
  vaults: Vaults;
  digests: ReadonlyMap<string, string>;
}

/** The digest of the rows of here where those of there are others, by their number and a digest of them; null where they are the same. */
export async function differenceOf(to: Sql, table: MovedTable, { from, scope, vaults }: Copying): Promise<string | null> {
  const columns = await listColumns(from, table);
  const apart = recodedColumns(table, vaults);
  // What expires while the two are compared counts at neither.
  const [{ after }] = await from<[{ after: string }]>`select (now() + interval '1 minute')::text as after`;
  const [one, other] = await Promise.all([
    digestRows(from, table, columns, { ...scope, after }, apart),
    digestRows(to, table, columns, { ...scope, after, linked: new Map() }, apart),
  ]);
  return one === other ? null : one;
}

/**
 * Replaces the account's rows of a table there by those of here; answers how many. `to` is a transaction that holds the account and its sites there: loops of
 * there that learn and count add nothing meanwhile.
 */
export async function copyRows(to: Sql, table: MovedTable, copying: Copying): Promise<number> {
  const { from, scope, vaults, digests } = copying;
  const columns = await listColumns(from, table);
  await to`select from account where id = ${scope.accountId} for update`;
  await to`select from site where account_id = ${scope.accountId} order by id for update`;
  for (const holder of movedTables) if (holder.table === table.heldBy) await deleteRows(to, holder, scope);
  await deleteRows(to, table, scope);
  const recode = recodeOf(table, columns, scope.accountId, vaults, digests);
  const writer = await copyIn(to, { schema: "public", name: table.table, columns });
  let [count, rest, batch, bytes] = [0, "", [] as Buffer[], 0];
  const flush = async (): Promise<void> => {
    if (bytes > 0) await writer.write(Buffer.concat(batch));
    [batch, bytes] = [[], 0];
  };
  for await (const piece of piecesOf(from.unsafe(`copy (${selectMoved(table, columns, scope)}) to stdout`))) {
    let sent = piece;
    if (recode !== null) {
      const lines = (rest + piece.toString("utf8")).split("\n");
      rest = lines.pop() ?? "";
      sent = Buffer.from(
        lines
          .map((line) => recode(line.split("\t")))
          .flatMap((fields) => (fields === null ? [] : `${fields.join("\t")}\n`))
          .join(""),
      );
    }
    count += sent.reduce((lines, byte) => lines + Number(byte === 10), 0);
    batch.push(sent);
    bytes += sent.length;
    if (bytes > 100_000) await flush();
  }
  await flush();
  await writer.end();
  if (table.mend !== undefined) await mendRows(to, table, copying);
  return count;
}

/** Writes columns once more that a trigger has changed as the rows came. */
export async function mendRows(
  to: Sql,
  { table, of, mend = [] }: Pick<MovedTable, "table" | "of" | "mend">,
  { from, scope, digests }: Copying,
): Promise<void> {
  const list = (write: (column: string) => string): string => mend.map((column) => write(`"${column}"`)).join(", ");
  const rows = await from.unsafe<Record<string, string | null>[]>(
    `select t.id, ${list((column) => `t.${column}::text as ${column}`)} from ${table} t where ${rowsOf({ table, of }, scope)}`,
  );
  const there = JSON.stringify(rows, (_, value: unknown) => (typeof value === "string" ? (digests.get(value) ?? value) : value));
  await to.unsafe(
    `update ${table} t set ${list((column) => `${column} = g.${column}`)} from json_populate_recordset(null::${table}, $1::text::json) g
    where t.id = g.id and (${list((column) => `t.${column}`)}) is distinct from (${list((column) => `g.${column}`)})`,
    [there],
  );
}

const entriesAtOnce = 500;

/** Copies what the account's audit has beyond its last entry there; the chain goes on as it is. Values that were emptied here are emptied there. */
export async function copyAudit(to: Pool, copying: Copying): Promise<number> {
  const {
    from,
    scope: { accountId },
  } = copying;
  await inTransaction(to, (transaction) => dropStrangeEntries(transaction, copying));
  const [last] = await to<{ seq: string }[]>`select coalesce(max(seq), 0)::text as seq from audit_entry where account_id = ${accountId}`;
  let [after, count] = [last?.seq ?? "0", 0];
  for (;;) {
    const rows = await from<{ seq: string }[]>`
      select e.id, e.account_id, e.actor, e.actor_id, e.token_id, e.action, e.subject, e.address, e.created_at::text as created_at, e.seq::text as seq,
        e.changes::text as changes, encode(e.values_digest, 'hex') as digest, encode(v.salt, 'hex') as salt, v.content::text as content,
        v.emptied_at::text as emptied_at, v.entry_id is not null as has_value
      from audit_entry e left join audit_value v on v.entry_id = e.id
      where e.account_id = ${accountId} and e.seq > ${after} order by e.seq limit ${entriesAtOnce}`;
    if (rows.length === 0) break;
    await to`
      with given as materialized (
        select g.id, g.account_id, g.actor, g.actor_id, g.token_id, g.action, g.subject, g.address, g.created_at, g.seq, g.changes, g.digest, g.salt, g.content, g.emptied_at, g.has_value from json_to_recordset(${JSON.stringify(rows)}::text::json) as g(id uuid, account_id uuid, actor text, actor_id uuid, token_id uuid, action text,
          subject text, address text, created_at timestamptz, seq bigint, changes text, digest text, salt text, content text, emptied_at timestamptz, has_value boolean)
      ), kept as (
        insert into audit_value (entry_id, account_id, salt, content, emptied_at)
        select id, account_id, decode(salt, 'hex'), content::json, emptied_at from given where has_value order by seq
      )
      insert into audit_entry (id, account_id, actor, actor_id, token_id, action, subject, address, created_at, changes, values_digest)
      select id, account_id, actor, actor_id, token_id, action, subject, address, created_at, changes::json, decode(digest, 'hex') from given order by seq`;
    after = rows.at(-1)?.seq ?? after;
    count += rows.length;
  }
  const emptied = await from<
    { id: string }[]
  >`select entry_id as id from audit_value where account_id = ${accountId} and emptied_at is not null`;
  if (emptied.length > 0) await to`select empty_audit_values(${accountId}, ${emptied.map(({ id }) => id)}::uuid[])`;
  return count;
}

/** Takes away entries that only the audit of there has: they tell of what the copy throws away. @throws ConfigurationError where the role may not */
async function dropStrangeEntries(to: Sql, { from, scope: { accountId } }: Copying): Promise<void> {
  for (let dropped = 0; ; dropped += 1) {
    const [last] = await to<{ id: string; seq: string; hash: Buffer }[]>`
      select e.id, e.seq::text as seq, e.hash from audit_entry e where e.account_id = ${accountId} order by e.seq desc limit 1`;
    if (last === undefined || (await hasRows(from`select from audit_entry where id = ${last.id} and hash = ${last.hash}`))) {
      if (dropped > 0 && last) await to`update audit_head set seq = ${last.seq}, hash = ${last.hash} where account_id = ${accountId}`;
      return;
    }
    const [{ may }] = await to<[{ may: boolean }]>`select has_table_privilege('audit_entry', 'delete') as may`;
    if (!may)
      throw new ConfigurationError([
        "the account's audit has entries at the other installation that it has not here, which the role of --to may not delete: name that database's owner in --to",
      ]);
    await to`with told as (delete from audit_value where entry_id = ${last.id}) delete from audit_entry where id = ${last.id}`;
  }
}

/** The same as `differenceOf` for the audit, entry for entry. */
export async function differenceOfAudits(to: Sql, { from, scope }: Copying): Promise<string | null> {
  const read = (sql: Sql) =>
    scalar(sql<[{ digest: string }]>`
      select coalesce(md5(string_agg(encode(e.hash, 'hex') || coalesce(v.content::text, ''), ',' order by e.seq)), '') as digest
      from audit_entry e left join audit_value v on v.entry_id = e.id where e.account_id = ${scope.accountId}`);
  const [one, other] = await Promise.all([read(from), read(to)]);
  return one === other ? null : one;
}
