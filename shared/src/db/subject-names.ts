import { containing } from "./sql-text.ts";
import type { Sql } from "./statement.ts";

/** What subjects of entries are called now, operations aside, and their site: a message by its template and the end of its phone, a problem by its kind, with what it is about in place of the site. */
export const nameSubjects = (sql: Sql, accountId: string, { ids, messages, events }: Record<"ids" | "messages" | "events", string[]>) =>
  sql<{ id: string; name: string; site_name: string | null }[]>`
    with own as (select id, name, deleted_at from site where account_id = ${accountId})
    select id, name, site_name from (${namedOf(sql, accountId)}) named where id = any(${[...ids]}::uuid[])
    union all select p.id, p.kind, nullif(concat_ws(', ', coalesce(p.detail->>'name', p.detail->>'event', p.detail->>'host'), case p.kind when 'messages_failed' then p.subject end,
        nullif(own.name, p.detail->>'name')), '')
      from problem p left join own on own.id = p.site_id where p.account_id = ${accountId} and p.id = any(${[...ids]}::uuid[])
    union all select e.id, e.name, own.name from own cross join unnest(${[...events]}::uuid[]) asked
      cross join lateral (select id, name from event where site_id = own.id and id = asked offset 0) e
    union all select n.id, n.template || case when n.to_phone like '+%' then ' → •••' || right(n.to_phone, 2) else '' end, own.name
      from own cross join unnest(${[...messages]}::uuid[]) message
      cross join lateral (select id, template, to_phone from notification where site_id = own.id and id = message offset 0) n`;

/** SQL: what an account has set up, each with its name and that of its site; `own`: its sites. */
const namedOf = (sql: Sql, accountId: string) => sql`
  select id, name, null as site_name from own where deleted_at is null
  union all select id, name, null from template where account_id = ${accountId}
  union all select w.id, w.url, own.name from webhook w join own on own.id = w.site_id
  union all select id, name, null from access_token where account_id = ${accountId}
  union all select id, coalesce(nullif(name, ''), hint), null from alert_channel where account_id = ${accountId}
  union all select r.id, coalesce(nullif(r.label, ''), '•••' || right(r.phone, 2)), own.name from site_recipient r join own on own.id = r.site_id
  union all select u.id, u.email, null from app_user u join membership m on m.user_id = u.id and m.account_id = ${accountId}
  union all select b.id, b.event || ' → ' || t.name, own.name from binding b join own on own.id = b.site_id join template t on t.id = b.template_id`;

/** SQL: entries (`e`) by somebody, or about something, whose name or whose site's name has the text. */
export const isAbout = (sql: Sql, accountId: string, search: string) => sql`
  and (e.actor ilike ${containing(search)} or e.subject = any(array(
    with own as (select id, name, deleted_at from site where account_id = ${accountId})
    select id::text from (${namedOf(sql, accountId)}) named where name ilike ${containing(search)} or site_name ilike ${containing(search)})))`;
