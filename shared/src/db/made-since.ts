/** What opens the account, or sends its data elsewhere: everything that takes a proof, but for what only ends or deletes. */
import makes from "./made-since.json" with { type: "json" };
import type { Sql } from "./statement.ts";

/** A thing that somebody made and that is still there. */
export interface MadeRow {
  kind: keyof typeof makes | "passkey";
  /** Of a key or an address: its site's; of an app: its person's; of credentials: the account's. */
  id: string;
  /** Of credentials: the procedure that entered them. */
  name: string;
  made_at: Date;
}

/** Whether a change of a site has entered a secret or a key of the shop, in the same transaction. */
const entersSecret = (sql: Sql) =>
  sql`exists (select from site_secret k where k.site_id::text = e.subject and k.created_at = e.created_at)`;

/** Whether an entry of a procedure that changes much tells of a member of that name, or of one below it. */
const tellsOf = (sql: Sql, members: string) =>
  sql`exists (select from json_array_elements(e.changes::json) c where c->>'member' ~ ${`^(${members})`})`;

/** Whether an entry made something of the kind: some procedures do more than that. */
const isOfKind = (sql: Sql, kind: keyof typeof makes) => {
  if (kind === "address") return tellsOf(sql, "url$|testPhone$|keyId$");
  if (kind === "credentials") return sql`(e.action <> 'settings.update' or ${tellsOf(sql, "accessToken|phoneNumberId")})`;
  return kind === "key" ? sql`(e.action <> 'sites.update' or ${entersSecret(sql)})` : sql`true`;
};

const entriesOf = (sql: Sql, kind: keyof typeof makes, subject = sql`e.subject`) => sql`
  select ${subject} as subject, max(e.created_at) as made_at from audit_entry e
  where e.account_id = made.account_id and e.actor_id = made.user_id and e.id >= uuid_at(made.since) and e.action = any(${[...makes[kind]]}::text[])
    and ${isOfKind(sql, kind)}
  group by 1`;

/** The people whom the person's invitations have let in since then, or those of people who came so. */
const joined = (sql: Sql) => sql`
  select m.id, m.user_id, m.created_at from made join invite i on i.created_by = made.user_id and i.account_id = made.account_id and i.created_at >= made.since
    join membership m on m.account_id = i.account_id and m.created_at = i.accepted_at
  union
  select m.id, m.user_id, m.created_at from joined join invite i on i.created_by = joined.user_id
    join made on made.account_id = i.account_id join membership m on m.account_id = i.account_id and m.created_at = i.accepted_at`;

/** What the person has made in the account since then, and what opens it to them: the newest first, 200 at most. */
export const listMadeSince = (sql: Sql, { accountId, userId, since }: { accountId: string; userId: string; since: Date }) =>
  sql<MadeRow[]>`
    with recursive made as (select ${accountId}::uuid as account_id, ${userId}::uuid as user_id, ${since}::timestamptz as since), joined as (${joined(sql)}),
      sites as (select s.id, s.name, s.created_at from site s join made on s.account_id = made.account_id where s.deleted_at is null)
    select kind, id, name, made_at from (
      select 'site' as kind, s.id, s.name, e.made_at from made cross join lateral (${entriesOf(sql, "site")}) e join sites s on s.id::text = e.subject
      union all
      select 'key', s.id, s.name, e.made_at from made cross join lateral (${entriesOf(sql, "key")}) e join sites s on s.id::text = e.subject
        where s.created_at < made.since
      union all
      select 'webhook', w.id, w.url, e.made_at from made cross join lateral (${entriesOf(sql, "webhook")}) e
        join webhook w on w.id::text = e.subject and w.account_id = made.account_id
      union all
      select 'channel', c.id, c.hint, e.made_at from made cross join lateral (${entriesOf(sql, "channel")}) e
        join alert_channel c on c.id::text = e.subject and c.account_id = made.account_id
      union all
      select 'token', t.id, t.name, e.made_at from made cross join lateral (${entriesOf(sql, "token")}) e
        join access_token t on t.id::text = e.subject and t.account_id = made.account_id
      union all
      select 'invitation', i.id, i.email, e.made_at from made cross join lateral (${entriesOf(sql, "invitation")}) e
        join invite i on i.id::text = e.subject and i.account_id = made.account_id and i.accepted_at is null
      union all
      select 'address', s.id, s.name, e.made_at from made cross join lateral (${entriesOf(sql, "address")}) e join sites s on s.id::text = e.subject
        where s.created_at < made.since
      union all
      select 'person', u.id, u.email, max(p.made_at) from (
        select user_id::text as subject, created_at as made_at from joined
        union all select e.subject, e.made_at from made cross join lateral (${entriesOf(sql, "person")}) e
      ) p join app_user u on u.id::text = p.subject join made on u.id <> made.user_id
        join membership m on m.user_id = u.id and m.account_id = made.account_id group by u.id, u.email
      union all
      select 'recipient', r.id, r.phone, e.made_at from made cross join lateral (${entriesOf(sql, "recipient")}) e
        join site_recipient r on r.id::text = e.subject join sites s on s.id = r.site_id
      union all
      select 'binding', b.id, b.event, e.made_at from made cross join lateral (${entriesOf(sql, "binding")}) e
        join binding b on b.id::text = e.subject and b.recipient->>'strategy' = 'static_phone' join sites s on s.id = b.site_id
      union all
      select 'credentials', made.account_id, e.subject, e.made_at from made cross join lateral (${entriesOf(sql, "credentials", sql`e.action`)}) e
      union all
      select 'app', t.user_id, '', max(e.made_at) from membership m join totp t on t.user_id = m.user_id and t.secret is not null
        join lateral (select ${userId}::uuid as user_id, m.account_id, ${since}::timestamptz as since) made on m.user_id = made.user_id
        cross join lateral (${entriesOf(sql, "app")}) e group by t.user_id
      union all
      select 'passkey', p.id, p.name, p.created_at from made join passkey p on p.user_id = made.user_id and p.created_at >= made.since
    ) things order by made_at desc, id limit 200`;

/** The person's other accounts in which they have made something since then. */
export const listOthersMadeIn = (sql: Sql, { accountId, userId, since }: { accountId: string; userId: string; since: Date }) =>
  sql<{ id: string; name: string }[]>`
    select a.id, a.name from membership m join account a on a.id = m.account_id
    where m.user_id = ${userId} and m.account_id <> ${accountId} and exists (
      select from audit_entry e where e.account_id = m.account_id and e.actor_id = m.user_id and e.id >= uuid_at(${since})
        and (${(Object.keys(makes) as (keyof typeof makes)[])
          // Most bindings write to nobody new.
          .filter((kind) => kind !== "binding" && kind !== "app")
          .map((kind) => sql`(e.action = any(${[...makes[kind]]}::text[]) and ${isOfKind(sql, kind)})`)
          .reduce((any, one) => sql`${any} or ${one}`)}))
    order by lower(a.name), a.id limit 100`;
