import { z } from "zod";
import { withdrawCallbacks } from "../../db/tables/sandbox/callback.ts";
import { queueUpdate } from "../callbacks/queue-update.ts";
import type { SandboxContext } from "../context.ts";
import type { Handler } from "../http/answer.ts";
import { ControlError, readControl } from "../http/control.ts";
import { defaultTemplateFields, templateFields } from "./present-template.ts";
import { templateCategories, templateStates, type TemplateRecord, type TemplateState } from "./record.ts";
import { type StatusDetails, tellStatus, templateReference } from "./status-update.ts";

const change = z
  .strictObject({
    status: z.enum(templateStates),
    reason: z.string().min(1),
    quality: z.enum(["GREEN", "YELLOW", "RED", "UNKNOWN"]),
    category: z.enum(templateCategories),
  })
  .partial();

type Change = z.infer<typeof change>;

/** `PATCH /_sandbox/templates/{id}`: what on the platform happens by itself, such as pauses for bad quality, with the callbacks that tell it. */
export const changeTemplate: Handler = async (context, request) => {
  const { id = "" } = request.params;
  const wishes = await readControl(request, change);
  const record = context.templates.byId(id);
  if (record === undefined) throw new ControlError(404, `No template ${id}: create it through the account's message_templates`);
  const changed = apply(record, wishes, context.options.now());
  await context.templates.save(changed);
  if (changed.review === null) await withdrawCallbacks(context.sql, id);
  await tell(context, record, changed, wishes);
  const fields = templateFields(changed);
  return { json: Object.fromEntries([...defaultTemplateFields, "rejected_reason", "quality_score"].map((name) => [name, fields[name]])) };
};

function apply(record: TemplateRecord, { status, reason, quality, category }: Change, now: number): TemplateRecord {
  const moved = status !== undefined && status !== record.status;
  return {
    ...record,
    status: status ?? record.status,
    rejectedReason: status === "REJECTED" ? (reason ?? "INVALID_FORMAT") : status === undefined ? record.rejectedReason : "NONE",
    quality: quality === undefined ? record.quality : { score: quality, date: Math.floor(now / 1000) },
    category: category ?? record.category,
    previousCategory: category === undefined || category === record.category ? record.previousCategory : record.category,
    everApproved: record.everApproved || status === "APPROVED",
    updatedAt: now,
    // Whatever the review would have found, this is what it found.
    review: moved ? null : record.review,
  };
}

async function tell(context: SandboxContext, before: TemplateRecord, after: TemplateRecord, { reason }: Change): Promise<void> {
  const about = templateReference(after);
  const update = { wabaId: after.wabaId, subject: after.id };
  if (after.status !== before.status) await tellStatus(context, after, after.status, detailsOf(context, after.status, reason));
  if (after.quality.score !== before.quality.score) {
    const value = { previous_quality_score: before.quality.score, new_quality_score: after.quality.score, ...about };
    await queueUpdate(context, { ...update, field: "message_template_quality_update", kind: after.quality.score, value });
  }
  if (after.category !== before.category) {
    const value = { ...about, previous_category: before.category, new_category: after.category };
    await queueUpdate(context, { ...update, field: "template_category_update", kind: after.category, value });
  }
}

function detailsOf({ options }: SandboxContext, status: TemplateState, reason: string | undefined): StatusDetails {
  switch (status) {
    case "REJECTED":
      return { reason: reason ?? "INVALID_FORMAT" };
    case "PAUSED":
      return {
        reason: reason ?? "NONE",
        otherInfo: { title: "FIRST_PAUSE", description: "The template is paused for 3 hours for low quality." },
      };
    case "DISABLED":
      return {
        reason: reason ?? "NONE",
        disableDate: Math.floor(options.now() / 1000),
        otherInfo: { title: "DISABLED", description: "The template is disabled for low quality." },
      };
    case "APPROVED":
    case "PENDING":
    case "IN_APPEAL":
    case "FLAGGED":
    case "ARCHIVED":
      return { reason: reason ?? "NONE" };
  }
}
