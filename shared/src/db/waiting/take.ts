import type { TemplateStatus } from "../../core/template/definition.ts";
import { lockedLease } from "../event/gateway-lease.ts";
import { isMarketing, isUnsent } from "../notification/statuses.ts";
import { isStopped, nextTry } from "../platform-account.ts";
import { configName } from "../site-for-ingest.ts";
import { type Fragment, type RowOf, type Sql, columns, of, inTransaction } from "../statement.ts";
import { type DueSite, type OwnedMessage, type Recipient, recipientRows, turnedOn } from "./turns.ts";

/**
 * Steps through the sites with waiting messages from `after` on. Each costs one look into an index, however many messages it has. At a site of a stopped
 * account nothing is due until a message may try again.
 */
export const listDueSites = (sql: Sql, after: string, limit: number) =>
  sql<(DueSite & { is_due: boolean })[]>`
    with recursive next as (
      (select site_id, due_at, 1 as n from recipient_turn where owner is null and site_id > ${after} order by site_id, due_at limit 1)
      union all
      select t.site_id, t.due_at, next.n + 1 from next cross join lateral (
        select site_id, due_at from recipient_turn where owner is null and site_id > next.site_id order by site_id, due_at limit 1
      ) t where next.n < ${limit}
    )
    select next.site_id, s.account_id, next.due_at <= now() and not s.hold_messages and not exists (
      select from platform_account p where p.account_id = s.account_id and s.mode = 'live' and ${sql.unsafe(nextTry("p"))} > now()) as is_due
    from next join site s on s.id = next.site_id order by next.site_id`;

/** The columns of `taken t` joined with `notification n`, `site s`, `account a`, `binding b` and `marked`. */
const takenColumns = columns(
  {
    ...of.texts("site_id", "id", "account_id", "phone_hash", "take", "event_id", "binding_id"),
    queued_at: of<Date>(),
    /** The number of gateways that died while they sent the message. */
    doubts: of<number>(),
    /** True if the message should have left by now. */
    expired: of<boolean>({ read: "coalesce(t.expires_at < now(), false)" }),
    /** True if a later event of the same binding has taken its place. */
    replaced: of<boolean>({
      read: `t.restart_key is not null and exists (
        select from waiting_message o where o.site_id = t.site_id and o.restart_key = t.restart_key and o.event_id > t.event_id)`,
    }),
    /** True if the platform has reported on it meanwhile, so that it is not to be sent. */
    reported: of<boolean>({ read: "marked.id is null" }),
    /** The number of this attempt. */
    attempt: of<number>({ read: "coalesce(marked.attempt, n.attempt)" }),
    template: of<string>({ read: "n.template" }),
    language: of<string>({ read: "n.language" }),
    to_phone: of<string>({ read: "n.to_phone" }),
    /** JSON. */
    components: of<string>({ read: "n.components" }),
    /** Null when the template is gone. */
    template_status: of<TemplateStatus | null>({ read: "(select status from template where template.id = n.template_id)" }),
    marketing: of<boolean>({ read: isMarketing("n") }),
    /** How many messages of its binding may leave for one phone in a span of time, where that is limited. */
    throttle: of<{ max: number; seconds: number } | null>({ read: "b.schedule->'throttle'" }),
    /** The present configuration. */
    config: of<string>({ read: configName }),
    /** True if its binding is gone, and it is neither a resend nor a test. */
    unbound: of<boolean>({ read: "b.id is null and n.resend_of is null and not n.test" }),
    site_deleted: of<boolean>({ read: "s.deleted_at is not null" }),
    retry_hours: of<number>({ read: "a.retry_hours" }),
    /** Seconds until the number's limit is read again, for a marketing message while it is reached; null for others. */
    full_seconds: of<number | null>({
      read: `(select ceil(extract(epoch from h.full_until - now()))::integer from platform_health h join template c on c.id = n.template_id
        where s.mode = 'live' and h.account_id = t.account_id and h.full_until > now() and upper(c.category) = 'MARKETING')`,
    }),
  },
  "t",
);

/** A message that was due and is now marked as being sent, with the facts that judge it. */
export type TakenMessage = RowOf<typeof takenColumns>;

/** The messages that `owner` is sending as far as the database knows. */
export const listTaken = (sql: Sql, owner: string) =>
  sql<OwnedMessage[]>`select site_id, id, xmin::text as take from waiting_message where owner = ${owner}`;

export interface Taken {
  messages: TakenMessage[];
  /** True if more recipients may have their turn, also if these had nothing to send because their messages were cancelled. */
  isMore: boolean;
}

/**
 * Takes up to `limit` messages of a site that are due, at most one a recipient, in the order in which they became due, and marks them as being sent. They
 * belong to `owner` for as long as its lease lasts. While the account is stopped, only one that may try again for all, and those that have waited for too
 * long, to be given up.
 */
export const takeDue = async (sql: Sql, owner: string, siteId: string, limit: number): Promise<Taken> =>
  await inTransaction(sql, async (transaction) => {
    const holdDue = (condition: Fragment) => transaction<Recipient[]>`
      with ${lockedLease(transaction, owner)}
      select account_id, phone_hash from recipient_turn
      where site_id = ${siteId} and owner is null and due_at <= now() and exists (select from lease)
        and exists (select from site s where s.id = ${siteId} and not s.hold_messages) and ${condition}
      order by due_at limit ${limit} for update skip locked`;
    const due = await holdDue(sql`not exists (select from ${stopOf(sql, siteId)})`);
    const turns = due.length > 0 ? due : await holdDue(isTakenOfStopped(sql, siteId, limit));
    return { messages: turns.length === 0 ? [] : await takeFirst(transaction, owner, turns), isMore: turns.length === limit };
  });

/** The stop of the site's account (a test site knows none), or the limit of its number, if there is one. */
const stopOf = (sql: Sql, siteId: string): Fragment =>
  sql`platform_account p where p.account_id = (select s.account_id from site s where s.id = ${siteId} and s.mode = 'live') and ${sql.unsafe(isStopped("p"))}`;

const isTakenOfStopped = (sql: Sql, siteId: string, limit: number): Fragment => sql`
  (account_id, phone_hash) in (
    (select r.account_id, r.phone_hash from recipient_turn r
      where r.site_id = ${siteId} and r.owner is null and r.due_at <= now() and (select ${sql.unsafe(nextTry("p"))} <= now() from ${stopOf(sql, siteId)})
      order by r.due_at limit 1)
    union all
    (select w.account_id, w.phone_hash from waiting_message w
      where w.site_id = ${siteId} and w.owner is null and w.queued_at <= (
        select now() - make_interval(hours => (select a.retry_hours from account a where a.id = p.account_id)) from ${stopOf(sql, siteId)})
      order by w.queued_at limit ${limit}))`;

/** The first message of each of the recipients, whose rows are locked. */
const takeFirst = (sql: Sql, owner: string, recipients: readonly Recipient[]) => sql<TakenMessage[]>`
  with k as materialized (${recipientRows(sql, recipients)}),
  first as materialized (
    select k.account_id, k.phone_hash, m.site_id, m.id from k cross join lateral (
      select w.site_id, w.id from waiting_message w join site s on s.id = w.site_id and not s.hold_messages
      where w.account_id = k.account_id and w.phone_hash = k.phone_hash and w.due_at <= now() and w.owner is null
      order by w.due_at, w.id limit 1 for update of w skip locked
    ) m
  ),
  taken as (
    update waiting_message w set owner = ${owner}, held_for = null from first where w.site_id = first.site_id and w.id = first.id
    returning w.site_id, w.id, w.xmin::text as take, w.account_id, w.phone_hash, w.event_id, w.binding_id, w.due_at, w.queued_at, w.expires_at, w.restart_key, w.doubts, w.again
  ),
  kept as (
    update recipient_turn r set owner = ${owner} from first where r.account_id = first.account_id and r.phone_hash = first.phone_hash
  ),
  ${turnedOn(sql, sql`select account_id, phone_hash from k except select account_id, phone_hash from first`, null)},
  marked as (
    update notification n set status = 'sending', in_doubt_since = null,
      attempt = n.attempt + (select again::integer from taken t where t.id = n.id)
    where n.site_id = any(array(select site_id from taken)) and n.id = any(array(select id from taken)) and ${sql.unsafe(isUnsent("n"))}
    returning n.id, n.attempt
  )
  select ${takenColumns.read(sql)}
  from taken t join notification n on n.site_id = t.site_id and n.id = t.id join site s on s.id = t.site_id join account a on a.id = s.account_id
    left join binding b on b.id = t.binding_id left join marked on marked.id = t.id
  order by t.due_at, t.id`;
