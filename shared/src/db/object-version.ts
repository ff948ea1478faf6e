import type { BindingRow } from "./binding.ts";
import { type RowOf, type Sql, columns, of } from "./statement.ts";
import type { TemplateRow } from "./template.ts";

const versionColumns = columns({
  version: of<number>(),
  at: of<Date>(),
  /** Who made it; null: the platform, or a program of an earlier version. */
  by: of<string | null>(),
});

/** What a binding said. Its site is no part of it: a binding that moves stays what it is. */
export type BindingContent = Pick<
  BindingRow,
  "event" | "template_id" | "recipient" | "variable_map" | "conditions" | "schedule" | "enabled"
>;
/** What a template said, in the category that was asked for. Versions of earlier programs do not tell its lifetime. */
export type TemplateContent = Pick<TemplateRow, "name" | "language" | "category" | "definition"> &
  Partial<Pick<TemplateRow, "ttl_seconds">>;

/** A version of a binding or a template; triggers write it, and keep the newest 50 of each. */
export type VersionRow<Content> = RowOf<typeof versionColumns> & { content: Content };

/** The versions of the account's binding or template, newest first; or the one of that number. */
export const listVersions = <Content extends BindingContent | TemplateContent>(sql: Sql, accountId: string, id: string, version?: number) =>
  sql<VersionRow<Content>[]>`
    select ${versionColumns.read(sql)}, content from object_version
    where object_id = ${id} and account_id = ${accountId} ${version === undefined ? sql`` : sql`and version = ${version}`} order by version desc`;
