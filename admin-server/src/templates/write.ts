import postgres from "postgres";
import type { setHeaderMediaInput, updateTemplateInput } from "shared/core/input/bindings";
import { templateInputSchema } from "shared/core/input/templates";
import type { restoreInput } from "shared/core/input/values";
import { isHttpUrl, checkTemplate, type TemplateInput } from "shared/core/template/check";
import { templateStatuses, type HeaderFile, type TemplateDefinition } from "shared/core/template/definition";
import { toInput, toDefinition, type UncheckedTemplate } from "shared/core/template/draft";
import { fitExamples } from "shared/core/template/examples";
import { formatOfType, typeNames, type MediaFormat } from "shared/core/template/platform-limits";
import { fixed, type Said, say } from "shared/core/wording";
import { databaseNow } from "shared/db/connect";
import { newId } from "shared/db/ids";
import { findMediaFile } from "shared/db/media-file";
import { listVersions, type TemplateContent } from "shared/db/object-version";
import { type Sql, inTransaction } from "shared/db/statement";
import {
  deleteTemplateRow,
  isTemplateBound,
  updateTemplate,
  type TemplateRow,
  setMedia,
  type HeaderMedia,
  findOtherCategory,
  markSubmitting,
  findTemplate,
  insertDraft,
} from "shared/db/template";
import { type PlatformClient, type PlatformCredentials, PlatformError } from "shared/platform/client";
import { templateAdvice } from "shared/platform/template-json";
import { deleteTemplate, listTemplates, editTemplate, createTemplate } from "shared/platform/templates";
import type { z } from "zod";
import type { AdminContext } from "../context.ts";
import { platformCredentials } from "../platform-account.ts";
import { conflict, invalidInput, absent, notFound, Refusal, refusedInput, requireUnchanged } from "../trpc/errors.ts";
import { mediaHeader, readHeaderMedia, readStoredMedia, type MediaHeader, storedFile, uploadHeader } from "./media.ts";

export async function createDraft(sql: Sql, accountId: string, input: TemplateInput): Promise<TemplateRow> {
  const { name, language, category, ttlSeconds: ttl_seconds = null } = input;
  const definition = await nameFile(sql, accountId, toDefinition(input));
  const inserted = await insertDraft(sql, { id: newId(), account_id: accountId, name, language, category, definition, ttl_seconds });
  if (inserted === undefined) throw conflict("The template {name} already exists in {language}", { name, language });
  return inserted;
}

/** Writes the audit entry, in the transaction of the change. */
type Entry = (sql: Sql) => Promise<void>;
type Present = (row: TemplateRow) => object;

export async function changeTemplate(sql: Sql, accountId: string, asked: z.output<typeof updateTemplateInput>, present: Present) {
  const { id, ifUpdatedAt, ...changes } = asked;
  const former = await readTemplate(sql, accountId, id);
  await requireUnchanged(former, { ifUpdatedAt }, () => present(former));
  if (!isOpen(former))
    throw conflict("The template is {status}: only a draft or a rejected template can be changed", { status: fixed(former.status) });
  const input = checked(former, changes);
  if (former.platform_id !== null && (input.name !== former.name || input.language !== former.language)) {
    throw conflict("WhatsApp has the template as {name} in {language}: create a new template for another name or language", {
      name: former.name,
      language: former.language,
    });
  }
  const { name, language, category, ttlSeconds: ttl_seconds = null } = input;
  const definition = await nameFile(sql, accountId, toDefinition(input));
  const patch = { name, language, category, requested_category: category, ttl_seconds, definition };
  const changed = await updateTemplate(sql, id, patch, openStatuses, ifUpdatedAt && { updated_at: ifUpdatedAt });
  if (changed !== undefined) return changed;
  // The platform, or a submission, was faster.
  const now = await readTemplate(sql, accountId, id);
  await requireUnchanged(now, { ifUpdatedAt }, () => present(now));
  throw conflict("The template was submitted or deleted at the same time: reload it");
}

/** Writes what a version said into the template, under the rules of any change. @throws NOT_FOUND, CONFLICT, BAD_REQUEST */
export async function restoreTemplate(sql: Sql, accountId: string, { id, version }: z.output<typeof restoreInput>, present: Present) {
  await readTemplate(sql, accountId, id);
  const [row] = await listVersions<TemplateContent>(sql, accountId, id, version);
  if (row === undefined) throw notFound("version");
  const input = toInput(row.content);
  if (input === null) throw madeElsewhere();
  const lifetime = row.content.ttl_seconds === null && { ttlSeconds: null };
  // The rules for changes are checked with the whole, below.
  return await changeTemplate(sql, accountId, { id, ...(input as TemplateInput), ...lifetime }, present);
}

const madeElsewhere = () =>
  conflict("The template was created elsewhere and has parts that cannot be changed here: change it in WhatsApp Manager");

/** The template after the changes, checked by the rules for new ones. @throws BAD_REQUEST, CONFLICT */
function checked(former: TemplateRow, changes: Omit<z.output<typeof updateTemplateInput>, "id" | "ifUpdatedAt">): TemplateInput {
  const base = toInput(former);
  if (base === null) throw madeElsewhere();
  const named = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  const wanted = { ...partsFor(changes.category ?? base.category, base), ...named };
  const isCode = wanted.category === "AUTHENTICATION";
  const examples = changes.examples === undefined && !isCode ? fitExamples(wanted) : changes.examples;
  const result = templateInputSchema.safeParse({ ...wanted, examples });
  if (result.success) return result.data;
  throw refusedInput(result.error.issues);
}

/** The parts of the template that one of this category may have: one-time codes have none of the others' texts, and the others no choices of codes. */
function partsFor(category: string, { authentication, ...base }: UncheckedTemplate): UncheckedTemplate {
  if (category !== "AUTHENTICATION") return base;
  const { name, language, ttlSeconds } = base;
  return { name, language, category, body: "", authentication, ...(base.category === category && { ttlSeconds }) };
}

type SubmitContext = Pick<AdminContext, "sql" | "vault" | "management" | "config">;

/**
 * Submits the template for approval: creates it on the platform, or edits the one that was rejected. `record` writes the audit entry before the platform
 * is asked, so that the entry exists even if this process dies before the answer.
 */
export async function submitTemplate(context: SubmitContext, accountId: string, id: string, record: Entry) {
  const { sql } = context;
  const row = await readOpen(sql, accountId, id);
  await refuseFaults(sql, row);
  const credentials = await credentialsOf(context, accountId);
  const startedAt = await databaseNow(sql);
  await inTransaction(sql, async (transaction) => {
    await record(transaction);
    await markSubmitting(transaction, id, true);
  });
  const submitted = await askPlatform(send(context, credentials, row)).catch(async (error: unknown) => {
    await markSubmitting(sql, id, false);
    // The platform refuses a second submission: answer CONFLICT if somebody else's came first.
    await readOpen(sql, accountId, id);
    throw error;
  });
  const { category: requested_category } = row;
  // Reports up to a minute older by the platform's clock may be about this submission; older ones are about the one before.
  const told_at = new Date(startedAt.getTime() - 60_000);
  const patch = { ...submitted, requested_category, told_at, reason: null, status_source: "submit" } as const;
  // A callback may have brought the decision already, a rejection too; then the row stays as it is.
  const updated = await updateTemplate(sql, id, patch, [row.status], { told_at: row.told_at });
  return updated ?? (await readTemplate(sql, accountId, id));
}

/** @throws CONFLICT when there is nothing to submit. */
async function readOpen(sql: Sql, accountId: string, id: string): Promise<TemplateRow> {
  const row = await readTemplate(sql, accountId, id);
  if (!isOpen(row))
    throw conflict("The template is {status}; only a draft or a rejected one can be submitted", { status: fixed(row.status) });
  return row;
}

/** Refuses faults, except in a template that was made elsewhere, which only the platform judges. @throws BAD_REQUEST */
async function refuseFaults(sql: Sql, row: TemplateRow): Promise<void> {
  const input = toInput(row);
  const faults = input === null ? [] : checkTemplate(input);
  const other = await findOtherCategory(sql, row);
  if (other !== undefined) {
    const { category, language } = other;
    faults.push({ field: "category", reason: { code: "category_of_other_language", category, template: row.name, language } });
  }
  if (faults.length > 0) throw invalidInput(faults.map(({ field, reason }) => ({ path: field.split("."), reason })));
}

type Submitted = Pick<TemplateRow, "platform_id" | "status" | "category" | "definition">;

async function send(context: SubmitContext, credentials: PlatformCredentials, row: TemplateRow): Promise<Submitted> {
  const { sql, management } = context;
  const { account_id, platform_id, name, language, category, ttl_seconds: ttlSeconds } = row;
  const uploaded = await uploadHeader(context, credentials, account_id, row.definition);
  const { definition } = uploaded;
  const header = mediaHeader(definition);
  // The file is set before the submission: the platform may approve, and messages may leave, before its answer arrives.
  if (header?.file !== undefined) await setMedia(sql, account_id, row.id, header, header.file.id);
  if (platform_id !== null) {
    await editTemplate(management, credentials, { platformId: platform_id, category, ttlSeconds, ...uploaded });
    return { platform_id, status: "pending", category, definition };
  }
  const created = await createTemplate(management, credentials, { name, language, category, ttlSeconds, ...uploaded });
  return { platform_id: created.platformId, status: created.status, category: created.category, definition };
}

/** Deletes one language of a template, here and on the platform. */
export async function removeTemplate(context: SubmitContext, accountId: string, id: string, record: Entry): Promise<void> {
  const { sql, management } = context;
  const row = await readTemplate(sql, accountId, id);
  if (await isTemplateBound(sql, id)) throw conflict("A binding uses this template: delete the binding or give it another template first");
  const credentials = row.platform_id === null ? null : await platformCredentials(context, accountId);
  if (row.platform_id !== null && credentials !== null) await askPlatform(deleteThere(management, credentials, row.platform_id, row.name));
  // No transaction spans the platform's call, which would delay every send of the account. So a binding may have been made in between.
  try {
    await inTransaction(sql, async (transaction) => {
      await record(transaction);
      await deleteTemplateRow(transaction, accountId, id);
    });
  } catch (error) {
    if (!(error instanceof postgres.PostgresError && error.code === foreignKeyViolation)) throw error;
    const gone = { status: "disabled", reason: "It was deleted at WhatsApp", status_source: "delete" } as const;
    await updateTemplate(sql, id, gone, templateStatuses);
    throw conflict(
      "A binding was created for the template while it was being deleted. The template is now disabled: delete the binding, then the template",
    );
  }
}

const foreignKeyViolation = "23503";

/** Deletes the template on the platform. A refusal is fine if the template is gone already, which its error code does not tell but the platform's list does. */
async function deleteThere(platform: PlatformClient, credentials: PlatformCredentials, platformId: string, name: string) {
  try {
    await deleteTemplate(platform, credentials, platformId, name);
  } catch (error) {
    if (!(error instanceof PlatformError) || (await isListed(platform, credentials, platformId))) throw error;
  }
}

async function isListed(platform: PlatformClient, credentials: PlatformCredentials, platformId: string): Promise<boolean> {
  for await (const template of listTemplates(platform, credentials)) {
    if (template.platformId === platformId) return true;
  }
  return false;
}

type MediaInput = z.output<typeof setHeaderMediaInput>;

/**
 * Sets the header's file that messages of the template carry. The platform does not approve that file, so this works in every status; a template that was made
 * elsewhere gets its file this way.
 */
export async function setHeaderMedia(context: SubmitContext, accountId: string, input: MediaInput, record: Entry, present: Present) {
  const { id } = input;
  const header = mediaHeader((await readTemplate(context.sql, accountId, id)).definition);
  if (header === null) throw conflict("The template's header has no file: only an image, video or document header has one");
  const media = await filled(context, accountId, header, input);
  return inTransaction(context.sql, async (sql) => {
    await record(sql);
    const former = await readTemplate(sql, accountId, id);
    await requireUnchanged(former, input, () => present(former));
    const changed = await setMedia(sql, accountId, id, media);
    if (changed === undefined) throw conflict("The template's header was changed at the same time: reload it");
    return changed;
  });
}

async function filled(context: SubmitContext, accountId: string, { format }: MediaHeader, input: MediaInput): Promise<HeaderMedia> {
  const { url, fileId } = input;
  const { sql } = context;
  if ((url === undefined) === (fileId === undefined))
    throw invalidInput([{ path: ["url"], said: say("must be given, or fileId, and not both") }]);
  if (url !== undefined) {
    if (!isHttpUrl(url)) throw invalidInput([{ path: ["url"], said: say("must be an http or https address") }]);
    const header = { format, url };
    // A missing file would otherwise let the platform fail the messages later, one by one.
    await askPlatform(readHeaderMedia(context, accountId, header));
    return header;
  }
  const { id } = await uploadedFile(sql, accountId, format, fileId ?? "");
  const credentials = await credentialsOf(context, accountId);
  const file = await askPlatform(storedFile(context, credentials, accountId, id, () => readStoredMedia(sql, accountId, id)));
  return { format, url: null, file };
}

/** @throws NOT_FOUND */
export const readTemplate = async (sql: Sql, accountId: string, id: string) =>
  (await findTemplate(sql, accountId, id)) ?? absent("template");

/** The statuses in which a template can be changed and submitted. */
const openStatuses = ["draft", "rejected"] as const;

const isOpen = (row: TemplateRow): boolean => openStatuses.some((status) => status === row.status);

/** @throws CONFLICT while the account is not connected */
export async function credentialsOf(context: Pick<AdminContext, "sql" | "vault">, accountId: string): Promise<PlatformCredentials> {
  const credentials = await platformCredentials(context, accountId);
  if (credentials === null) throw conflict("WhatsApp is not connected: enter the credentials in the settings first");
  return credentials;
}

/** Awaits a call to the platform and turns its refusal into an answer, with the platform's words and advice. */
export const askPlatform = <T>(call: Promise<T>): Promise<T> =>
  call.catch((error: unknown) => {
    if (!(error instanceof PlatformError)) throw error;
    const { facts } = error;
    const advice = templateAdvice(error);
    const words = error.said ?? error.message;
    const said = advice === null ? say("{words}", { words }) : say("{words} {advice}", { words, advice: fixed(advice) });
    throw new Refusal(facts !== null && facts.class !== "transient" ? "BAD_REQUEST" : "BAD_GATEWAY", said, error);
  });

/** The definition, with the name and the platform's id of the header's uploaded file if it has one. @throws BAD_REQUEST */
async function nameFile(sql: Sql, accountId: string, definition: TemplateDefinition): Promise<TemplateDefinition> {
  const header = mediaHeader(definition);
  if (header?.file === undefined) return definition;
  return { ...definition, header: { ...header, file: await uploadedFile(sql, accountId, header.format, header.file.id) } };
}

/** The account's uploaded file, for a header of that format. @throws BAD_REQUEST at `header.fileId` */
async function uploadedFile(sql: Sql, accountId: string, format: MediaFormat, id: string): Promise<HeaderFile> {
  const file = await findMediaFile(sql, accountId, id);
  const refuse = (said: Said) => invalidInput([{ path: ["header", "fileId"], said }]);
  if (file === undefined) throw refuse(say("is not the id of an uploaded file: upload one to /media first"));
  if (formatOfType(file.type) !== format)
    throw refuse(say("is a file of type {type}: a {format} header takes {types}", { type: file.type, format, types: typeNames(format) }));
  return { id, name: file.name, mediaId: file.platform_media_id };
}
