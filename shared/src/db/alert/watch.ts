import { type AlertSwitches, type SetSwitches, switchesOf } from "../../core/alert/alert.ts";
import type { DayOutcomes, RecentOutcomes } from "../../core/problem/failure-rate.ts";
import type { Schedule } from "../../core/schedule/schedule.ts";
import { isDecided } from "../notification/statuses.ts";
import { dueWork } from "../owned.ts";
import { type RowOf, type Sql, asJson, columns, hasRows, of, one, valuesOf } from "../statement.ts";
import type { TemplateRow } from "../template.ts";
import { numberAtHost, type WebhookRow } from "../webhook/webhook.ts";

const watchColumns = columns({
  account_id: of<string>(),
  conditions: of<SetSwitches>(),
  quiet_hours: of<NonNullable<Schedule["window"]> | null>(),
  /** True to tell of a stopped platform account in quiet hours too. */
  urgent_always: of<boolean>(),
  /** True to mail the week's figures. */
  weekly: of<boolean>(),
  week_told: of<string | null>({ read: "week_told::text" }),
  /** The last change of these; the epoch before the first. */
  updated_at: of<Date>(),
  timezone: of<string>({ read: "(select timezone from account where id = account_id)", stored: false }),
});

/** An owner's settings for alerts, and when the account is looked at. */
export type AlertWatchRow = RowOf<typeof watchColumns>;

export const watches = dueWork<AlertWatchRow>({ table: "alert_watch", key: "account_id", columns: watchColumns });

/** Adds accounts that are not watched yet. */
export const watchNewAccounts = (sql: Sql) =>
  sql`
    insert into alert_watch (account_id)
    select id from account where not exists (select from alert_watch where account_id = account.id) order by id limit 1000 on conflict do nothing`;

/** SQL: the assignment of a look that has stored what it found. `since`: its begin. */
export const looked = (sql: Sql, since: Date) => sql`looked_at = ${since}`;

/** Ends a look. An account whose alerts nobody gets is looked at less often. */
export const nextLook = (sql: Sql, seconds: { told: number; untold: number }) => sql`
  due_at = now() + make_interval(secs => case when exists (
    select from alert_channel c where c.account_id = alert_watch.account_id and c.enabled) then ${seconds.told}::integer else ${seconds.untold}::integer end)`;

/** The account's watch, locked until the transaction ends; created when there is none. */
export async function holdWatch(sql: Sql, accountId: string): Promise<AlertWatchRow> {
  await sql`insert into alert_watch (account_id) values (${accountId}) on conflict do nothing`;
  return one(sql<[AlertWatchRow]>`select ${watchColumns.read(sql)} from alert_watch where account_id = ${accountId} for update`);
}

export const findWatch = (sql: Sql, accountId: string) =>
  one(sql<AlertWatchRow[]>`select ${watchColumns.read(sql)} from alert_watch where account_id = ${accountId}`);

export const alertSwitchesOf = (row: Pick<AlertWatchRow, "conditions"> | undefined): AlertSwitches => switchesOf(row?.conditions ?? {});

/** Stores an owner's settings and makes the next look due soon. */
export const saveWatch = (
  sql: Sql,
  { account_id, conditions, quiet_hours, ...flags }: Omit<AlertWatchRow, "week_told" | "updated_at" | "timezone">,
) => sql`
  update alert_watch set ${valuesOf(sql, { conditions: asJson(sql, conditions), quiet_hours: asJson(sql, quiet_hours), ...flags, due_at: sql`now()` })}
  where account_id = ${account_id}`;

export const hurryWatch = (sql: Sql, accountId: string) => sql`
  insert into alert_watch (account_id) values (${accountId}) on conflict (account_id) do update set due_at = now()`;

/** Notes that the week which began on that Monday was told. */
export const noteWeek = (sql: Sql, accountId: string, monday: string) =>
  sql`update alert_watch set week_told = ${monday}::date where account_id = ${accountId}`;

/** Makes a look due at once if the last one is older than that, and answers whether one is due. */
export const askForLook = (sql: Sql, accountId: string, olderThanSeconds: number) =>
  hasRows(sql`
    insert into alert_watch (account_id) values (${accountId}) on conflict (account_id) do update set due_at = now()
    where alert_watch.due_at <= now() or coalesce(alert_watch.looked_at, '-infinity') < now() - make_interval(secs => ${olderThanSeconds})
    returning account_id`);

/** The most rows of a kind that one look reads. */
const mostOfKind = 50;

export interface TemplateStateRow extends Pick<TemplateRow, "id" | "name" | "language" | "status" | "reason" | "updated_at"> {
  /** Since when the platform has put it away; null for others. */
  archived_at: Date | null;
}

/** The account's templates that the platform refuses, and those among `ids`. */
export const listTemplateStates = (sql: Sql, accountId: string, ids: readonly string[]) =>
  sql<TemplateStateRow[]>`
    select id, name, language, status, reason, updated_at, case when status = 'disabled' and reason = 'ARCHIVED' then
      (select max(h.at) from template_history h where h.template_id = template.id and h.to_status = 'disabled') end as archived_at from template
    where account_id = ${accountId} and source is distinct from 'AUTO_GENERATED' and (id = any(${[...ids]}::uuid[]) or status in ('rejected', 'paused', 'disabled'))
    order by id = any(${[...ids]}::uuid[]) desc, id limit ${mostOfKind * 4}`;

interface TroubledEndpoint extends Pick<WebhookRow, "id" | "url" | "site_id" | "failing_since"> {
  site: string;
  because: WebhookRow["disabled_because"];
  number: WebhookRow["number_at_host"];
}

/** The account's endpoints that the service switched off because they took no delivery, and those that have failed for a while. */
export const listTroubledEndpoints = (sql: Sql, accountId: string, failingSeconds: number) =>
  sql<TroubledEndpoint[]>`
    select w.id, w.url, ${sql.unsafe(numberAtHost("w"))} as number, w.site_id, s.name as site, w.disabled_because as because, w.failing_since from webhook w join site s on s.id = w.site_id
    where w.account_id = ${accountId} and s.mode = 'live' and s.deleted_at is null
      and (w.disabled_because is not null or w.failing_since < now() - make_interval(secs => ${failingSeconds}))
    order by w.id limit ${mostOfKind * 2}`;

const sliceSeconds = 300;
const slices = 12;
/** The most messages of the hour that are looked at, and of a site and five minutes: a long queue must not hide what failed before it came. */
const mostLooked = 60_000;
const mostOfSlice = 15_000;

/** The outcomes of the account's messages of the last hour, each as its newest attempt. The newest are looked at, so the cost has a bound. */
export const readRecentOutcomes = (sql: Sql, accountId: string): Promise<RecentOutcomes> => one(recentOutcomes(sql, accountId));

export const recentOutcomes = (sql: Sql, accountId: string) =>
  sql<[RecentOutcomes]>`
    with own as materialized (select id from site where account_id = ${accountId} and mode = 'live' and deleted_at is null),
    part as (
      select own.id as site_id, slice, uuid_at(now() - (slice + 1) * make_interval(secs => ${sliceSeconds})) as start,
        uuid_at(now() + case when slice = 0 then interval '1 minute' else - slice * make_interval(secs => ${sliceSeconds}) end) as stop
      from generate_series(0, ${slices - 1}::integer) slice cross join own order by slice
    ),
    looked as (
      select part.site_id, part.slice, n.status, n.is_counted from part cross join lateral (
        select status, not test and resent_as is null as is_counted from notification
        where site_id = part.site_id and id >= part.start and id < part.stop order by id desc limit ${mostOfSlice}
      ) n limit ${mostLooked}
    ),
    counted as (
      select count(*) as seen, count(*) filter (where is_counted and status = 'failed') as failed,
        count(*) filter (where is_counted and ${sql.unsafe(isDecided("looked"))}) as total
      from looked group by site_id, slice
    )
    select coalesce(sum(failed), 0)::integer as failed, coalesce(sum(total), 0)::integer as total,
      coalesce(sum(seen) >= ${mostLooked} or max(seen) >= ${mostOfSlice}, false) as more
    from counted`;

/** The outcomes of each counted day of the last four weeks. */
export const readUsualOutcomes = (sql: Sql, accountId: string) =>
  sql<DayOutcomes[]>`
    select current_date - d.day as "daysAgo", coalesce(sum(d.count) filter (where d.status = 'failed'), 0)::integer as failed, sum(d.count)::integer as total
    from site s join notification_day d on d.site_id = s.id
    where s.account_id = ${accountId} and s.mode = 'live' and d.day >= current_date - 28 and ${sql.unsafe(isDecided("d"))}
    group by d.day`;
