import postgres from "postgres";
import { templateStatuses } from "shared/core/template/definition";
import type { Sql } from "shared/db/connect";
import { deleteTemplateRow } from "shared/db/template";
import { isTemplateBound } from "shared/db/template";
import { updateTemplate } from "shared/db/template";
import type { PlatformClient } from "shared/platform/client";
import type { PlatformCredentials } from "shared/platform/client";
import { PlatformError } from "shared/platform/client";
import { deleteTemplate, listTemplates } from "shared/platform/templates";
import type { AdminContext } from "../../context.ts";
import { platformCredentials } from "../../platform/credentials.ts";
import { conflict } from "../../trpc/refusals.ts";
import { askPlatform } from "./platform-refusal.ts";
import { readTemplate } from "./write-template.ts";

/** Deletes this language of the template, here and on the platform. */
export async function removeTemplate(
  context: Pick<AdminContext, "sql" | "vault" | "management">,
  accountId: string,
  id: string,
): Promise<void> {
  const { sql, management } = context;
  const row = await readTemplate(sql, accountId, id);
  if (await isTemplateBound(sql, id)) throw conflict("A binding sends this template; delete the binding or give it another template first");
  const credentials = row.platform_id === null ? null : await platformCredentials(context, accountId);
  if (row.platform_id !== null && credentials !== null) {
    await askPlatform(deleteThere(management, credentials, { platformId: row.platform_id, name: row.name }));
  }
  await deleteHere(sql, accountId, id);
}

/** No transaction spans the platform's call: it would hold up every send of the account for as long. So a binding may have come in between. */
async function deleteHere(sql: Sql, accountId: string, id: string): Promise<void> {
  try {
    await deleteTemplateRow(sql, accountId, id);
  } catch (error) {
    if (!(error instanceof postgres.PostgresError && error.code === foreignKeyViolation)) throw error;
    const gone = { status: "disabled", reason: "It was deleted on the platform", status_source: "delete" } as const;
    await updateTemplate(sql, id, gone, templateStatuses);
    throw conflict("Somebody bound the template while it was being deleted; it is disabled now. Delete the binding, then the template");
  }
}

const foreignKeyViolation = "23503";

/** Refused because somebody deleted it in the platform's manager: what is asked for is done. The refusal's code does not tell, the list does. */
async function deleteThere(
  platform: PlatformClient,
  credentials: PlatformCredentials,
  template: { platformId: string; name: string },
): Promise<void> {
  try {
    await deleteTemplate(platform, credentials, template);
  } catch (error) {
    if (!(error instanceof PlatformError) || (await isListed(platform, credentials, template.platformId))) throw error;
  }
}

async function isListed(platform: PlatformClient, credentials: PlatformCredentials, platformId: string): Promise<boolean> {
  for await (const template of listTemplates(platform, credentials)) {
    if (template.platformId === platformId) return true;
  }
  return false;
}
