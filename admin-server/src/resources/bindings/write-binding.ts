import type { createBindingInput, updateBindingInput } from "shared/core/input/binding";
import type { Sql } from "shared/db/connect";
import { newId } from "shared/db/new-id";
import { findBinding } from "shared/db/tables/binding/find";
import { insertBinding } from "shared/db/tables/binding/insert";
import type { BindingRow } from "shared/db/tables/binding/row";
import { updateBinding } from "shared/db/tables/binding/update";
import { lockSites } from "shared/db/tables/site/lock";
import { touchSite } from "shared/db/tables/site/update";
import { findTemplate } from "shared/db/tables/template/find";
import type { TemplateRow } from "shared/db/tables/template/row";
import type { z } from "zod";
import { conflict, invalidInput, notFound } from "../../trpc/refusals.ts";
import { unknownSlots } from "./unknown-slots.ts";

/** A binding and the template that it sends. */
export interface BoundTemplate {
  binding: BindingRow;
  template: TemplateRow;
}

// Each within a transaction, and with the sites held until its end.

export async function addBinding(sql: Sql, accountId: string, input: z.output<typeof createBindingInput>): Promise<BoundTemplate> {
  const sites = await lockSites(sql, accountId, [input.siteId]);
  if (!sites.has(input.siteId)) throw notFound("site");
  const template = await findTemplateFor(sql, accountId, input);
  const binding = await insertBinding(sql, {
    id: newId(),
    site_id: input.siteId,
    event: input.event,
    template_id: input.templateId,
    recipient: input.recipient,
    variable_map: input.variableMap,
    enabled: input.enabled ?? true,
  });
  return { binding, template };
}

export async function changeBinding(sql: Sql, accountId: string, input: z.output<typeof updateBindingInput>): Promise<BoundTemplate> {
  const former = await lockBinding(sql, accountId, input.id, input.siteId);
  const values = {
    id: former.id,
    site_id: input.siteId ?? former.site_id,
    event: input.event ?? former.event,
    template_id: input.templateId ?? former.template_id,
    recipient: input.recipient ?? former.recipient,
    variable_map: input.variableMap ?? former.variable_map,
    enabled: input.enabled ?? former.enabled,
  };
  // Switching a binding off must go through although its template has lost a slot since.
  const isMapped = input.templateId !== undefined || input.variableMap !== undefined;
  const template = await findTemplateFor(sql, accountId, { templateId: values.template_id, variableMap: isMapped ? values.variable_map : {} });
  const binding = await updateBinding(sql, values);
  if (values.site_id !== former.site_id) await touchSite(sql, former.site_id);
  return { binding, template };
}

/** The account's binding, once its site and the one it moves to are held. */
export async function lockBinding(sql: Sql, accountId: string, id: string, nextSiteId?: string | undefined): Promise<BindingRow> {
  const seen = await findBinding(sql, accountId, id);
  if (seen === undefined) throw notFound("binding");
  const sites = await lockSites(sql, accountId, [seen.site_id, nextSiteId ?? seen.site_id]);
  if (nextSiteId !== undefined && !sites.has(nextSiteId)) throw notFound("site");
  const row = await findBinding(sql, accountId, id);
  if (row === undefined) throw notFound("binding");
  if (row.site_id !== seen.site_id) throw conflict("The binding was moved to another site at the same time; try again");
  return row;
}

/** The template that the map fits; refuses a map that names a slot which the template lacks. */
export async function findTemplateFor(
  sql: Sql,
  accountId: string,
  { templateId, variableMap }: Pick<z.output<typeof createBindingInput>, "templateId" | "variableMap">,
): Promise<TemplateRow> {
  const template = await findTemplate(sql, accountId, templateId);
  if (template === undefined) throw notFound("template");
  const problems = unknownSlots(variableMap, template);
  if (problems.length > 0) throw invalidInput(problems);
  return template;
}
