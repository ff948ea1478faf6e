import type { updateTemplateInput } from "shared/core/input/bindings";
import { templateInputSchema, type TemplateInput } from "shared/core/template/check";
import { fitExamples } from "shared/core/template/draft";
import { toDefinition } from "shared/core/template/draft";
import { toInput } from "shared/core/template/draft";
import type { Sql } from "shared/db/connect";
import { newId } from "shared/db/ids";
import { findTemplate } from "shared/db/template";
import { insertDraft } from "shared/db/template";
import type { TemplateRow } from "shared/db/template";
import { updateTemplate } from "shared/db/template";
import type { z } from "zod";
import { conflict, invalidInput, notFound } from "../../trpc/refusals.ts";
import { nameFile } from "./name-file.ts";

/** The statuses in which a template is ours to change and to submit. */
export const openStatuses = ["draft", "rejected"] as const;

export const isOpen = (row: TemplateRow): boolean => openStatuses.some((status) => status === row.status);

export async function createDraft(sql: Sql, accountId: string, input: TemplateInput): Promise<TemplateRow> {
  const { name, language, category } = input;
  const definition = await nameFile(sql, accountId, toDefinition(input));
  const inserted = await insertDraft(sql, { id: newId(), account_id: accountId, name, language, category, definition });
  if (inserted === undefined) throw conflict(`There is a template ${name} in ${language} already`);
  return inserted;
}

export async function changeTemplate(
  sql: Sql,
  accountId: string,
  { id, ...changes }: z.output<typeof updateTemplateInput>,
): Promise<TemplateRow> {
  const former = await readTemplate(sql, accountId, id);
  if (!isOpen(former)) throw conflict(`The template is ${former.status}; only a draft or a rejected one can be changed`);
  const input = checked(former, changes);
  if (former.platform_id !== null && (input.name !== former.name || input.language !== former.language)) {
    throw conflict(
      `The platform knows the template as ${former.name} in ${former.language}; make another one for another name or language`,
    );
  }
  const { name, language, category } = input;
  const definition = await nameFile(sql, accountId, toDefinition(input));
  const changed = await updateTemplate(sql, id, { name, language, category, requested_category: category, definition }, openStatuses);
  if (changed === undefined) throw conflict("The template was submitted or deleted at the same time; look at it again");
  return changed;
}

/** @throws NOT_FOUND */
export async function readTemplate(sql: Sql, accountId: string, id: string): Promise<TemplateRow> {
  const row = await findTemplate(sql, accountId, id);
  if (row === undefined) throw notFound("template");
  return row;
}

/** The template that comes of the changes, by the same rules as a new one. */
function checked(former: TemplateRow, changes: Omit<z.output<typeof updateTemplateInput>, "id">): TemplateInput {
  const base = toInput(former);
  if (base === null)
    throw conflict("The template was made elsewhere and has parts that cannot be changed here; change it in the platform's manager");
  const named = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  const wanted = { ...base, ...named };
  const examples = changes.examples === undefined ? fitExamples(wanted) : changes.examples;
  const result = templateInputSchema.safeParse({ ...wanted, examples });
  if (result.success) return result.data;
  throw invalidInput(result.error.issues.map(({ path, message }) => ({ path: path.map(String), message })));
}
