import { type Fragment, type RowOf, type Sql, columns, of } from "../statement.ts";
import { countedAt, type CountFilter, ownDays, type Span, uncovered } from "./days.ts";
import { isAccepted, isArrived, isNewest } from "./statuses.ts";

/** The factor between one step of the latency counts and the next; the first step is a millisecond. */
export const latencyGrowth = 1.1;
const lastStep = 260;

/** SQL: the step into which the time from `began` until then falls; null without one of them. */
const stepUntil = (column: string): string =>
  `case when began is not null and ${column} is not null then least(${lastStep}, greatest(0,
    ceil(ln(greatest(1, extract(epoch from ${column} - began)::double precision * 1000)) / ln(${latencyGrowth}::double precision))))::integer end`;

const countColumns = columns({
  ...of.each(of<number>(), "total", "sent", "delivered", "read", "failed"),
});

type Counts = RowOf<typeof countColumns>;

/** The columns of `hoursOf`, and of the table. */
const hourColumns = (table: string): string =>
  ["hour", "binding_id", "template", ...countColumns.names, "sent_in", "delivered_in"].map((name) => `${table}${name}`).join(", ");

/**
 * A site's messages of a span by hour of day, binding and template. Those of equal columns are counted together first, and the fence has each time made once.
 * Resends, and messages that waited for their time, began at none.
 */
export const hoursOf = (sql: Sql, siteId: Fragment, span: Span & { timezone: Fragment | string }) => sql`
  select hour, binding_id, template, ${sql.unsafe(countColumns.names.map((name) => `(max(${name}) filter (where level = 3))::integer as ${name}`).join(", "))},
    coalesce(jsonb_object_agg(sent_step, total) filter (where level = 1 and sent_step is not null), '{}') as sent_in,
    coalesce(jsonb_object_agg(delivered_step, total) filter (where level = 2 and delivered_step is not null), '{}') as delivered_in
  from (
    select hour, binding_id, template, sent_step, delivered_step, grouping(sent_step, delivered_step) as level, sum(count) as total,
      sum(case when ${sql.unsafe(isAccepted("message"))} then count else 0 end) as sent, sum(case when ${sql.unsafe(isArrived("message"))} then count else 0 end) as delivered,
      sum(case when status = 'read' then count else 0 end) as read, sum(case when status = 'failed' then count else 0 end) as failed
    from (
      select extract(hour from made at time zone ${span.timezone})::smallint as hour, binding_id, template, status,
        ${sql.unsafe(stepUntil("sent_at"))} as sent_step, ${sql.unsafe(stepUntil("delivered_at"))} as delivered_step, count(*) as count
      from (
        select binding_id, template, status, sent_at, delivered_at, uuid_time(id) as made,
          case when resend_of is null and due_at is null then uuid_time(event_id) end as began
        from notification where site_id = ${siteId} and not test and ${sql.unsafe(isNewest("notification"))} and id >= uuid_at(${span.start}) and id < uuid_at(${span.stop})
        offset 0
      ) one
      group by 1, 2, 3, 4, 5, 6
    ) message
    group by grouping sets ((hour, binding_id, template), (hour, binding_id, template, sent_step), (hour, binding_id, template, delivered_step))
  ) step
  group by hour, binding_id, template`;

/** Replaces the counts of a site's days, each of its first `hours`. */
export async function countHours(sql: Sql, siteId: string, timezone: string, days: Fragment): Promise<void> {
  await sql`delete from notification_hour where site_id = ${siteId} and day in (select day from (${days}) d)`;
  const span = {
    start: sql`day.day::timestamp at time zone ${timezone}`,
    stop: sql`(day.day + day.hours * interval '1 hour') at time zone ${timezone}`,
    timezone,
  };
  await sql`
    insert into notification_hour (site_id, day, ${sql.unsafe(hourColumns(""))})
    select ${siteId}, day.day, ${sql.unsafe(hourColumns("n."))} from (${days}) as day cross join lateral (${hoursOf(sql, sql`${siteId}::uuid`, span)}) n`;
}

/** Added to the steps of delivered messages, where both kinds stand together. */
export const deliveredStep = 1_000;

/** The counts of a day, of an hour of the day, or of a site's messages of a binding and a template; or, with `steps`, how many were sent or delivered within each. */
export interface HourRow extends Counts, Record<"day" | "hour" | "site_id" | "binding_id" | "template", string | null> {
  steps: Record<string, number> | null;
  /** Of a row by itself: the time since which a part of the messages may have become more. */
  counted_at: string | null;
}

const keys = { day: "date", hour: "smallint", site_id: "uuid", binding_id: "uuid", template: "text" };
const grouped = Object.keys(keys).join(", ");

/** SQL: rows of `table` by each grouping. Grouping sets would sort all rows for each, where PostgreSQL expects many. */
const byEach = (table: string, more: string, sums: string): string =>
  ["day", "hour", "site_id, binding_id, template"]
    .map((by) => {
      const key = Object.entries(keys).map(([name, type]) => (by.split(", ").includes(name) ? name : `null::${type} as ${name}`));
      return `select ${key.join(", ")}${more}, ${sums} from ${table} group by ${by}${more}`;
    })
    .join(" union all ");

/**
 * The common table `part` of `day`: which hours lie in the day's part of the span, and where these begin and end. A day on which the clock changes has none unless it
 * is whole: an hour of it may come twice.
 */
const partsOf = (sql: Sql, timezone: string) => sql`
  part as (
    select day, whole, start, stop, first_hour, end_hour,
      (day + first_hour * interval '1 hour') at time zone ${timezone} as hours_start, (day + end_hour * interval '1 hour') at time zone ${timezone} as hours_stop
    from day cross join lateral (
      select whole or (day + 1)::timestamp at time zone ${timezone} - day::timestamp at time zone ${timezone} = interval '24 hours'
    ) clock(is_even) cross join lateral (
      select case when is_even then ceil(${hoursInto(sql, sql`start`, timezone)}) else 24 end, case when is_even then floor(${hoursInto(sql, sql`stop`, timezone)}) else 24 end
    ) part_hours(first_hour, end_hour)
  )`;

const hoursInto = (sql: Sql, at: Fragment, timezone: string) => sql`extract(epoch from (${at} at time zone ${timezone}) - day) / 3600`;

/**
 * Messages by the time of their newest attempt, without tests. Like `countNotifications`, but of days in part too the whole hours that were counted are read
 * from the counts; the rest is read from the log, as ranges of ids.
 */
export const countByHour = (sql: Sql, filter: CountFilter) => sql<HourRow[]>`
  with ${ownDays(sql, filter)}, ${partsOf(sql, filter.timezone)},
  counted as materialized (
    select h.day, h.site_id, ${sql.unsafe(hourColumns("h."))}
    from notification_hour h join own on own.id = h.site_id join part on part.day = h.day
    where h.day + h.hour * interval '1 hour' < own.counted_until and h.hour >= part.first_hour and h.hour < part.end_hour
    union all
    select r.day, r.site_id, r.hour, ${sql.unsafe(hourColumns("n.").replace("n.hour, ", ""))} from recent r cross join jsonb_to_recordset(r.hours)
      as n(binding_id uuid, template text, ${sql.unsafe(countColumns.names.map((name) => `${name} integer`).join(", "))}, sent_in jsonb, delivered_in jsonb)
    union all
    select part.day, own.id, ${sql.unsafe(hourColumns("n."))}
    from own left join covered on covered.site_id = own.id join part on not (part.whole and part.day < coalesce(own.counted_to, '-infinity'))
    cross join lateral (
      select part.start, least(part.stop, hours_start)
      union all select greatest(hours_start, least(hours_stop, coalesce(own.counted_until, '-infinity') at time zone ${filter.timezone})), part.stop
    ) rest(start, stop)
    cross join lateral ${uncovered(sql, { start: sql`rest.start`, stop: sql`rest.stop` })} log
    cross join lateral (${hoursOf(sql, sql`own.id`, { start: sql`log.start`, stop: sql`log.stop`, timezone: filter.timezone })}) n
  ),
  took as materialized (${stepsOf(sql, "sent_in", "step")} union all ${stepsOf(sql, "delivered_in", `step + ${deliveredStep}`)})
  select to_char(day, 'YYYY-MM-DD') as day, hour::text as hour, site_id, binding_id, template, null::json as steps, null as counted_at, ${sql.unsafe(countColumns.names.join(", "))}
  from (${sql.unsafe(byEach("counted", "", countColumns.names.map((name) => `sum(${name})::integer as ${name}`).join(", ")))}) count
  union all
  select to_char(day, 'YYYY-MM-DD'), hour::text, site_id, binding_id, template, json_object_agg(step, count), null, 0, 0, 0, 0, 0
  from (${sql.unsafe(byEach("took", ", step", "sum(count) as count"))}) step group by ${sql.unsafe(grouped)}
  union all
  select null, null, null, null, null, null, at, 0, 0, 0, 0, 0 from (${sql.unsafe(countedAt)}) c`;

/** SQL: how many of the counted messages took each step. A key and its value by themselves cost a third of both as a row. */
const stepsOf = (sql: Sql, column: string, step: string) => sql`
  select ${sql.unsafe(grouped)}, ${sql.unsafe(step)} as step, (${sql(column)}->>key)::integer as count
  from (select ${sql.unsafe(grouped)}, ${sql(column)}, jsonb_object_keys(${sql(column)}) as key from counted offset 0) each_key cross join lateral (select key::integer) as n(step)`;
