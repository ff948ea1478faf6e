import type { Sql } from "./connect.ts";

export type MadeKind = "site" | "key" | "webhook" | "channel" | "token" | "invitation" | "passkey";

/** A thing that somebody made and that is still there. */
export interface MadeRow {
  kind: MadeKind;
  /** Of a key: its site's. */
  id: string;
  name: string;
  made_at: Date;
}

const makes: Record<Exclude<MadeKind, "passkey">, readonly string[]> = {
  site: ["sites.create"],
  key: ["sites.rotateApiKey", "sites.rotateWebhookSecret", "sites.rotateInboundToken", "webhooks.rotateSecret", "sites.update"],
  webhook: ["webhooks.create", "webhooks.update"],
  channel: ["alerts.addChannel", "alerts.rotateSecret"],
  token: ["tokens.create"],
  invitation: ["users.invite"],
};

/** Whether a change of a site has entered a secret or a key of the shop, in the same transaction. */
const entersSecret = (sql: Sql) =>
  sql`exists (select from site_secret k where k.site_id::text = e.subject and k.created_at = e.created_at)`;

const entriesOf = (sql: Sql, kind: keyof typeof makes) => sql`
  select e.subject, max(e.created_at) as made_at from audit_entry e
  where e.account_id = made.account_id and e.actor_id = made.user_id and e.id >= uuid_at(made.since) and e.action = any(${[...makes[kind]]}::text[])
    and (e.action <> 'sites.update' or ${entersSecret(sql)})
  group by e.subject`;

/** What the person has made in the account since then, and what opens it to them: the newest first, 200 at most. */
export const listMadeSince = (sql: Sql, { accountId, userId, since }: { accountId: string; userId: string; since: Date }) =>
  sql<MadeRow[]>`
    with made as (select ${accountId}::uuid as account_id, ${userId}::uuid as user_id, ${since}::timestamptz as since),
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
      select 'passkey', p.id, p.name, p.created_at from made join passkey p on p.user_id = made.user_id and p.created_at >= made.since
    ) things order by made_at desc, id limit 200`;

/** The person's other accounts in which they have made something since then. */
export const listOthersMadeIn = (sql: Sql, { accountId, userId, since }: { accountId: string; userId: string; since: Date }) =>
  sql<{ id: string; name: string }[]>`
    select a.id, a.name from membership m join account a on a.id = m.account_id
    where m.user_id = ${userId} and m.account_id <> ${accountId} and exists (
      select from audit_entry e where e.account_id = m.account_id and e.actor_id = m.user_id and e.id >= uuid_at(${since})
        and e.action = any(${Object.values(makes).flat()}::text[]) and (e.action <> 'sites.update' or ${entersSecret(sql)}))
    order by lower(a.name), a.id limit 100`;
