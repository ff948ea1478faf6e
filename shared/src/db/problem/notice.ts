import { type ChannelKind, programs } from "../../core/alert/alert.ts";
import type { ProblemKind } from "../../core/problem/problem.ts";
import type { Fragment, Sql } from "../statement.ts";
import { isChosenBy, isKnown, type TellableRow } from "./problem.ts";

/** When channels are told: programs at once, people when their quiet hours are over. */
export interface NoticeTimes {
  /** The end of the quiet hours, for people; null: now. */
  quietUntil: Date | null;
  /** The kinds for which there are no quiet hours. */
  urgent: readonly ProblemKind[];
}

const isProgram = (sql: Sql) => sql`c.kind = any(${[...programs]}::text[])`;
const canBeTold = (sql: Sql) => sql`c.enabled and (c.kind <> 'email' or c.confirm_hash is null)`;

const dueAt = (sql: Sql, { quietUntil, urgent }: NoticeTimes) => sql`
  case when ${isProgram(sql)} or p.kind = any(${[...urgent]}::text[]) then now() else coalesce(${quietUntil}::timestamptz, now()) end`;

/** Locks the channels `c`, which only a deletion excludes, and leaves out those that are being deleted. */
const lockChannels = (sql: Sql) => sql`for key share of c skip locked`;

/** Queues a notice of each problem that is open anew for each of the account's channels that are told of its kind. */
export async function noteOpened(sql: Sql, accountId: string, ids: readonly string[], times: NoticeTimes): Promise<void> {
  if (ids.length === 0) return;
  // What was not told yet of an earlier opening is told with this one.
  await sql`delete from problem_notice where problem_id = any(${[...ids]}::uuid[])`;
  await insertOpened(sql, accountId, dueAt(sql, times), sql`p.id = any(${[...ids]}::uuid[]) ${lockChannels(sql)}`);
}

/** Queues a notice of what is open for a channel that was not told of it when it began. */
export const noteOpen = (sql: Sql, accountId: string, channelId: string, most: number) =>
  insertOpened(sql, accountId, sql`now()`, sql`c.id = ${channelId} and p.state = 'open' order by p.opened_at desc limit ${most}`);

const insertOpened = (sql: Sql, accountId: string, due: Fragment, which: Fragment) => sql`
  insert into problem_notice (problem_id, channel_id, cleared, due_at)
  select p.id, c.id, false, ${due} from problem p join alert_channel c on c.account_id = p.account_id
  where p.account_id = ${accountId} and p.alerted and ${canBeTold(sql)} and ${isChosenBy(sql)} and ${which}
  on conflict do nothing`;

/** Queues a notice of the problems' end for the channels that were told of their beginning, or soon will be. */
export async function noteCleared(sql: Sql, ids: readonly string[], times: NoticeTimes): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    insert into problem_notice (problem_id, channel_id, cleared, due_at)
    select p.id, c.id, true, greatest(n.due_at, ${dueAt(sql, times)})
    from problem_notice n join problem p on p.id = n.problem_id join alert_channel c on c.id = n.channel_id
    where n.problem_id = any(${[...ids]}::uuid[]) and not n.cleared and c.enabled
    ${lockChannels(sql)}
    on conflict do nothing`;
}

/** Deletes what was not told yet of the account's problems of these kinds. */
export async function withdrawNotices(sql: Sql, accountId: string, kinds: readonly ProblemKind[]): Promise<void> {
  if (kinds.length > 0)
    await sql`
      delete from problem_notice n using problem p
      where n.told_at is null and p.id = n.problem_id and p.account_id = ${accountId} and p.kind = any(${[...kinds]}::text[])`;
}

/** A notice that is due, with its problem and its channel. */
export interface DueNotice extends TellableRow {
  channel_id: string;
  channel_kind: ChannelKind;
  cleared: boolean;
}

/** The most messages of one channel in an hour; further alerts are summed up later. A webhook hears of everything at once. */
const mostInAnHour = 6;
/** The most notices of a channel at once. */
const mostAtOnce = 500;

/** Takes the account's notices that are due, in the order of their problems: they count as told once the transaction `sql` is committed. */
export const takeDueNotices = (sql: Sql, accountId: string) =>
  sql<DueNotice[]>`
    with due as materialized (
      select n.problem_id, n.channel_id, n.cleared, c.kind as channel_kind
      from alert_channel c cross join lateral (
        select problem_id, channel_id, cleared from problem_notice n where n.channel_id = c.id and told_at is null and due_at <= now()
          and exists (select from problem where problem.id = n.problem_id and ${isKnown(sql)})
        order by due_at limit ${mostAtOnce}
      ) n
      where c.account_id = ${accountId} and c.enabled and (${isProgram(sql)} or (
        select count(*) from (select from outbox where channel_id = c.id and id >= uuid_at(now() - interval '1 hour') limit ${mostInAnHour}) o) < ${mostInAnHour})
      ${lockChannels(sql)}
    ), told as (
      update problem_notice n set told_at = now() from due d
      where n.problem_id = d.problem_id and n.channel_id = d.channel_id and n.cleared = d.cleared and n.told_at is null
      returning n.problem_id, n.channel_id, n.cleared
    )
    select t.channel_id, t.cleared, d.channel_kind, p.id, p.kind, p.site_id, p.subject, p.detail, p.count, p.more, p.first_at, p.last_at, p.opened_at, p.resolved_at, p.counted_from
    from told t join due d using (problem_id, channel_id, cleared) join problem p on p.id = t.problem_id
    order by t.channel_id, p.opened_at, p.id, t.cleared`;
