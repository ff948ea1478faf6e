import { checkTemplate } from "shared/core/template/check";
import { toInput } from "shared/core/template/to-input";
import type { Sql } from "shared/db/connect";
import type { TemplateRow } from "shared/db/tables/template/row";
import { updateTemplate } from "shared/db/tables/template/update";
import type { PlatformClient } from "shared/platform/client";
import type { PlatformCredentials } from "shared/platform/credentials";
import { editTemplate } from "shared/platform/edit-template";
import { createTemplate } from "shared/platform/templates";
import type { AdminContext } from "../../context.ts";
import { conflict, invalidInput } from "../../trpc/refusals.ts";
import { askPlatform, credentialsOf } from "./platform-refusal.ts";
import { isOpen, openStatuses, readTemplate } from "./write-template.ts";

/** Asks the platform for the template's approval: a new one is created there, one that it has rejected is replaced. */
export async function submitTemplate(
  context: Pick<AdminContext, "sql" | "vault" | "platform">,
  accountId: string,
  id: string,
): Promise<TemplateRow> {
  const { sql, platform } = context;
  const row = await readOpen(sql, accountId, id);
  refuseFaults(row);
  const credentials = await credentialsOf(context, accountId);
  const submitted = await askPlatform(send(platform, credentials, row)).catch(async (error: unknown) => {
    // Somebody else may have submitted it at the same time, and the platform takes it only once.
    await readOpen(sql, accountId, id);
    throw error;
  });
  const { definition } = row;
  // The platform may have reported a decision by callback already, and a change made meanwhile is not what was submitted.
  const updated = await updateTemplate(sql, id, { ...submitted, definition, reason: null }, openStatuses);
  return updated ?? (await readTemplate(sql, accountId, id));
}

/** @throws CONFLICT when there is nothing to submit. */
async function readOpen(sql: Sql, accountId: string, id: string): Promise<TemplateRow> {
  const row = await readTemplate(sql, accountId, id);
  if (!isOpen(row)) throw conflict(`The template is ${row.status}; only a draft or a rejected one can be submitted`);
  return row;
}

/** One that was made elsewhere is left to the platform to judge. */
function refuseFaults(row: TemplateRow): void {
  const input = toInput(row);
  const faults = input === null ? [] : checkTemplate(input);
  if (faults.length > 0) throw invalidInput(faults.map(({ field, message }) => ({ path: field.split("."), message })));
}

async function send(
  platform: PlatformClient,
  credentials: PlatformCredentials,
  row: TemplateRow,
): Promise<Pick<TemplateRow, "platform_id" | "status" | "category">> {
  const { name, language, category, definition } = row;
  if (row.platform_id !== null) {
    await editTemplate(platform, credentials, { platformId: row.platform_id, category, definition });
    return { platform_id: row.platform_id, status: "pending", category };
  }
  const created = await createTemplate(platform, credentials, { name, language, category, definition });
  return { platform_id: created.platformId, status: created.status, category: created.category };
}
