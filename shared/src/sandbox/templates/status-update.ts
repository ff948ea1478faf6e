import { withdrawCallbacks } from "../../db/tables/sandbox/callback.ts";
import { queueUpdate } from "../callbacks/queue-update.ts";
import type { SandboxContext } from "../context.ts";
import type { TemplateRecord } from "./record.ts";
import { afterReview } from "./review.ts";

/** What an update may tell beside the event. */
export interface StatusDetails {
  reason?: string | null | undefined;
  otherInfo?: { title: string; description: string } | undefined;
  disableDate?: number | undefined;
  dueAt?: number | undefined;
}

/** Has the callback told that a template's status changed (platform facts, 5.7). */
export async function tellStatus(
  context: SandboxContext,
  record: TemplateRecord,
  event: string,
  details: StatusDetails = {},
): Promise<void> {
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
  await queueUpdate(context, {
    wabaId: record.wabaId,
    subject: record.id,
    field: "message_template_status_update",
    kind: event,
    value,
    dueAt,
  });
}

/** Puts a template into review and has the outcome told when it is over. */
export async function tellReview(context: SandboxContext, record: TemplateRecord): Promise<void> {
  const { review } = record;
  await withdrawCallbacks(context.sql, record.id);
  if (review === null) return;
  const reviewed = afterReview(record, review);
  await tellStatus(context, reviewed, review.status, { reason: review.rejectedReason, dueAt: review.at });
  if (review.category !== record.category) {
    const value = { ...templateReference(record), previous_category: record.category, new_category: review.category };
    const update = { wabaId: record.wabaId, subject: record.id, field: "template_category_update", kind: review.category };
    await queueUpdate(context, { ...update, value, dueAt: review.at });
  }
}

/** How updates name a template. The id is an integer here, a string everywhere else. */
export function templateReference({ id, name, language }: TemplateRecord) {
  return { message_template_id: Number(id), message_template_name: name, message_template_language: language };
}

const rejectionInfo = {
  reason: "The template's format is not valid.",
  recommendation: "Put text between variables and around them, and say which format the parameters have.",
};
