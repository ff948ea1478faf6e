import { maskedText } from "../../core/known-values.ts";
import type { SiteMode } from "../../core/site.ts";
import type { TemplateStatus } from "../../core/template/definition.ts";
import { claimedMessage } from "../event/claim.ts";
import { type LogPage, type RowOf, type Sql, columns, of, scalars } from "../statement.ts";
import { insertTurns } from "../waiting/turns.ts";
import { type NotificationFilter, notificationPage } from "./log.ts";
import { noteLate } from "./statuses.ts";

/** The columns of `notification n` joined with `site s` and `account a`. */
const candidateColumns = columns(
  {
    ...of.texts("id", "site_id", "event_id", "binding_id", "template_id", "template", "language", "to_phone", "components"),
    /** The error code; null unless the message failed. */
    error_code: of<string | null>({ read: "case when n.status = 'failed' then n.error_code end" }),
    error_detail: of<string | null>({ read: "case when octet_length(n.error_detail) <= 10000 then n.error_detail end" }),
    /** Null also where a resend was cancelled, which repeats nothing by itself. */
    resent_as: of<string | null>({ read: "case when n.status <> 'cancelled' then n.resent_as end" }),
    /** The template's current status; null when it is gone. */
    template_status: of<TemplateStatus | null>({
      read: "(select t.status from template t where t.id = n.template_id and t.account_id = n.account_id)",
    }),
    /** Null when the site was deleted. */
    site_enabled: of<boolean | null>({ read: "case when s.deleted_at is null then s.enabled end" }),
    /** Whether the account has platform credentials. */
    connected: of<boolean>({
      read: "case when s.mode = 'live' then exists (select from platform_account p where p.account_id = a.id) else exists (select from test_connection c where c.account_id = a.id) end",
    }),
    site_mode: of<SiteMode>({ read: "s.mode" }),
    timezone: of<string>({ read: "a.timezone" }),
    /** False while its event's own messages are still being sent. */
    answered: of<boolean>({
      read: "coalesce((select e.chat is not null from event e where e.site_id = n.site_id and e.id = n.event_id), false)",
    }),
  },
  "n",
);

/** A message to send again, and the facts that may prevent it. */
export type ResendCandidate = RowOf<typeof candidateColumns>;

/** The columns that a repeat has of its own; the rest is copied from the message. */
const ownOfRepeat = {
  ...of.each(of<string>({ sqlType: "uuid" }), "id", "template_id"),
  ...of.texts("template", "language"),
  /** The values in their stored form. */
  ...of.texts("to_phone", "components"),
};

const repeatColumns = columns({
  ...ownOfRepeat,
  /** The message that failed. */
  of: of<string>({ sqlType: "uuid" }),
  /** A digest of the recipient. */
  phone_hash: of<string>(),
});

/** A message that repeats another. */
export type Resend = RowOf<typeof repeatColumns>;

/**
 * The account's messages among `ids`, locked with their events until the transaction ends: transactions that send them again, or finish the events, wait.
 * Events are locked first and in order, as everywhere.
 */
export async function holdResendCandidates(sql: Sql, accountId: string, ids: readonly string[]): Promise<ResendCandidate[]> {
  const mine = ofAccount(sql, accountId);
  await sql`
    select from event where ${mine} and id = any(array(select event_id from notification where ${mine} and id = any(${[...ids]}::uuid[])))
    order by site_id, id for update`;
  return await findResendCandidates(sql, accountId, ids);
}

const ofAccount = (sql: Sql, accountId: string) => sql`site_id = any(array(select id from site where account_id = ${accountId}))`;

/** The account's messages among `ids`, without a lock, for a preview of a resend. */
export const findResendCandidates = (sql: Sql, accountId: string, ids: readonly string[]) =>
  sql<ResendCandidate[]>`
    select ${candidateColumns.read(sql)}
    from notification n join site s on s.id = n.site_id join account a on a.id = s.account_id
    where n.${ofAccount(sql, accountId)} and n.id = any(${[...ids]}::uuid[])
    order by n.id`;

/** SQL: the columns of a repeat `r` of the message `n`: those of the message, except its own. */
const repeatedMessage = claimedMessage.names
  .map((name) => {
    if (name === "status") return "'queued'::notification_status as status";
    if (name === "error_code" || name === "error_reason") return `null::text as ${name}`;
    return `${Object.hasOwn(ownOfRepeat, name) ? "r" : "n"}.${name}`;
  })
  .join(", ");

/**
 * Adds the repeats, at most one for each message, to the queue: a gateway sends them within a second. Answers the ids of the messages
 * that are repeated now. Call `holdResendCandidates` first.
 */
export async function insertResends(sql: Sql, accountId: string, resends: readonly Resend[]): Promise<Set<string>> {
  const ids = resends.map(({ of }) => of).toSorted();
  const rows = await sql<{ site_id: string; id: string }[]>`
    with repeated as (
      update notification n set resent_as = r.id
      from json_to_recordset(${JSON.stringify(resends)}::text::json) as r(${sql.unsafe(repeatColumns.typed)})
      where n.site_id = any(array(select id from site where account_id = ${accountId})) and n.id = any(${ids}::uuid[])
        and n.id >= ${ids[0] ?? null}::uuid and n.id <= ${ids.at(-1) ?? null}::uuid
        and n.id::text = r.of::text and n.resent_as is null and n.status = 'failed'
      returning n.id as of, r.phone_hash, ${sql.unsafe(repeatedMessage)}
    ),
    added as (
      insert into notification (${sql.unsafe(claimedMessage.stored)}, resend_of) select ${sql.unsafe(claimedMessage.stored)}, of from repeated
    ),
    queued as (
      insert into waiting_message (site_id, id, account_id, event_id, binding_id, phone_hash, due_at, queued_at)
      select site_id, id, account_id, event_id, binding_id, phone_hash, now(), now() from repeated
      returning account_id, phone_hash, site_id, due_at
    ),
    turned as (${sql.unsafe(insertTurns("queued"))})
    select site_id, of as id from repeated`;
  // The day of a message that failed long ago has one failure less.
  await noteLate(sql, rows);
  return new Set(rows.map(({ id }) => id));
}

/** The messages of a job. */
export type ResendFilter = Omit<NotificationFilter, "phone" | "status" | "sentAs" | "anyId" | "found" | "due" | "everyAttempt"> & {
  phone?: string | undefined;
  /** The smallest id among the messages. */
  fromId?: string | undefined;
};

/** A resend filter with every form in which its phone may be stored. */
export type FailedFilter = Omit<ResendFilter, "phone"> & Pick<NotificationFilter, "phone">;

/** The resend of a program of an earlier version. */
export interface FormerResend {
  /** Its phone is sealed for the row. */
  filter: ResendFilter;
  force: boolean;
  /** The messages that remain have smaller ids. */
  below: string;
  /** The messages that it has been through. */
  done: number;
}

/** Takes a resend over from programs of earlier versions; undefined where there is none, or they have finished it; "held" while they work on it. */
export async function takeFormerResend(sql: Sql, id: string): Promise<FormerResend | "held" | undefined> {
  const [row] = await sql<FormerResend[]>`
    update resend_job set finished_at = now() where id = (select id from resend_job where id = ${id} and finished_at is null for update skip locked)
    returning filter, force, below, resent + refused as done`;
  if (row !== undefined) return row;
  const open = await sql`select from resend_job where id = ${id} and finished_at is null`;
  return open.length > 0 ? "held" : undefined;
}

const failed = { status: "failed" } as const;

/** Why a failed message cannot be sent again: what it would be made of is gone, or its site takes no events. */
export type ResendLoss = "site_deleted" | "site_off" | "recipient" | "template" | "binding" | "payload";

/** SQL: the reason for the message `m` of the site `s`; null where there is none. */
const lossOf = (sql: Sql, copied: readonly string[]) => sql`case
  when s.deleted_at is not null then 'site_deleted'
  when not s.enabled then 'site_off'
  when m.to_phone = any('{"",erased}') or m.to_phone like ${`${maskedText}%`} then 'recipient'
  when m.error_code = any(${[...copied]}::text[]) then
    case when not exists (select from template t where t.id = m.template_id and t.status = 'approved') then 'template' end
  when not exists (select from binding b where b.id = m.binding_id) then 'binding'
  when not exists (select from event_payload p where p.site_id = m.site_id and p.id = m.event_id) then 'payload' end`;

export interface FailedCount {
  error_code: string;
  count: number;
  /** The recipients of the messages of all codes that can be sent again. */
  people: number;
  /** The ids of their sites. */
  sites: string[];
  /** Those of them that cannot be sent again, by the reason. */
  lost: { why: ResendLoss; count: number }[];
  /** The newest of these messages, first those that can be sent again. */
  ids: string[];
  /** The newest short error, and its message. */
  error_detail: string | null;
  error_id: string | null;
}

/** The numbers of failed messages of a filter by error code, those that were sent again left out; of one page at most. `copied`: the codes after which a resend is a copy. */
export const countFailed = (sql: Sql, accountId: string, filter: FailedFilter, page: LogPage, copied: readonly string[]) =>
  sql<FailedCount[]>`
    with recursive ${notificationPage(sql, accountId, { ...filter, ...failed }, page)},
    newest as materialized (
      select m.id, m.site_id, m.to_phone, m.error_code, m.error_detail, ${lossOf(sql, copied)} as loss from page m join site s on s.id = m.site_id
      order by m.id desc limit ${page.limit}
    )
    select error_code, (select count(distinct to_phone) from newest where loss is null)::integer as people, (select coalesce(json_agg(distinct site_id), '[]') from newest where loss is null) as sites,
      (select coalesce(json_agg(l order by l.count desc, l.why), '[]') from (
        select loss as why, count(*)::integer as count from newest m where m.error_code = newest.error_code and loss is not null group by loss
      ) l) as lost, to_json((array_agg(id order by loss is not null, id desc))[1:5]) as ids,
      (array_agg(id order by id desc) filter (where octet_length(error_detail) <= 10000))[1] as error_id,
      (array_agg(error_detail order by id desc) filter (where octet_length(error_detail) <= 10000))[1] as error_detail, count(*)::integer as count
    from newest group by error_code order by count desc, error_code`;

/** The ids of the messages that `countFailed` counts, newest first. */
export const listFailed = (sql: Sql, accountId: string, filter: FailedFilter, page: LogPage) =>
  scalars(sql<{ id: string }[]>`
    with recursive ${notificationPage(sql, accountId, { ...filter, ...failed }, page)}
    select id from page order by id desc limit ${page.limit}`);
