import { type TemplateDefinition, type TemplateStatus, templateStatuses, type HeaderFile } from "../core/template/definition.ts";
import { mergeTemplate, type PlatformWord, type StoredTemplate } from "../core/template/draft.ts";
import { type MediaFormat } from "../core/template/platform-limits.ts";
import { storableJson, containing } from "./sql-text.ts";
import { type IdPage, type RowOf, type Sql, columns, hasRows, newestFirst, of, one, valuesOf, inTransaction } from "./statement.ts";

/** The origin of a status: an action here, the platform's list (on demand or by the hour), or its callback. */
type StatusSource = "create" | "submit" | "delete" | "sync" | "poll" | "callback";

const templateColumns = columns({
  ...of.texts("id", "account_id"),
  /** The platform's own id; null while a draft. */
  platform_id: of<string | null>(),
  ...of.texts("name", "language"),
  /** The platform's category; the requested one until it has decided. */
  category: of<string>(),
  /** The requested category; null for a template that was made elsewhere. */
  requested_category: of<string | null>(),
  status: of<TemplateStatus>(),
  /** The origin of the status, for its history. */
  status_source: of<StatusSource>(),
  ...of.each(of<string | null>(), "reason", "quality"),
  ...of.each(of<Date | null>(), "quality_at", "told_at"),
  ttl_seconds: of<number | null>(),
  source: of<string | null>(),
  /** The category that the platform has announced, and when it comes; null also where only the list told of it. */
  upcoming_category: of<string | null>(),
  upcoming_at: of<Date | null>(),
  definition: of<TemplateDefinition>(),
  synced_at: of<Date | null>(),
  created_at: of<Date>(),
  /** The last change of the message, of its category or of its status. */
  updated_at: of<Date>(),
});

export type TemplateRow = RowOf<typeof templateColumns>;

/** The definition as text, so that the driver's own JSON encoding cannot change it. */
const definitionValue = (sql: Sql, definition: TemplateDefinition) => sql`${storableJson(definition)}::text::json`;

/** The account's templates of these names and languages, as they are now. */
export const findTexts = (sql: Sql, accountId: string, messages: readonly { template: string; language: string }[]) =>
  sql<Pick<TemplateRow, "name" | "language" | "category" | "definition">[]>`
    select name, language, category, definition from template
    where account_id = ${accountId} and name || ' ' || language = any(${messages.map(({ template, language }) => `${template} ${language}`)}::text[])`;

export type NewDraft = Pick<TemplateRow, "id" | "account_id" | "name" | "language" | "category" | "definition" | "ttl_seconds">;

/** Adds a draft; undefined if the account has a template of that name and language. */
export async function insertDraft(sql: Sql, template: NewDraft): Promise<TemplateRow | undefined> {
  const { category, definition } = template;
  const row = { ...template, requested_category: category, status: "draft", definition: definitionValue(sql, definition) };
  return one(sql<TemplateRow[]>`
    insert into template ${valuesOf(sql, row)}
    on conflict (account_id, name, language) do nothing
    returning ${templateColumns.read(sql)}`);
}

export const findTemplate = (sql: Sql, accountId: string, id: string) =>
  one(sql<TemplateRow[]>`select ${templateColumns.read(sql)} from template where id = ${id} and account_id = ${accountId}`);

/** The names of the account's templates that contain a text, in alphabetical order, each once. */
export const listTemplateNames = (sql: Sql, accountId: string, search: string, limit: number) =>
  sql<{ name: string }[]>`
    select distinct name from template where account_id = ${accountId} and strpos(lower(name), ${search}) > 0 order by name limit ${limit}`;

export const findTemplateByName = (sql: Sql, accountId: string, name: string, language: string) =>
  one(sql<Pick<TemplateRow, "id">[]>`
    select id from template where account_id = ${accountId} and name = ${name} and language = ${language}`);

export interface TemplateFilter {
  status?: TemplateStatus | undefined;
  /** Part of the name or of the body, in any case. */
  search?: string | undefined;
  /** Absent: those that the platform did not make by itself. */
  source?: "AUTO_GENERATED" | undefined;
}

/** SQL: a template that people wrote. */
const isWritten = "source is distinct from 'AUTO_GENERATED'";

/** A page of the account's templates, newest first. */
export const listTemplateRows = (sql: Sql, accountId: string, filter: TemplateFilter, page: IdPage) =>
  sql<TemplateRow[]>`
    select ${templateColumns.read(sql)} from template
    where account_id = ${accountId} and ${filter.source === undefined ? sql.unsafe(isWritten) : sql`source = ${filter.source}`}
      ${filter.status === undefined ? sql`` : sql`and status = ${filter.status}`}
      ${filter.search === undefined ? sql`` : sql`and (name ilike ${containing(filter.search)} or definition ->> 'body' ilike ${containing(filter.search)})`}
      ${newestFirst(sql, page)}`;

/** How many templates the account has in each status. */
export async function countTemplates(sql: Sql, accountId: string): Promise<Record<TemplateStatus, number>> {
  const rows = await sql<{ status: TemplateStatus; count: number }[]>`
    select status, count(*)::int as count from template where account_id = ${accountId} and ${sql.unsafe(isWritten)} group by status`;
  const none = Object.fromEntries(templateStatuses.map((status) => [status, 0])) as Record<TemplateStatus, number>;
  return { ...none, ...Object.fromEntries(rows.map(({ status, count }) => [status, count])) };
}

/** Another language of the template whose category at the platform differs. */
export const findOtherCategory = (
  sql: Sql,
  { id, account_id, name, category }: Pick<TemplateRow, "id" | "account_id" | "name" | "category">,
) =>
  one(sql<Pick<TemplateRow, "language" | "category">[]>`
    select language, category from template
    where account_id = ${account_id} and name = ${name} and id <> ${id} and platform_id is not null and category not in (${category}, '')
    order by language limit 1`);

/**
 * Changes the members of the patch; undefined when the template is gone, its status is none of `only` by now, or it was changed since it was `read`: by a
 * callback (`told_at`), or by anybody (`updated_at`).
 */
export const updateTemplate = (
  sql: Sql,
  id: string,
  { definition, ...columns }: Partial<Omit<TemplateRow, "id" | "account_id" | "created_at" | "updated_at">>,
  only: readonly TemplateStatus[],
  read: Partial<Pick<TemplateRow, "told_at" | "updated_at">> = {},
) =>
  // The id is written too, so that a patch may be empty.
  one(sql<TemplateRow[]>`
    update template set ${sql({ ...columns, id })}
      ${definition === undefined ? sql`` : sql`, definition = ${definitionValue(sql, definition)}`}, updated_at = now()
    where id = ${id} and status = any(${[...only]})
      ${read.told_at === undefined ? sql`` : sql`and told_at is not distinct from ${read.told_at}`}
      ${read.updated_at === undefined ? sql`` : sql`and date_trunc('milliseconds', updated_at) = ${read.updated_at}`}
    returning ${templateColumns.read(sql)}`);

/** The media of a header. */
export interface HeaderMedia {
  format: MediaFormat;
  url: string | null;
  file?: HeaderFile | undefined;
}

/**
 * Puts a file into the template's media header and leaves concurrent changes of the rest alone; undefined when the header has another format by now.
 * @param insteadOf Changes the header only while it has this uploaded file, whose place at the platform is new: nobody has set another one.
 */
export const setMedia = (sql: Sql, accountId: string, id: string, media: HeaderMedia, insteadOf?: string) =>
  inTransaction(sql, async (transaction) => {
    const [row] = await transaction<TemplateRow[]>`
      select ${templateColumns.read(transaction)} from template where id = ${id} and account_id = ${accountId} for no key update`;
    const header = row?.definition.header;
    if (row === undefined || header?.format !== media.format) return undefined;
    if (insteadOf !== undefined && header.file?.id !== insteadOf) return undefined;
    const definition = { ...row.definition, header: media };
    const [changed] = await transaction<TemplateRow[]>`
      update template set definition = ${definitionValue(transaction, definition)} ${insteadOf === undefined ? sql`, updated_at = now()` : sql``}
      where id = ${id}
      returning ${templateColumns.read(transaction)}`;
    return changed;
  });

/** Records whether the template is being submitted: the platform's callback may come before its answer. */
export const markSubmitting = (sql: Sql, id: string, isSubmitting: boolean) =>
  sql`update template set submitting_at = ${isSubmitting ? sql`now()` : null} where id = ${id}`;

/** A callback's report on one template. */
export type TemplateWord = Omit<PlatformWord, "definition"> & { name: string | null; language: string | null };

/**
 * Records reports of callbacks on the account's templates, in their order. Three statements, however many there are. Answers how many templates changed, and
 * how many reports are of templates that are not stored here.
 */
export const applyPlatformWords = (sql: Sql, accountId: string, words: readonly TemplateWord[]) =>
  inTransaction(sql, async (transaction) => {
    const names = words.map(({ platformId, name, language }) => ({ platform_id: platformId, name, language }));
    const found = await lockNamedTemplates(transaction, accountId, names);
    const changes = new Map<string, SyncedTemplate>();
    for (const { place, ...row } of found.toSorted((a, b) => a.place - b.place)) {
      const word = words[place];
      const merged = word && mergeTemplate(changes.get(row.id) ?? row, { ...word, definition: null });
      if (merged) changes.set(row.id, { id: row.id, ...merged });
    }
    await writeSyncedTemplates(transaction, [...changes.values()], "callback");
    return { changed: changes.size, unknown: words.length - new Set(found.map(({ place }) => place)).size };
  });

/**
 * Every template of the account, locked until the transaction ends; simultaneous syncs take turns. They wait for an advisory lock, not for the account's
 * row: other writers lock that after a template's row, and the two orders would deadlock.
 */
export async function lockTemplates(sql: Sql, accountId: string): Promise<TemplateRow[]> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`template-sync ${accountId}`}, 0))`;
  return await sql<TemplateRow[]>`
    select ${templateColumns.read(sql)} from template where account_id = ${accountId} order by id for no key update`;
}

/** The name of a template in a callback. */
export type TemplateName = Record<"platform_id" | "name" | "language", string | null>;

/**
 * The templates with these names, each with the place of its name, locked until the transaction ends. A template matches by the platform's id, or by name
 * and language while one side lacks an id. A draft that is not being submitted never matches: a template of that name was made elsewhere.
 */
const lockNamedTemplates = (sql: Sql, accountId: string, names: readonly TemplateName[]) =>
  sql<(TemplateRow & { place: number })[]>`
    select told.place::integer - 1 as place, ${templateColumns.read(sql)}
    from template t join rows from (
      json_to_recordset(${storableJson(names)}::text::json) as (platform_id text, name text, language text)
    ) with ordinality as told(told_id, told_name, told_language, place)
      on t.platform_id = told_id or (t.name = told_name and t.language = told_language and (t.platform_id is null or told_id is null))
    where t.account_id = ${accountId} and (t.status <> 'draft' or t.submitting_at > now() - interval '15 minutes')
    order by t.id
    for no key update of t`;

/** A template that exists only at the platform. */
export type ImportedTemplate = Pick<TemplateRow, "id" | "account_id" | "name" | "language"> &
  Omit<StoredTemplate, "told_at" | "upcoming_at">;

/** Adds templates of the platform, except those that were created here meanwhile; answers how many. */
export async function insertSyncedTemplates(sql: Sql, templates: readonly ImportedTemplate[], source: StatusSource): Promise<number> {
  if (templates.length === 0) return 0;
  const rows = await sql`
    insert into template (id, account_id, platform_id, name, language, category, status, reason, quality, definition, ttl_seconds, source, upcoming_category, quality_at, synced_at, status_source)
    select id, account_id, platform_id, name, language, category, status, reason, quality, definition, ttl_seconds, source, upcoming_category,
      case when quality is not null then now() end, now(), ${source}
    from json_to_recordset(${storableJson(templates)}::text::json) as t(id uuid, account_id uuid, platform_id text, name text, language text,
      category text, status text, reason text, quality text, definition json, ttl_seconds integer, source text, upcoming_category text)
    on conflict (account_id, name, language) do nothing
    returning id`;
  return rows.length;
}

/** The members of a stored template that the platform may change. */
export type SyncedTemplate = StoredTemplate & { id: string };

/** Writes locked templates (`lockTemplates`, `lockNamedTemplates`). */
export async function writeSyncedTemplates(sql: Sql, templates: readonly SyncedTemplate[], source: StatusSource): Promise<void> {
  if (templates.length === 0) return;
  await sql`
    update template set platform_id = t.platform_id, category = t.category, reason = t.reason, definition = t.definition, told_at = t.told_at,
      ttl_seconds = t.ttl_seconds, source = t.source,
      status = t.status, status_source = case when template.status = t.status then template.status_source else ${source} end,
      upcoming_category = t.upcoming_category, upcoming_at = t.upcoming_at, ${changedCategory(sql)},
      quality = t.quality, quality_at = case when template.quality is not distinct from t.quality then template.quality_at else now() end,
      synced_at = now(), updated_at = case
        when (template.status, template.category, template.definition::jsonb) is distinct from (t.status, t.category, t.definition::jsonb) then now()
        else template.updated_at end
    from json_to_recordset(${storableJson(templates)}::text::json) as t(id uuid, platform_id text, category text, status text, reason text,
      quality text, told_at timestamptz, upcoming_category text, upcoming_at timestamptz, definition json, ttl_seconds integer, source text)
    where template.id = t.id`;
}

/** SQL: notes the change of an approved template's category. The category that the platform decides at first is none. */
const changedCategory = (sql: Sql) => {
  const isChanged = sql`template.status = 'approved' and template.category not in ('', t.category)`;
  return sql`former_category = case when ${isChanged} then template.category else template.former_category end,
    category_at = case when ${isChanged} then now() else template.category_at end`;
};

/** The account's templates whose category is about to change (`at` null where the platform gave no time), or has changed at `at` within a week. */
export const listCategoryChanges = (sql: Sql, accountId: string, limit: number) =>
  sql<{ id: string; name: string; language: string; former: string; category: string; at: Date | null; done: boolean }[]>`
    select id, name, language, case when upcoming_category is null then former_category else category end as former,
      coalesce(upcoming_category, category) as category, case when upcoming_category is null then category_at else upcoming_at end as at, upcoming_category is null as done
    from template where account_id = ${accountId} and (upcoming_category is not null or category_at > now() - interval '7 days')
    order by upcoming_at nulls last, id limit ${limit}`;

const historyColumns = columns({
  at: of<Date>(),
  /** The status before; null for the first. */
  from_status: of<TemplateStatus | null>(),
  to_status: of<TemplateStatus>(),
  reason: of<string | null>(),
  source: of<StatusSource>(),
});

/** One change of a template's status; a trigger writes it. */
export type TemplateHistoryRow = RowOf<typeof historyColumns>;

/** A template's status changes, newest first; at most a hundred are kept. */
export const listTemplateHistory = (sql: Sql, templateId: string) =>
  sql<TemplateHistoryRow[]>`
    select ${historyColumns.read(sql)} from template_history where template_id = ${templateId} order by id desc`;

/** Whether a binding of any site uses the template. */
export const isTemplateBound = (sql: Sql, id: string) => hasRows(sql`select id from binding where template_id = ${id} limit 1`);

/** Deletes the account's template. Fails with 23503 (foreign key) while a binding uses it. */
export const deleteTemplateRow = (sql: Sql, accountId: string, id: string) =>
  sql`delete from template where id = ${id} and account_id = ${accountId}`;
