import type { RecipientStrategy } from "../core/recipient.ts";
import type { TemplateDefinition, TemplateStatus } from "../core/template/definition.ts";
import type { SlotNames } from "../core/template/slots.ts";
import type { VariableMap } from "../core/variables.ts";
import type { Sql } from "./connect.ts";

/** What is written of a binding. */
interface BindingValues {
  id: string;
  site_id: string;
  event: string;
  template_id: string;
  recipient: RecipientStrategy;
  variable_map: VariableMap;
  /** The template's slots when the map was last saved; null for bindings older than this note. */
  template_shape: SlotNames | null;
  enabled: boolean;
}

/** A binding with what it takes to see its problems. */
export interface BindingRow extends BindingValues {
  created_at: Date;
  updated_at: Date;
  template: string;
  language: string;
  status: TemplateStatus;
  definition: TemplateDefinition;
}

/** Of `binding b` joined with `template t`. */
const bindingColumns = (sql: Sql) =>
  sql`b.id, b.site_id, b.event, b.template_id, b.recipient, b.variable_map, b.template_shape, b.enabled, b.created_at, b.updated_at,
    t.name as template, t.language, t.status, t.definition`;

/** As text, so that a driver's own JSON encoding has no say in what is stored. */
const jsonValue = (sql: Sql, value: RecipientStrategy | VariableMap | SlotNames | null) =>
  sql`${value === null ? null : JSON.stringify(value)}::text::json`;

export const deleteBinding = (sql: Sql, id: string) => sql`delete from binding where id = ${id}`;

export async function findBinding(sql: Sql, accountId: string, id: string): Promise<BindingRow | undefined> {
  const [row] = await sql<BindingRow[]>`
    select ${bindingColumns(sql)} from binding b join template t on t.id = b.template_id
    where b.id = ${id} and b.site_id in (select id from site where account_id = ${accountId})`;
  return row;
}

export const insertBinding = (sql: Sql, binding: BindingValues) =>
  sql`
    insert into binding (id, site_id, event, template_id, recipient, variable_map, template_shape, enabled)
    values (${binding.id}, ${binding.site_id}, ${binding.event}, ${binding.template_id}, ${jsonValue(sql, binding.recipient)},
      ${jsonValue(sql, binding.variable_map)}, ${jsonValue(sql, binding.template_shape)}, ${binding.enabled})`;

export interface BindingFilter {
  siteId?: string | undefined;
  event?: string | undefined;
  templateId?: string | undefined;
}

/** A page of the account's bindings, newest first. */
export const listBindings = (sql: Sql, accountId: string, filter: BindingFilter, page: { before: string | null; limit: number }) =>
  sql<BindingRow[]>`
    select ${bindingColumns(sql)} from binding b join template t on t.id = b.template_id
    where b.site_id in (select id from site where account_id = ${accountId} ${filter.siteId === undefined ? sql`` : sql`and id = ${filter.siteId}`})
      ${filter.event === undefined ? sql`` : sql`and b.event = ${filter.event}`}
      ${filter.templateId === undefined ? sql`` : sql`and b.template_id = ${filter.templateId}`}
      ${page.before === null ? sql`` : sql`and b.id < ${page.before}`}
    order by b.id desc limit ${page.limit}`;

/** Writes the row as given. */
export const updateBinding = (sql: Sql, binding: BindingValues) =>
  sql`
    update binding set site_id = ${binding.site_id}, event = ${binding.event}, template_id = ${binding.template_id},
      recipient = ${jsonValue(sql, binding.recipient)}, variable_map = ${jsonValue(sql, binding.variable_map)},
      template_shape = ${jsonValue(sql, binding.template_shape)}, enabled = ${binding.enabled},
      updated_at = now()
    where id = ${binding.id}`;
