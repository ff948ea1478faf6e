import { z } from "zod";
import { queueUpdate, type Update } from "../callbacks/queue.ts";
import { ControlError, templateRefusal, unknownObject } from "../graph-error.ts";
import { type Answer, type SandboxContext, type SandboxRequest, readControl, success } from "../http.ts";
import { endHold } from "../send/hold.ts";
import { type SandboxAccount, withdrawReview } from "../store.ts";
import {
  afterAnnounced,
  type Announced,
  type TemplateCategory,
  defaultTemplateFields,
  templateFields,
  templateCategories,
  templateStates,
  type TemplateRecord,
  type TemplateState,
  afterReview,
} from "./store.ts";

const change = z
  .strictObject({
    status: z.enum(templateStates),
    reason: z.string().min(1),
    quality: z.enum(["GREEN", "YELLOW", "RED", "UNKNOWN"]),
    category: z.enum(templateCategories),
    /** Announces a category, which comes a day later; null takes it back. */
    announceCategory: z.enum(templateCategories).nullable(),
    /** Whether its messages are held for quality assessment. */
    hold: z.boolean(),
    syncing: z.boolean(),
  })
  .partial();

type Change = z.infer<typeof change>;

/** `PATCH /_sandbox/templates/{id}`: changes that the platform makes by itself, such as a pause for bad quality, with their callbacks. */
export async function changeTemplate(context: SandboxContext, request: SandboxRequest): Promise<Answer> {
  const { id = "" } = request.params;
  const wishes = await readControl(request, change);
  const record = context.templates.byId(id);
  if (record === undefined) throw new ControlError(404, `No template ${id}: create it through the account's message_templates`);
  const now = context.options.now();
  const changed = apply(record, wishes, now);
  await context.templates.save(changed);
  await tell(context, record, changed, wishes);
  if (changed.announced !== null && changed.announced !== record.announced) await announce(context, changed, changed.announced);
  await foresee(context, changed);
  if (changed.heldUntil === null && isHeld(record, now))
    await endHold(context, record, changed.status === "PAUSED" ? "failed" : "released");
  const fields = templateFields(changed);
  return { json: Object.fromEntries(shownFields.map((name) => [name, fields[name]])) };
}

const shownFields = [...defaultTemplateFields, "rejected_reason", "quality_score", "correct_category"];

/** A hold ends by itself after an hour, in which the platform decides. */
const holdMs = 60 * 60 * 1000;

const isHeld = ({ heldUntil }: TemplateRecord, now: number): boolean => heldUntil !== null && heldUntil > now;

function apply(record: TemplateRecord, { status, reason, quality, category, announceCategory, hold, syncing }: Change, now: number) {
  const moved = status !== undefined && status !== record.status;
  const announced =
    announceCategory === undefined ? (category === undefined ? record.announced : null) : announcedFor(announceCategory, now);
  const held = hold === undefined || (hold && isHeld(record, now)) ? record.heldUntil : hold ? now + holdMs : null;
  return {
    ...record,
    status: status ?? record.status,
    rejectedReason: status === "REJECTED" ? (reason ?? "INVALID_FORMAT") : status === undefined ? record.rejectedReason : "NONE",
    quality: quality === undefined ? record.quality : { score: quality, date: Math.floor(now / 1000) },
    category: category ?? record.category,
    ttlSeconds: category === undefined || category === record.category ? record.ttlSeconds : null,
    correctCategory: announceCategory === undefined ? (category ?? record.correctCategory) : announceCategory,
    announced,
    heldUntil: status === "PAUSED" ? null : held,
    isSyncing: syncing ?? record.isSyncing,
    archived: status === undefined ? record.archived : status === "ARCHIVED" ? archivedFrom(record, now) : null,
    previousCategory: category === undefined || category === record.category ? record.previousCategory : record.category,
    everApproved: record.everApproved || status === "APPROVED",
    updatedAt: now,
    // The given status replaces the outcome of a review.
    review: moved ? null : record.review,
  };
}

const keptArchivedMs = 28 * 24 * 60 * 60 * 1000;

export const archivedFrom = ({ status, archived }: TemplateRecord, now: number): TemplateRecord["archived"] =>
  archived ?? { from: status, deleteAt: now + keptArchivedMs };

/** A day after its notice; templates of one-time codes on the first of the next month. */
function announcedFor(category: TemplateCategory | null, now: number): Announced | null {
  if (category === null) return null;
  const today = new Date(now);
  const at = category === "AUTHENTICATION" ? Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + 1) : now + 24 * 60 * 60 * 1000;
  return { category, at };
}

const announce = (context: SandboxContext, record: TemplateRecord, { category, at }: Announced): Promise<void> => {
  const notice = { new_category: record.category, correct_category: category, category_update_timestamp: Math.floor(at / 1000) };
  return tellOf(context, record, { field: "template_category_update", kind: category, value: { ...categoryReference(record), ...notice } });
};

/** Queues a callback about the template. */
export const tellOf = (context: SandboxContext, { wabaId, id: subject }: TemplateRecord, update: Omit<Update, "wabaId" | "subject">) =>
  queueUpdate(context, { wabaId, subject, ...update });

/** Queues the callback of a change of category: `record` is the template before it. */
const tellCategory = (context: SandboxContext, record: TemplateRecord, category: TemplateCategory, dueAt?: number): Promise<void> => {
  const value = { ...categoryReference(record), previous_category: record.category, new_category: category };
  return tellOf(context, record, { field: "template_category_update", kind: category, value, dueAt });
};

/** Queues the reports of what is going to happen to the template, in place of those that were queued before. */
export async function foresee(context: SandboxContext, record: TemplateRecord): Promise<void> {
  const { announced, archived } = record;
  await tellReview(context, record);
  if (archived !== null) await tellStatus(context, record, "DELETED", { reason: null, dueAt: archived.deleteAt });
  if (announced === null) return;
  const dueAt = announced.at;
  const after = afterAnnounced(record, announced);
  if (after.status !== record.status) return tellStatus(context, after, after.status, { reason: after.rejectedReason, dueAt });
  await tellCategory(context, record, after.category, dueAt);
}

async function tell(context: SandboxContext, before: TemplateRecord, after: TemplateRecord, { reason }: Change): Promise<void> {
  if (after.status !== before.status) {
    const details = detailsOf(context, after.status, reason);
    const isPacing = after.status === "PAUSED" && isHeld(before, context.options.now());
    await tellStatus(context, after, after.status, isPacing ? { ...details, otherInfo: pacingPause } : details);
  }
  if (after.quality.score !== before.quality.score) {
    const value = { previous_quality_score: before.quality.score, new_quality_score: after.quality.score, ...templateReference(after) };
    await tellOf(context, after, { field: "message_template_quality_update", kind: after.quality.score, value });
  }
  if (after.category !== before.category) await tellCategory(context, before, after.category);
}

const pacingPause = { title: "RATE_LIMITING_PAUSE", description: "Paused by pacing." };

function detailsOf({ options }: SandboxContext, status: TemplateState, reason = status === "REJECTED" ? "INVALID_FORMAT" : "NONE") {
  const isOff = status === "DISABLED";
  if (!isOff && status !== "PAUSED") return { reason };
  const [title, what] = isOff ? ["DISABLED", "disabled"] : ["FIRST_PAUSE", "paused for 3 hours"];
  const otherInfo = { title, description: `The template is ${what} for low quality.` };
  return { reason, otherInfo, ...(isOff && { disableDate: Math.floor(options.now() / 1000) }) };
}

/** `POST /{template id}/unpause`. */
export async function unpauseTemplate(context: SandboxContext, request: SandboxRequest, account: SandboxAccount): Promise<Answer> {
  const { node = "" } = request.params;
  const record = context.templates.byId(node);
  if (record?.wabaId !== account.wabaId) throw unknownObject(node, request.method);
  if (record.status !== "PAUSED") throw templateRefusal("not_paused");
  const approved = { ...record, status: "APPROVED" as const, updatedAt: context.options.now() };
  await context.templates.save(approved);
  await tellStatus(context, approved, "APPROVED", { otherInfo: { title: "UNPAUSE", description: "The template was unpaused." } });
  return success;
}

interface StatusDetails {
  reason?: string | null | undefined;
  otherInfo?: { title: string; description: string } | undefined;
  disableDate?: number | undefined;
  dueAt?: number | undefined;
}

/** Queues the callback of a template's new status. */
export async function tellStatus(context: SandboxContext, record: TemplateRecord, event: string, details: StatusDetails = {}) {
  const { reason = "NONE", otherInfo, disableDate, dueAt } = details;
  const value = {
    event,
    ...templateReference(record),
    message_template_category: record.category,
    reason,
    ...(reason === "INVALID_FORMAT" ? { rejection_info: rejectionInfo } : {}),
    ...(otherInfo === undefined ? {} : { other_info: otherInfo }),
    ...(disableDate === undefined ? {} : { disable_info: { disable_date: disableDate } }),
  };
  await tellOf(context, record, { field: "message_template_status_update", kind: event, value, dueAt });
}

/** Queues the callback of the review's outcome for when the review ends. */
export async function tellReview(context: SandboxContext, record: TemplateRecord): Promise<void> {
  const { review } = record;
  await withdrawReview(context.sql, record.id, new Date(context.options.now()));
  if (review === null) return;
  const reviewed = afterReview(record, review);
  await tellStatus(context, reviewed, review.status, { reason: review.rejectedReason, dueAt: review.at });
  if (review.category !== record.category) await tellCategory(context, record, review.category, review.at);
}

/** Names the template in a callback, where its id is an integer; it is a string everywhere else. */
export const templateReference = ({ id, name, language }: TemplateRecord) => ({
  message_template_id: Number(id),
  message_template_name: name,
  message_template_language: language,
});

/** Callbacks about categories write languages with a hyphen. */
const categoryReference = (record: TemplateRecord) => ({
  ...templateReference(record),
  message_template_language: record.language.replace("_", "-"),
});

const rejectionInfo = {
  reason: "The template's format is not valid.",
  recommendation: "Put text between variables and around them, and say which format the parameters have.",
};
