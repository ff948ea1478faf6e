import type { Conditions } from "../core/conditions.ts";
import type { RecipientStrategy } from "../core/recipient.ts";
import type { Schedule } from "../core/schedule/schedule.ts";
import type { TemplateDefinition, TemplateStatus } from "../core/template/definition.ts";
import type { TemplateShape } from "../core/template/shape.ts";
import type { VariableMap } from "../core/variables.ts";
import { type Columns, type IdPage, type RowOf, type Sql, asJson, columns, newestFirst, of, one, scalar, valuesOf } from "./statement.ts";

/** The columns of a binding that people set. */
const ownColumns = {
  ...of.texts("id", "site_id", "event", "template_id"),
  recipient: of<RecipientStrategy>(),
  variable_map: of<VariableMap>(),
  /** The template's slots when the map was last saved; null for bindings older than this column. */
  template_shape: of<TemplateShape | null>(),
  /** The conditions; null: it always fires. */
  conditions: of<Conditions | null>(),
  /** The schedule; null: its messages leave at once. */
  schedule: of<Schedule | null>(),
  enabled: of<boolean>(),
};

/** The columns of `binding b` joined with `template t`. */
const bindingColumns = columns(
  {
    ...ownColumns,
    ...of.each(of<Date>(), "created_at", "updated_at"),
    template: of<string>({ read: "t.name" }),
    language: of<string>({ read: "t.language" }),
    status: of<TemplateStatus>({ read: "t.status" }),
    definition: of<TemplateDefinition>({ read: "t.definition" }),
    /** An equal binding, as `findEqualBinding` finds it, but one that is on first; null when there is none. */
    equal_id: of<string | null>({
      read: `(select o.id from binding o where o.site_id = b.site_id and o.event = b.event and o.template_id = b.template_id
        and o.recipient::jsonb = b.recipient::jsonb and o.conditions::text is not distinct from b.conditions::text
        and o.schedule is not distinct from b.schedule and o.id <> b.id order by o.enabled desc, o.id limit 1)`,
    }),
    /** The time of its last firing, else of its last change, if neither was in the last 30 days although its event came; null otherwise. */
    idle_since: of<Date | null>({
      read: `(select coalesce(u.fired_at, b.updated_at) from binding_use u where u.binding_id = b.id and b.enabled and (b.conditions is not null or b.schedule ? 'dueAt')
        and u.held_at > now() - interval '30 days' and greatest(u.fired_at, b.updated_at) <= now() - interval '30 days')`,
    }),
  },
  "b",
);

/** A binding with its template, from which its problems follow. */
export type BindingRow = RowOf<typeof bindingColumns>;

type BindingValues = RowOf<Columns<typeof ownColumns>>;

export const insertBinding = (sql: Sql, binding: BindingValues) => sql`insert into binding ${storedValues(sql, binding)}`;

/** Writes the given row. */
export const updateBinding = (sql: Sql, binding: BindingValues) =>
  sql`update binding set ${storedValues(sql, binding)}, updated_at = now() where id = ${binding.id}`;

const storedValues = (sql: Sql, { recipient, variable_map, template_shape, conditions, schedule, ...plain }: BindingValues) =>
  valuesOf(sql, {
    ...plain,
    recipient: asJson(sql, recipient),
    variable_map: asJson(sql, variable_map),
    template_shape: asJson(sql, template_shape),
    conditions: asJson(sql, conditions),
    schedule: asJsonb(sql, schedule),
  });

const asJsonb = (sql: Sql, value: object | null) => sql`${asJson(sql, value)}::jsonb`;

type BindingPlace = Pick<BindingRow, "id" | "site_id" | "event" | "template_id" | "recipient" | "conditions" | "schedule">;

/** Another binding of the same site, event, template, recipient, conditions and schedule, enabled or not, that is none of `besides`. */
export const findEqualBinding = (
  sql: Sql,
  { id, site_id, event, template_id, recipient, conditions, schedule }: BindingPlace,
  besides: readonly string[] = [],
) =>
  scalar(sql<{ id: string }[]>`
    select id from binding where site_id = ${site_id} and event = ${event} and template_id = ${template_id}
      and recipient::jsonb = ${asJsonb(sql, recipient)} and conditions::text is not distinct from ${asJson(sql, conditions)}::text
      and schedule is not distinct from ${asJsonb(sql, schedule)} and id <> all(${[id, ...besides]}::uuid[]) order by id limit 1`);

export const countOtherEnabled = (sql: Sql, { id, site_id, event }: Pick<BindingRow, "id" | "site_id" | "event">) =>
  scalar(sql<[{ count: number }]>`
    select count(*)::int as count from binding where site_id = ${site_id} and event = ${event} and enabled and id <> ${id}`);

export const countBindings = (sql: Sql, accountId: string) =>
  scalar(sql<[{ count: number }]>`
    select count(*)::int as count from binding where site_id in (select id from site where account_id = ${accountId})`);

export const findBinding = (sql: Sql, accountId: string, id: string) =>
  one(sql<BindingRow[]>`
    select ${bindingColumns.read(sql)} from binding b join template t on t.id = b.template_id
    where b.id = ${id} and b.site_id in (select id from site where account_id = ${accountId})`);

/** The account's bindings among `ids`. */
export const findBindings = (sql: Sql, accountId: string, ids: readonly string[]) =>
  sql<BindingRow[]>`
    select ${bindingColumns.read(sql)} from binding b join template t on t.id = b.template_id
    where b.id = any(${[...ids]}::uuid[]) and b.site_id in (select id from site where account_id = ${accountId})`;

export interface BindingFilter {
  siteId?: string | undefined;
  event?: string | undefined;
  templateId?: string | undefined;
  /** A part of the path of a field that the binding reads. */
  field?: string | undefined;
  /** Only those that are enabled. */
  enabled?: true;
}

/** A page of the account's bindings, newest first. */
export const listBindings = (sql: Sql, accountId: string, filter: BindingFilter, page: IdPage) =>
  sql<BindingRow[]>`
    select ${bindingColumns.read(sql)} from binding b join template t on t.id = b.template_id
    where b.site_id in (select id from site where account_id = ${accountId} ${filter.siteId === undefined ? sql`` : sql`and id = ${filter.siteId}`})
      ${filter.event === undefined ? sql`` : sql`and b.event = ${filter.event}`}
      ${filter.templateId === undefined ? sql`` : sql`and b.template_id = ${filter.templateId}`}
      ${filter.enabled === undefined ? sql`` : sql`and b.enabled and exists (select from site s where s.id = b.site_id and s.deleted_at is null)`}
      ${filter.field === undefined ? sql`` : sql`and ${readings(sql)} ~ ${usesField(filter.field)}`} ${newestFirst(sql, page, "b.id")}`;

/** The event and the template's name of each of the account's bindings among `ids`. */
export const listBindingNames = (sql: Sql, accountId: string, ids: readonly string[]) =>
  sql<{ id: string; site_id: string; event: string; template: string }[]>`
    select b.id, b.site_id, b.event, t.name as template from binding b join template t on t.id = b.template_id
    where b.id = any(${[...ids]}::uuid[]) and b.site_id in (select id from site where account_id = ${accountId})`;

/** The fields that the account's bindings (or those of one site) read, by their paths: each set of fields once, with the number of bindings that read exactly these. */
export async function countFieldSets(sql: Sql, accountId: string, siteId?: string): Promise<{ paths: string[]; count: number }[]> {
  const rows = await sql<{ printed: string | null; count: number }[]>`
    select printed, count(*)::int as count from (
      select (
        select string_agg(distinct found[1], ',') from regexp_matches(${readings(sql)}, ${`${reading}("(?:${letter})*")`}, 'g') as found
      ) as printed
      from binding b
      where b.site_id in (select id from site where account_id = ${accountId} ${siteId === undefined ? sql`` : sql`and id = ${siteId}`})
    ) used group by printed`;
  return rows.map(({ printed, count }) => ({ paths: JSON.parse(`[${printed ?? ""}]`) as string[], count }));
}

/** The JSON of everything in a binding that reads fields. */
const readings = (sql: Sql) => sql`concat_ws(' ', b.recipient, b.variable_map, b.conditions, b.schedule)`;

/** Regular expressions for the JSON: the text before the path of a field, and a letter of a text. */
const reading = '"(?:path|by|restartBy|expr)": ?';
const letter = String.raw`[^"\\]|\\.`;

/** A regular expression for the JSON of a binding that reads a field whose path contains the text. */
const usesField = (text: string): string =>
  `${reading}"(?:${letter})*${JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(/[^A-Za-z0-9_ ]/gu, (sign) => `\\${sign}`)}`;

/** An enabled binding whose event arrives and is held back each time. */
export interface UnfiredRow {
  id: string;
  site_id: string;
  event: string;
  template: string;
  updated_at: Date;
  /** The live events of its name since it was made or changed; counts no further than `most`. */
  count: number;
  first_id: string;
  last_id: string;
}

/** The account's enabled bindings that have not fired since they were made or changed, although at least `least` live events of their name came. */
export const listUnfired = (
  sql: Sql,
  accountId: string,
  { least, most, starts }: { least: number; most: number; starts: readonly { subject: string; since: Date }[] },
) =>
  sql<UnfiredRow[]>`
    select b.id, b.site_id, b.event, t.name as template, b.updated_at, e.counted as count, e.first_id, e.last_id
    from site s join binding b on b.site_id = s.id join template t on t.id = b.template_id join binding_use u on u.binding_id = b.id
    left join json_to_recordset(${JSON.stringify(starts)}::text::json) as r(subject text, since timestamptz) on r.subject = b.id::text
    cross join lateral (
      select count(*) as count, (count(*) filter (where ${counts(sql)}))::integer as counted, min(id::text) filter (where ${counts(sql)}) as first_id, max(id::text) as last_id from (
        select id from event where site_id = b.site_id and name = b.event and name <> '' and id >= uuid_at(b.updated_at) and not test and not dry_run
        order by id desc limit ${most}
      ) newest
    ) e
    where s.account_id = ${accountId} and s.deleted_at is null and b.enabled and u.held_at >= b.updated_at
      and (u.fired_at is null or u.fired_at < b.updated_at) and e.count >= ${least} and e.counted > 0
    order by b.id limit 200`;

/** SQL: whether an event came after a person had resolved the problem. */
const counts = (sql: Sql) => sql`r.since is null or id >= uuid_at(r.since)`;

export const deleteBinding = (sql: Sql, id: string) => sql`delete from binding where id = ${id}`;

/** Records when bindings with conditions or a schedule fired or had unmet conditions; null keeps the stored time. Deleted bindings are left out. */
export const noteBindingUses = (sql: Sql, uses: readonly { binding_id: string; fired_at: Date | null; held_at: Date | null }[]) => sql`
  insert into binding_use as u (binding_id, fired_at, held_at)
  select b.id, r.fired_at, r.held_at
  from json_to_recordset(${JSON.stringify(uses)}::text::json) as r(binding_id uuid, fired_at timestamptz, held_at timestamptz)
  join binding b on b.id = r.binding_id order by b.id
  for key share of b skip locked
  on conflict (binding_id) do update
  set fired_at = greatest(u.fired_at, excluded.fired_at), held_at = greatest(u.held_at, excluded.held_at)`;

/** A message whose binding says until when it waits, or what cancels or replaces it. */
export interface ScheduledRow {
  id: string;
  event_id: string;
  binding_id: string;
  test: boolean;
  schedule: Schedule;
  timezone: string;
  /** The event's, as it is stored; null when it is no longer kept. */
  payload: string | null;
}

/** The schedules of those of the account's messages that may have to wait by them; a message that was sent again has none. */
export const listSchedules = (sql: Sql, accountId: string, messages: readonly { siteId: string; id: string }[]) =>
  sql<ScheduledRow[]>`
    select n.id, n.event_id, n.binding_id, n.test, b.schedule, a.timezone,
      (select p.payload from event_payload p where p.site_id = n.site_id and p.id = n.event_id limit 1) as payload
    from notification n join binding b on b.id = n.binding_id join account a on a.id = n.account_id
    where n.account_id = ${accountId} and n.site_id = any(${messages.map(({ siteId }) => siteId)}::uuid[]) and n.id = any(${messages.map(({ id }) => id)}::uuid[])
      and n.resend_of is null and b.schedule ?| array['cancelOn', 'restartBy', 'expiresSeconds']`;
