import { type Sql, changedRows, one } from "./statement.ts";

/** What a create with a client's own id has made. `key` and `input`: keyed digests of the procedure with that id, and of its input. */
export type MadeOnce = Record<"account_id" | "key" | "input" | "object_id", string>;

/** How long a client's id counts. */
const keptDays = 30;
/** The most of an account; the oldest go first. */
const mostKept = 10_000;

export const findMade = (sql: Sql, accountId: string, key: string) =>
  one(sql<Pick<MadeOnce, "input" | "object_id">[]>`
    select input, object_id from made_once where account_id = ${accountId} and key = ${key} and made_at > now() - make_interval(days => ${keptDays})`);

export async function insertMade(sql: Sql, { account_id, key, input, object_id }: MadeOnce): Promise<void> {
  await sql`
    insert into made_once (account_id, key, input, object_id) values (${account_id}, ${key}, ${input}, ${object_id})
    on conflict (account_id, key) do update set input = excluded.input, object_id = excluded.object_id, made_at = now()`;
  await sql`
    delete from made_once where account_id = ${account_id} and made_at < (
      select made_at from made_once where account_id = ${account_id} order by made_at desc offset ${mostKept - 1} limit 1)`;
}

/** Forgets at most `limit` ids that count no longer; answers how many. */
export const forgetMade = (sql: Sql, limit: number) =>
  changedRows(sql`
    delete from made_once where ctid = any(array(
      select ctid from made_once where made_at < now() - make_interval(days => ${keptDays}) order by made_at limit ${limit} for update skip locked))`);
