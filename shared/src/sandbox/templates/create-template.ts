import { randomId } from "../accounts/random-id.ts";
import type { SandboxContext } from "../context.ts";
import type { AccountHandler } from "../http/account-handler.ts";
import { readJson } from "../http/read-json.ts";
import { type CreateInput, readCreateInput } from "./create-input.ts";
import { checkName } from "./name-rules.ts";
import type { TemplateRecord } from "./record.ts";
import { planReview } from "./review.ts";
import { tellReview } from "./status-update.ts";

/** `POST /{waba id}/message_templates`: the template is in review from here on. */
export const createTemplate: AccountHandler = async (context, request, account) => {
  const input = readCreateInput(await readJson(request));
  checkName(context, account, input);
  context.limits.countCreation(account, context.options.now());
  const record = newRecord(context, account.wabaId, input);
  await context.templates.save(record);
  await tellReview(context, record);
  return { json: { id: record.id, status: "PENDING", category: record.category } };
};

function newRecord({ options }: SandboxContext, wabaId: string, input: CreateInput): TemplateRecord {
  const now = options.now();
  const record: TemplateRecord = {
    ...input,
    id: randomId(),
    wabaId,
    previousCategory: null,
    status: "PENDING",
    rejectedReason: "NONE",
    quality: { score: "UNKNOWN", date: Math.floor(now / 1000) },
    createdAt: now,
    updatedAt: now,
    everApproved: false,
    edits: [],
    review: null,
  };
  return { ...record, review: planReview(record, now + options.reviewAfterMs) };
}
