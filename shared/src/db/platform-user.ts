import { type Fragment, type Sql, changedRows } from "./statement.ts";

/**
 * SQL, two common tables: learns which user id belongs to which phone from reports (`given`, as `i`), at most once a day for each; and `revealed`, those of
 * whom an opt-out is kept under the id alone, each time until it applies to the phone.
 */
export const learnUsers = (sql: Sql, accountId: string, given: Fragment): Fragment => sql`
  met as materialized (
    select distinct on (i.user_hash) i.user_hash, i.user_phone_hash as phone_hash, i.site_id, i.id as message_id from ${given}
    where i.user_hash is not null and i.user_phone_hash is not null and exists (
      select from notification n where n.site_id = i.site_id and n.id = i.id and n.account_id = ${accountId} and n.wa_message_id is distinct from 'erased')
    order by i.user_hash
  ),
  learnt as (
    insert into platform_user as p (account_id, user_hash, phone_hash, site_id, message_id)
    select ${accountId}, m.user_hash, m.phone_hash, m.site_id, m.message_id from met m where not exists (
      select from platform_user k where k.account_id = ${accountId} and k.user_hash = m.user_hash and k.phone_hash = m.phone_hash and k.seen_at > now() - interval '1 day')
    order by m.user_hash
    on conflict (account_id, user_hash) do update
      set phone_hash = excluded.phone_hash, site_id = excluded.site_id, message_id = excluded.message_id, seen_at = now()
  ),
  revealed as (
    select json_agg(m) as them from met m where exists (select from opt_out o where o.account_id = ${accountId} and o.phone_hash = m.user_hash)
  )`;

/** Whose phone a user id stands for, and a message that shows it; null where only its digest is known. */
export interface UserPhone {
  phone_hash: string;
  site_id: string | null;
  message_id: string | null;
}

export const findUsers = (sql: Sql, accountId: string, userHashes: readonly string[]) =>
  sql<(UserPhone & { user_hash: string })[]>`
    select user_hash, phone_hash, site_id, message_id from platform_user where account_id = ${accountId} and user_hash = any(${[...userHashes]}::text[])`;

/** Moves what is known of the former ids to the new ones. `phone`: that of the new one, null where it is not known. */
export async function moveUsers(
  sql: Sql,
  accountId: string,
  moves: readonly { former: string | null; user_hash: string; phone: UserPhone | null }[],
) {
  const known = moves.flatMap(({ user_hash, phone }) => (phone === null ? [] : [{ ...phone, user_hash }]));
  await sql`delete from platform_user where account_id = ${accountId} and user_hash = any(${moves.flatMap(({ former }) => former ?? [])}::text[])`;
  if (known.length === 0) return;
  await sql`
    insert into platform_user (account_id, user_hash, phone_hash, site_id, message_id)
    select distinct on (m.user_hash) ${accountId}, m.user_hash, m.phone_hash, m.site_id, m.message_id
    from json_to_recordset(${JSON.stringify(known)}::text::json) as m(user_hash text, phone_hash text, site_id uuid, message_id uuid) order by m.user_hash
    on conflict (account_id, user_hash) do update
      set phone_hash = excluded.phone_hash, site_id = excluded.site_id, message_id = excluded.message_id, seen_at = now()`;
}

/** How long a user id is known that no report names any more, at least: an answer may come weeks after the order. */
const keptDays = 90;

/** Forgets at most `limit` user ids; answers how many. */
export const forgetUsers = (sql: Sql, limit: number) =>
  changedRows(sql`
    delete from platform_user where ctid = any(array(
      select p.ctid from platform_user p join account a on a.id = p.account_id
      where p.seen_at < now() - make_interval(days => ${keptDays}) and p.seen_at < now() - make_interval(days => greatest(a.log_days, ${keptDays}))
      order by p.seen_at limit ${limit} for update of p skip locked))`);

/** The recipients of these messages of the account. */
export function findPhones(sql: Sql, accountId: string, messages: readonly { siteId: string; id: string }[]) {
  const ids = messages.map(({ id }) => id).toSorted();
  const sites = [...new Set(messages.map(({ siteId }) => siteId))];
  return sql<{ id: string; to_phone: string }[]>`
    select id, to_phone from notification
    where account_id = ${accountId} and site_id = any(${sites}::uuid[]) and id = any(${ids}::uuid[])
      and id >= ${ids[0] ?? null}::uuid and id <= ${ids.at(-1) ?? null}::uuid`;
}
