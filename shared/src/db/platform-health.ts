import type { CheckResult, NumberHealth } from "../core/connection-check.ts";
import { dueWork, type Lease } from "./owned.ts";
import { type RowOf, type Sql, asJson, columns, of, one } from "./statement.ts";

/** What the last check of the connection found. */
export interface CheckedHealth {
  health: NumberHealth;
  checks: CheckResult[];
}

const healthColumns = columns({
  checked_at: of<Date | null>(),
  /** Null before the first check with these credentials. */
  result: of<CheckedHealth | null>(),
});

/** The checks: each is of one account's connection. */
export const healthChecks = dueWork<{ account_id: string }>({
  table: "platform_health",
  key: "account_id",
  columns: columns({ account_id: of<string>() }),
});

/** Seconds until the next check, and until marketing messages may leave again; 0: they may now. */
export type NextCheck = Record<"nextIn" | "fullFor", number>;

/** Ends a check. */
export const finishHealthCheck = (sql: Sql, accountId: string, lease: Lease, result: CheckedHealth, { nextIn, fullFor }: NextCheck) =>
  healthChecks.release(
    sql,
    accountId,
    lease,
    // A check that became due while this one ran stays due; so does one at the end of a stop.
    sql`checked_at = now(), result = ${asJson(sql, result)},
      due_at = case when due_at > lease_until - make_interval(secs => ${lease.seconds}) then due_at else least(now() + make_interval(secs => ${nextIn}),
        (select p.stopped_until from platform_account p where p.account_id = platform_health.account_id and p.stopped_until > now())) end,
      full_until = case when ${fullFor}::integer > 0 then now() + make_interval(secs => ${fullFor}) end`,
  );

/** Records a check that somebody asked for; where the limit was reached, the next one sees whether there is room again. */
export const noteHealth = (sql: Sql, accountId: string, result: CheckedHealth) => sql`
  update platform_health set checked_at = now(), result = ${asJson(sql, result)}, due_at = case when full_until is null then due_at else now() end
  where account_id = ${accountId}`;

export const findPlatformHealth = (sql: Sql, accountId: string) =>
  one(sql<RowOf<typeof healthColumns>[]>`select ${healthColumns.read(sql)} from platform_health where account_id = ${accountId}`);

/** Makes the next check due at this time, or now, but not at once after the last one. */
export const bringHealthCheck = (sql: Sql, accountId: string, at: Date | null) => sql`
  update platform_health set due_at = least(greatest(due_at, now()), greatest(coalesce(${at}::timestamptz, now()), checked_at + interval '10 seconds'))
  where account_id = ${accountId} and (due_at > now() or owner is not null)`;

/** Makes the next check due now, unless the last one was less than so many seconds ago; where the limit is reached, unless that is known. */
export const hurryHealthCheck = (sql: Sql, accountId: string, seconds: number, isFull: boolean) => sql`
  update platform_health set due_at = now()
  where account_id = ${accountId} and due_at > now()
    and (checked_at < now() - make_interval(secs => ${seconds}) or (${isFull} and full_until is null))`;

/** How old a count of people may be that somebody sees. */
const freshSeconds = 5;
/** Of more messages only so many are looked at, or two for each person of a higher limit. */
const mostMessages = 50_000;

/**
 * How many people the account's messages reached in the last 24 hours: each phone once, whatever the site. Messages that were tried again for longer than a
 * day are left out. `more`: there may be others, as not every message was looked at; such a count is not kept.
 */
export async function countPeople(sql: Sql, accountId: string, limit: number): Promise<{ reached: number; more: boolean }> {
  const [known] = await sql<{ people: number }[]>`
    select people from platform_health
    where account_id = ${accountId} and people is not null and people_at > now() - make_interval(secs => ${freshSeconds})`;
  if (known !== undefined) return { reached: known.people, more: false };
  const most = Math.max(2 * limit, mostMessages);
  const [row] = await sql<[{ reached: number; more: boolean }]>`
    with own as materialized (select id from site where account_id = ${accountId} and mode = 'live'),
    looked_at as (
      select n.to_phone, n.sent_at, n.status from own cross join lateral (
        select to_phone, sent_at, status from notification
        where site_id = own.id and id >= uuid_at(now() - interval '24 hours') order by id desc limit ${most}
      ) n
      union all
      select n.to_phone, n.sent_at, n.status from own cross join lateral (
        select to_phone, sent_at, status from notification
        where site_id = own.id and due_at >= now() - interval '24 hours' and due_at <= now() order by due_at desc limit ${most}
      ) n
      limit ${most}
    ),
    person as (
      select count(*) as messages, bool_or(sent_at > now() - interval '24 hours' and status <> 'failed') as is_reached from looked_at group by to_phone
    )
    select count(*) filter (where is_reached)::integer as reached, coalesce(sum(messages) >= ${most}, false) as more from person`;
  if (!row.more) await sql`update platform_health set people = ${row.reached}, people_at = now() where account_id = ${accountId}`;
  return row;
}
