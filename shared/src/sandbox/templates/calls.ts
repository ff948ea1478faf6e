import { dayMs } from "../../core/durations.ts";
import { invalidParameter, missingParameter, refusal, templateRefusal } from "../graph-error.ts";
import {
  type Answer,
  type JsonObject,
  type SandboxContext,
  type SandboxRequest,
  readJson,
  selectFields,
  success,
  tokenOf,
} from "../http.ts";
import { type SandboxAccount, withdrawReview } from "../store.ts";
import { readCodeComponents, readLanguages } from "./authentication.ts";
import { archivedFrom, foresee, tellOf, tellReview, tellStatus, templateReference } from "./control.ts";
import { checkName, readCategory, readComponentsOf, readCreateInput, readParameterFormat, readTtl, shapeOf } from "./input.ts";
import { type TemplateRecord, defaultTemplateFields, newTemplate, planReview, templateFields } from "./store.ts";

/** `POST /{waba id}/message_templates`: stores the template and starts its review. */
export async function createTemplate(context: SandboxContext, request: SandboxRequest, account: SandboxAccount): Promise<Answer> {
  const input = readCreateInput(await readJson(request));
  checkName(context, account, input);
  const now = context.options.now();
  context.limits.countCreation(account, now);
  const pending = newTemplate(account.wabaId, now, input);
  const record = { ...pending, review: planReview(pending, now + context.options.reviewAfterMs) };
  await context.templates.save(record);
  await tellReview(context, record);
  return { json: { id: record.id, status: "PENDING", category: record.category } };
}

const maxDeletedIds = 100;

/**
 * `DELETE /{waba id}/message_templates`: `name` deletes every language, `hsm_id` with `name` one, `hsm_ids` all of them or none. A deleted name and
 * language is locked for a while, longer if it was ever approved; deleting it again restarts that time.
 */
export async function deleteTemplates(context: SandboxContext, request: SandboxRequest, { wabaId }: SandboxAccount): Promise<Answer> {
  const name = request.query.get("name");
  const records = chosen(context.templates.ofAccount(wabaId), request.query);
  const disabled = records.find(({ status }) => status === "DISABLED");
  if (records.some(({ isGenerated }) => isGenerated)) throw templateRefusal("generated_deleted");
  if (disabled !== undefined) throw templateRefusal("disabled_deleted");
  if (records.length === 0 && !(await lockAgain(context, wabaId, name ?? ""))) throw templateRefusal("not_found");
  for (const record of records) await deleteOne(context, record);
  return success;
}

function chosen(records: TemplateRecord[], query: URLSearchParams): TemplateRecord[] {
  const name = query.get("name");
  const id = query.get("hsm_id");
  const ids = query.get("hsm_ids")?.match(/\d+/g);
  if (ids !== undefined && ids !== null) {
    const found = records.filter((record) => ids.includes(record.id));
    return ids.length > maxDeletedIds || found.length < new Set(ids).size ? [] : found;
  }
  if (name === null || name === "") throw missingParameter("name");
  return records.filter((record) => record.name === name && (id === null || record.id === id));
}

async function deleteOne(context: SandboxContext, record: TemplateRecord): Promise<void> {
  const { wabaId, name, language, everApproved } = record;
  await context.templates.remove(record);
  await context.templates.lock({ wabaId, name, language, until: lockUntil(context, everApproved), approved: everApproved });
  await withdrawReview(context.sql, record.id, new Date(context.options.now()));
  await tellStatus(context, record, "DELETED", { reason: null });
}

async function lockAgain(context: SandboxContext, wabaId: string, name: string): Promise<boolean> {
  const locks = context.templates.locks(wabaId, name).filter(({ until }) => until.getTime() > context.options.now());
  for (const lock of locks) await context.templates.lock({ ...lock, until: lockUntil(context, lock.approved) });
  return locks.length > 0;
}

const lockUntil = ({ options }: SandboxContext, approved: boolean): Date =>
  new Date(options.now() + (approved ? options.lockApprovedMs : options.lockOtherMs));

const editableStates = ["APPROVED", "REJECTED", "PAUSED"];

/** `POST /{template id}`: replaces all components and restarts the review. */
export async function editTemplate(context: SandboxContext, request: SandboxRequest, record: TemplateRecord): Promise<Answer> {
  const body = await readJson(request);
  const now = context.options.now();
  checkEditable(record, body, now);
  const parameterFormat = readParameterFormat(body["parameter_format"] ?? record.parameterFormat);
  const category = body["category"] === undefined ? record.category : readCategory(body["category"]);
  const shape = { parameterFormat, language: record.language };
  const components = body["components"] === undefined ? record.components : readComponentsOf(category, body["components"], shape);
  const edited: TemplateRecord = {
    ...record,
    parameterFormat,
    category,
    components,
    status: "PENDING",
    rejectedReason: "NONE",
    updatedAt: now,
    announced: null,
    correctCategory: null,
    ttlSeconds: readTtl(body["message_send_ttl_seconds"], category) ?? record.ttlSeconds,
    edits: record.status === "APPROVED" ? [...record.edits, now] : record.edits,
  };
  const reviewed = { ...edited, review: planReview(edited, now + context.options.reviewAfterMs) };
  await context.templates.save(reviewed);
  await tellReview(context, reviewed);
  await tellComponents(context, reviewed);
  return success;
}

function checkEditable({ status, category, edits, isGenerated }: TemplateRecord, body: JsonObject, now: number): void {
  if (isGenerated) throw templateRefusal("generated_edited");
  if (!editableStates.includes(status)) throw templateRefusal("status_edited", { status });
  if (status !== "APPROVED") return;
  if (body["category"] !== undefined && readCategory(body["category"]) !== category) throw templateRefusal("category_edited");
  const within = (days: number): number => edits.filter((at) => now - at < days * dayMs).length;
  if (within(1) >= 1 || within(30) >= 10) throw templateRefusal("edits");
}

async function tellComponents(context: SandboxContext, record: TemplateRecord): Promise<void> {
  const { header, body, footer, buttons } = shapeOf(record);
  const value = {
    ...templateReference(record),
    ...(header?.format === "TEXT" ? { message_template_title: header.text } : {}),
    message_template_element: body.text,
    ...(footer === null ? {} : { message_template_footer: footer }),
    ...(buttons.length === 0
      ? {}
      : {
          message_template_buttons: buttons.map((button) => ({
            message_template_button_type: button.type,
            message_template_button_text: button.text ?? "",
          })),
        }),
  };
  await tellOf(context, record, { field: "message_template_components_update", kind: "EDITED", value });
}

const defaultPageSize = 25;
const maxPageSize = 1000;

/** `GET /{waba id}/message_templates`: newest first, 25 a page by default. */
export function listTemplates(context: SandboxContext, request: SandboxRequest, account: SandboxAccount): Answer {
  const all = context.templates.ofAccount(account.wabaId).toReversed();
  const found = filterTemplates(all, request.query);
  const limit = limitOf(request.query);
  const [start, end] = rangeOf(found, request.query, limit);
  const fields = request.query.get("fields");
  return {
    json: {
      data: found
        .slice(start, end)
        .map((record) => selectFields(templateFields(record), defaultTemplateFields, fields, "WhatsAppMessageTemplate")),
      ...pagingOf(request, found, [start, end], limit),
      ...summaryOf(request.query, all.length, context.options.templateLimit),
    },
  };
}

function limitOf(query: URLSearchParams): number {
  const limit = query.get("limit") ?? String(defaultPageSize);
  if (!/^\d{1,6}$/.test(limit) || Number(limit) === 0) throw invalidParameter("Param limit must be a positive integer.");
  return Math.min(Number(limit), maxPageSize);
}

type Range = [start: number, end: number];

/** The page's part of the list. Throws 131059 when the template that the cursor names has left the list. */
function rangeOf(found: TemplateRecord[], query: URLSearchParams, limit: number): Range {
  const [after, before] = [query.get("after") ?? "", query.get("before") ?? ""];
  if (after === "" && before === "") return [0, limit];
  const at = found.findIndex((record) => cursorOf(record) === (after || before));
  if (at < 0) throw refusal(131059);
  return after === "" ? [Math.max(0, at - limit), at] : [at + 1, at + 1 + limit];
}

function pagingOf(request: SandboxRequest, found: TemplateRecord[], [start, end]: Range, limit: number) {
  const [first, last] = [found[start], found.slice(start, end).at(-1)];
  if (first === undefined || last === undefined) return {};
  const cursors = { before: cursorOf(first), after: cursorOf(last) };
  return {
    paging: {
      cursors,
      ...(end < found.length ? { next: linkOf(request, limit, "after", cursors.after) } : {}),
      ...(start > 0 ? { previous: linkOf(request, limit, "before", cursors.before) } : {}),
    },
  };
}

/** The link to a page. It carries the token, as on the platform, so that it can be followed unchanged. */
function linkOf(request: SandboxRequest, limit: number, direction: "after" | "before", cursor: string): string {
  const query = new URLSearchParams(request.query);
  query.delete("after");
  query.delete("before");
  query.set("access_token", tokenOf(request));
  query.set("limit", String(limit));
  query.set(direction, cursor);
  const version = request.version === null ? "" : `/v${request.version}.0`;
  return `${request.origin}${version}${request.path}?${query.toString()}`;
}

function summaryOf(query: URLSearchParams, count: number, limit: number) {
  const wanted = (query.get("summary") ?? "").split(",").map((name) => name.trim());
  const all = { total_count: count, message_template_count: count, message_template_limit: limit };
  const summary = Object.fromEntries(Object.entries(all).filter(([name]) => wanted.includes(name)));
  return Object.keys(summary).length === 0 ? {} : { summary };
}

const cursorOf = ({ id }: TemplateRecord): string => Buffer.from(`template:${id}`).toString("base64url");

/** Names and contents match by substring; the other filters take one word, words with commas between, or a JSON array, in either case. */
function filterTemplates(records: readonly TemplateRecord[], query: URLSearchParams): TemplateRecord[] {
  const [name = "", content = "", either = ""] = ["name", "content", "name_or_content"].map((one) => query.get(one)?.toLowerCase());
  const lists = Object.entries(listed).flatMap(([filter, read]) => {
    const words =
      query
        .get(filter)
        ?.toLowerCase()
        .match(/[a-z0-9_]+/g) ?? null;
    return words === null ? [] : (record: TemplateRecord) => words.includes(read(record).toLowerCase());
  });
  return records.filter((record) => {
    const text = contentOf(record);
    const isFound = record.name.includes(name) && text.includes(content) && (record.name.includes(either) || text.includes(either));
    return isFound && lists.every((isListed) => isListed(record));
  });
}

const listed: Readonly<Record<string, (record: TemplateRecord) => string>> = {
  status: ({ status }) => status,
  category: ({ category }) => category,
  language: ({ language }) => language,
  quality_score: ({ quality }) => quality.score,
};

const contentOf = ({ components }: TemplateRecord): string =>
  components
    .flatMap((component) => ("text" in component ? [component.text] : []))
    .join("\n")
    .toLowerCase();

/** `POST /{waba id}/upsert_message_templates`: makes a template of one-time codes in many languages, or replaces it. All are approved at once. */
export async function upsertTemplates(context: SandboxContext, request: SandboxRequest, account: SandboxAccount): Promise<Answer> {
  const body = await readJson(request);
  const wanted = readLanguages(body["languages"]);
  const [language = ""] = wanted;
  const input = readCreateInput({ ...body, language });
  if (input.category !== "AUTHENTICATION") throw invalidParameter("Param category must be one of {AUTHENTICATION}.");
  const inputs = wanted.map((one) => ({ ...input, language: one, components: readCodeComponents(body["components"], one) }));
  const known = inputs.map((one) => context.templates.find(account.wabaId, one.name, one.language));
  for (const [at, one] of inputs.entries()) if (known[at] === undefined) checkName(context, account, one);
  const data: { id: string; status: string; language: string }[] = [];
  for (const [at, one] of inputs.entries()) {
    context.limits.countCreation(account, context.options.now());
    const made = newTemplate(account.wabaId, context.options.now(), { ...one, status: "APPROVED" });
    const record = { ...made, id: known[at]?.id ?? made.id };
    await context.templates.save(record);
    await tellStatus(context, record, "APPROVED");
    data.push({ id: record.id, status: record.status, language: record.language });
  }
  return { json: { data } };
}

const maxIds = 100;

/** `POST /{waba id}/message_templates/archive`: an archived template is deleted 28 days later. */
export const archiveTemplates = (context: SandboxContext, request: SandboxRequest, account: SandboxAccount): Promise<Answer> =>
  change(context, request, account, "archived_templates", async (record) => {
    if (record.archived !== null) return "Template is already archived";
    const now = context.options.now();
    const archived: TemplateRecord = { ...record, status: "ARCHIVED", archived: archivedFrom(record, now), updatedAt: now };
    await context.templates.save(archived);
    await tellStatus(context, archived, "ARCHIVED");
    await foresee(context, archived);
    return null;
  });

/** `POST /{waba id}/message_templates/unarchive`: a template is again what it was before. */
export const unarchiveTemplates = (context: SandboxContext, request: SandboxRequest, account: SandboxAccount): Promise<Answer> =>
  change(context, request, account, "unarchived_templates", async (record) => {
    if (record.archived === null) return "Template is not archived";
    const now = context.options.now();
    const back = { ...record, status: record.archived.from, archived: null, updatedAt: now };
    await context.templates.save(back);
    await foresee(context, back);
    await tellStatus(context, back, "UNARCHIVED");
    return null;
  });

/** Changes each template that `hsm_ids` names, a list in one text or an array. `act` says why one cannot be changed. */
async function change(
  context: SandboxContext,
  request: SandboxRequest,
  { wabaId }: SandboxAccount,
  member: string,
  act: (record: TemplateRecord) => Promise<string | null>,
): Promise<Answer> {
  const { hsm_ids: given } = await readJson(request);
  const ids = [...new Set(JSON.stringify(given ?? "").match(/\d+/g) ?? [])].slice(0, maxIds);
  if (ids.length === 0) throw missingParameter("hsm_ids");
  const changed: string[] = [];
  const failed: Record<string, string> = {};
  for (const id of ids) {
    const record = context.templates.byId(id);
    const problem = record?.wabaId === wabaId ? await act(record) : "Template does not exist";
    if (problem === null) changed.push(id);
    else failed[id] = problem;
  }
  return { json: { [member]: changed, ...(Object.keys(failed).length > 0 && { failed_templates: failed }) } };
}
