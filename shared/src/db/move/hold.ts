import { movingMark } from "../account.ts";
import { leaseEnd } from "../owned.ts";
import { type Sql, hasRows, one, scalar, inTransaction } from "../statement.ts";
import { giveBackWaiting } from "../waiting/settle.ts";
import { unmark } from "./lapsed.ts";
import { type MovedScope, movedTables, rowsOf } from "./rows.ts";

/*
 * An account that leaves belongs to the process that moves it, which has a lease like a gateway's and never lets an event in. The mark before its data key
 * shuts every door; its turns, deliveries and work have this process as owner, so that no loop takes them. Once the lease has ended all goes on as before.
 */

export interface MoveRow {
  account_id: string;
  state: "leaving" | "left" | "arriving";
  owner: string;
}

export const findMove = (sql: Sql, accountId: string) =>
  one(sql<MoveRow[]>`select account_id, state, owner from account_move where account_id = ${accountId}`);

/** No unfinished event is ever this process's. */
const noEvents = "ffffffff-ffff-ffff-ffff-ffffffffffff";
const renewLease = (sql: Sql, owner: string, seconds: number) => sql`
  insert into gateway (id, lease_until, since) values (${owner}, ${leaseEnd(sql, seconds)}, ${noEvents})
  on conflict (id) do update set lease_until = excluded.lease_until`;

/** Holds the account, or goes on with a hold that was left. Answers the hold, and the transactions that may have begun before it. */
export async function holdAccount(sql: Sql, accountId: string, owner: string, seconds: number): Promise<MoveRow & { earlier: string[] }> {
  const held = await inTransaction(sql, async (transaction) => {
    await transaction`select from account where id = ${accountId} for update`;
    const [row] = await transaction<[MoveRow]>`
      insert into account_move (account_id, state, owner) values (${accountId}, 'leaving', ${owner})
      on conflict (account_id) do update set state = account_move.state returning account_id, state, owner`;
    if (row.state !== "leaving") return row;
    await renewLease(transaction, row.owner, seconds);
    await transaction`
      update account set data_key = ${movingMark} || coalesce(data_key, '') where id = ${accountId} and coalesce(data_key, '') not like ${`${movingMark}%`}`;
    return row;
  });
  const earlier = await sql<{ id: string }[]>`
    select l.virtualtransaction as id from pg_locks l join pg_stat_activity a on a.pid = l.pid
    where l.locktype = 'virtualxid' and a.datname = current_database() and l.pid <> pg_backend_pid()`;
  return { ...held, earlier: earlier.map(({ id }) => id) };
}

/** Extends the hold; false once it has ended. */
export async function extendHold(sql: Sql, { account_id, owner }: MoveRow, scope: MovedScope, seconds: number): Promise<boolean> {
  const rows = await sql`
    update gateway set lease_until = ${leaseEnd(sql, seconds)} where id = ${owner} and lease_until > now()
      and exists (select from account_move where account_id = ${account_id} and owner = ${owner}) returning id`;
  await setWork(sql, scope, `lease_until = now() + make_interval(secs => ${seconds})`, `t.owner = '${owner}'`);
  return rows.length > 0;
}

/** Writes columns of the account's work. `set` and `where` are SQL. */
async function setWork(sql: Sql, scope: MovedScope, set: string, where = "true"): Promise<void> {
  for (const table of movedTables)
    if (table.hot === "work") await sql.unsafe(`update ${table.table} t set ${set} where ${where} and ${rowsOf(table, scope)}`);
}

/** Takes what nobody works on, and answers what others still do, by table. `since`: the database's time until which take-overs of events were under way. */
export async function takeAll(sql: Sql, { owner }: MoveRow, scope: MovedScope, seconds: number): Promise<Map<string, number>> {
  const left = new Map<string, number>();
  for (const table of movedTables) {
    if (table.hot !== "work" && table.hot !== "turn") continue;
    const lease = table.hot === "work" ? `, lease_until = now() + make_interval(secs => ${seconds})` : "";
    const free = table.hot === "work" ? "t.lease_until is null or t.lease_until <= now()" : "t.owner is null";
    await sql.unsafe(`update ${table.table} t set owner = '${owner}'${lease} where (${free}) and ${rowsOf(table, scope)}`);
    const [row] = await sql.unsafe<[{ count: number }]>(
      `select count(*)::integer as count from ${table.table} t where t.owner is distinct from '${owner}' and ${rowsOf(table, scope)}`,
    );
    if (row.count > 0) left.set(table.table, row.count);
  }
  const [others] = await sql<[{ events: number; messages: number }]>`
    select (select count(*)::integer from event e join gateway g on g.id = e.owner
        where e.site_id = any(${[...scope.siteIds]}::uuid[]) and e.chat is null and e.id >= (select since from gateway order by since limit 1)
          and not exists (select from event_due d where d.site_id = e.site_id and d.id = e.id)) as events,
      (select count(*)::integer from waiting_message where account_id = ${scope.accountId} and owner is not null) as messages`;
  for (const [what, count] of Object.entries(others)) if (count > 0) left.set(what, count);
  return left;
}

/** Until when unfinished events that somebody has taken over may be sent, in seconds from now; 0 if there are none. */
export const secondsOfTakeOvers = (sql: Sql, siteIds: readonly string[], leaseSeconds: number) =>
  scalar(sql<[{ seconds: number }]>`
    select coalesce(extract(epoch from max(due_at) - now()) + ${leaseSeconds}, 0)::double precision as seconds
    from event_due where site_id = any(${[...siteIds]}::uuid[]) and due_at > now()`);

export const areUnderWay = (sql: Sql, transactions: readonly string[]) =>
  hasRows(sql`select from pg_locks where locktype = 'virtualxid' and virtualtransaction = any(${[...transactions]}::text[]) limit 1`);

/** Lets the account go on here. */
export const releaseHold = (sql: Sql, { account_id, owner }: MoveRow, scope: MovedScope): Promise<void> =>
  inTransaction(sql, async (transaction) => {
    const rows =
      await transaction`delete from account_move where account_id = ${account_id} and owner = ${owner} and state = 'leaving' returning account_id`;
    if (rows.length === 0) return;
    await unmark(transaction, [account_id]);
    await setWork(transaction, scope, "owner = null, lease_until = null", `t.owner = '${owner}'`);
    await giveBackWaiting(transaction, [owner], { inDoubtSeconds: null });
    await transaction`update webhook_delivery set owner = null where owner = ${owner}`;
    await transaction`delete from gateway where id = ${owner}`;
  });

/** The account leaves for good: from now on its new installation alone may go on. False if the hold has ended meanwhile. `sql` is a transaction. */
export async function giveAway(sql: Sql, { account_id, owner }: MoveRow, scope: MovedScope): Promise<boolean> {
  if (!(await hasRows(sql`select from gateway where id = ${owner} and lease_until > now() for update`))) return false;
  const rows =
    await sql`update account_move set state = 'left' where account_id = ${account_id} and owner = ${owner} and state = 'leaving' returning state`;
  await setWork(sql, scope, `owner = '${owner}', lease_until = 'infinity'`);
  await sql`delete from gateway where id = ${owner}`;
  return rows.length > 0;
}

/** Takes the account back that could not be released there: nothing goes on there, and the hold counts again. */
export const takeBack = (sql: Sql, { account_id, owner }: MoveRow, seconds: number): Promise<void> =>
  inTransaction(sql, async (transaction) => {
    await renewLease(transaction, owner, seconds);
    await transaction`update account_move set state = 'leaving' where account_id = ${account_id} and owner = ${owner} and state = 'left'`;
  });
