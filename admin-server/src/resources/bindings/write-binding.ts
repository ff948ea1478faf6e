import { mapErrors } from "shared/core/binding";
import type { createBindingInput, updateBindingInput } from "shared/core/input/bindings";
import { slotNames } from "shared/core/template/slots";
import { findBinding } from "shared/db/binding";
import { insertBinding } from "shared/db/binding";
import type { BindingRow } from "shared/db/binding";
import { updateBinding } from "shared/db/binding";
import type { Sql } from "shared/db/connect";
import { newId } from "shared/db/ids";
import { lockSites } from "shared/db/site";
import { touchSite } from "shared/db/site";
import { findTemplate } from "shared/db/template";
import type { TemplateRow } from "shared/db/template";
import type { z } from "zod";
import { conflict, invalidInput, notFound } from "../../trpc/refusals.ts";

// Each within a transaction, and with the sites held until its end.

export async function addBinding(sql: Sql, accountId: string, input: z.output<typeof createBindingInput>): Promise<BindingRow> {
  const sites = await lockSites(sql, accountId, [input.siteId]);
  if (!sites.has(input.siteId)) throw notFound("site");
  const template_shape = slotNames((await findTemplateFor(sql, accountId, input)).definition);
  const { siteId: site_id, templateId: template_id, variableMap: variable_map, event, recipient } = input;
  const values = { id: newId(), site_id, event, template_id, recipient, variable_map, template_shape, enabled: input.enabled ?? true };
  await insertBinding(sql, values);
  return await readBinding(sql, accountId, values.id);
}

export async function changeBinding(sql: Sql, accountId: string, input: z.output<typeof updateBindingInput>): Promise<BindingRow> {
  const former = await lockBinding(sql, accountId, input.id, input.siteId);
  const values = {
    id: former.id,
    site_id: input.siteId ?? former.site_id,
    event: input.event ?? former.event,
    template_id: input.templateId ?? former.template_id,
    recipient: input.recipient ?? former.recipient,
    variable_map: input.variableMap ?? former.variable_map,
    template_shape: former.template_shape,
    enabled: input.enabled ?? former.enabled,
  };
  // Switching a binding off goes through although its template has lost a slot since.
  if (input.templateId !== undefined || input.variableMap !== undefined) {
    const template = await findTemplateFor(sql, accountId, { templateId: values.template_id, variableMap: values.variable_map });
    values.template_shape = slotNames(template.definition);
  }
  await updateBinding(sql, values);
  if (values.site_id !== former.site_id) await touchSite(sql, former.site_id);
  return await readBinding(sql, accountId, values.id);
}

/** The account's binding, once its site and the one it moves to are held. */
export async function lockBinding(sql: Sql, accountId: string, id: string, nextSiteId?: string): Promise<BindingRow> {
  const seen = await readBinding(sql, accountId, id);
  const sites = await lockSites(sql, accountId, [seen.site_id, nextSiteId ?? seen.site_id]);
  if (nextSiteId !== undefined && !sites.has(nextSiteId)) throw notFound("site");
  const row = await readBinding(sql, accountId, id);
  if (row.site_id !== seen.site_id) throw conflict("The binding was moved to another site at the same time; try again");
  return row;
}

/** The account's template; refuses a map that names a slot which the template lacks. */
export async function findTemplateFor(
  sql: Sql,
  accountId: string,
  { templateId, variableMap }: Pick<z.output<typeof createBindingInput>, "templateId" | "variableMap">,
): Promise<TemplateRow> {
  const template = await readTemplate(sql, accountId, templateId);
  const errors = mapErrors(variableMap, template.definition);
  if (errors.length > 0) throw invalidInput(errors.map((message) => ({ path: ["variableMap"], message })));
  return template;
}

/** @throws NOT_FOUND */
export async function readTemplate(sql: Sql, accountId: string, id: string): Promise<TemplateRow> {
  const row = await findTemplate(sql, accountId, id);
  if (row === undefined) throw notFound("template");
  return row;
}

/** @throws NOT_FOUND */
export async function readBinding(sql: Sql, accountId: string, id: string): Promise<BindingRow> {
  const row = await findBinding(sql, accountId, id);
  if (row === undefined) throw notFound("binding");
  return row;
}
