import { checkTemplate } from "shared/core/template/check";
import { toInput } from "shared/core/template/draft";
import type { Sql } from "shared/db/connect";
import { databaseNow } from "shared/db/connect";
import { findOtherCategory } from "shared/db/template";
import type { TemplateRow } from "shared/db/template";
import { setMedia } from "shared/db/template";
import { markSubmitting, updateTemplate } from "shared/db/template";
import type { PlatformCredentials } from "shared/platform/client";
import { editTemplate } from "shared/platform/templates";
import { createTemplate } from "shared/platform/templates";
import type { AdminContext } from "../../context.ts";
import { mediaHeader } from "../../templates/header-media.ts";
import { uploadHeader } from "../../templates/upload-header.ts";
import { conflict, invalidInput } from "../../trpc/refusals.ts";
import { askPlatform, credentialsOf } from "./platform-refusal.ts";
import { isOpen, openStatuses, readTemplate } from "./write-template.ts";

type SubmitContext = Pick<AdminContext, "sql" | "vault" | "management" | "config">;

/** Asks the platform for the template's approval: a new one is created there, one that it has rejected is replaced. */
export async function submitTemplate(context: SubmitContext, accountId: string, id: string): Promise<TemplateRow> {
  const { sql } = context;
  const row = await readOpen(sql, accountId, id);
  await refuseFaults(sql, row);
  const credentials = await credentialsOf(context, accountId);
  const startedAt = await databaseNow(sql);
  await markSubmitting(sql, id, true);
  const submitted = await askPlatform(send(context, credentials, row)).catch(async (error: unknown) => {
    await markSubmitting(sql, id, false);
    // Somebody else may have submitted it at the same time, and the platform takes it only once.
    await readOpen(sql, accountId, id);
    throw error;
  });
  const { category: requested_category } = row;
  // What is told of it may be up to a minute older by the platform's clock; older than that, it is about what was submitted before.
  const told_at = new Date(startedAt.getTime() - 60_000);
  const patch = { ...submitted, requested_category, told_at, reason: null, status_source: "submit" } as const;
  // The platform may have reported a decision by callback already, and a change made meanwhile is not what was submitted.
  const updated = await updateTemplate(sql, id, patch, openStatuses);
  return updated ?? (await readTemplate(sql, accountId, id));
}

/** @throws CONFLICT when there is nothing to submit. */
async function readOpen(sql: Sql, accountId: string, id: string): Promise<TemplateRow> {
  const row = await readTemplate(sql, accountId, id);
  if (!isOpen(row)) throw conflict(`The template is ${row.status}; only a draft or a rejected one can be submitted`);
  return row;
}

/** One that was made elsewhere is left to the platform to judge. */
async function refuseFaults(sql: Sql, row: TemplateRow): Promise<void> {
  const input = toInput(row);
  const faults = input === null ? [] : checkTemplate(input);
  const other = await findOtherCategory(sql, row);
  if (other !== undefined) {
    const message = `must be ${other.category}, as ${row.name} is in ${other.language}: all languages of one name share a category`;
    faults.push({ field: "category", message });
  }
  if (faults.length > 0) throw invalidInput(faults.map(({ field, message }) => ({ path: field.split("."), message })));
}

type Submitted = Pick<TemplateRow, "platform_id" | "status" | "category" | "definition">;

async function send({ sql, management, config }: SubmitContext, credentials: PlatformCredentials, row: TemplateRow): Promise<Submitted> {
  const { account_id, platform_id, name, language, category } = row;
  const media = { sql, management, allowed: config.allowPrivate };
  const uploaded = await uploadHeader(media, credentials, account_id, row.definition);
  const { definition } = uploaded;
  const header = mediaHeader(definition);
  // Before the platform is asked: it may approve, and messages go out, before its answer is here.
  if (header?.file !== undefined) await setMedia(sql, account_id, row.id, header, header.file.id);
  if (platform_id !== null) {
    await editTemplate(management, credentials, { platformId: platform_id, category, ...uploaded });
    return { platform_id, status: "pending", category, definition };
  }
  const created = await createTemplate(management, credentials, { name, language, category, ...uploaded });
  return { platform_id: created.platformId, status: created.status, category: created.category, definition };
}
