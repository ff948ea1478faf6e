import { queueUpdate } from "../callbacks/queue-update.ts";
import type { SandboxContext } from "../context.ts";
import { templateRefusal } from "../errors/graph-error.ts";
import type { Answer, SandboxRequest } from "../http/answer.ts";
import { type JsonObject, readJson } from "../http/read-json.ts";
import { readCategory, readParameterFormat, readTtl } from "./create-input.ts";
import type { TemplateRecord } from "./record.ts";
import { planReview } from "./review.ts";
import { checkComponents } from "./rules/component-rules.ts";
import { shapeOf } from "./shape.ts";
import { tellReview, templateReference } from "./status-update.ts";
import { readTemplateComponents } from "./template-input.ts";

const EDITABLE = ["APPROVED", "REJECTED", "PAUSED"];
const DAY_MS = 24 * 60 * 60 * 1000;

/** `POST /{template id}`: replaces all components and sends the template into review again (platform facts, 4.4). */
export async function editTemplate(context: SandboxContext, request: SandboxRequest, record: TemplateRecord): Promise<Answer> {
  const body = await readJson(request);
  const now = context.options.now();
  checkEditable(record, body, now);
  const parameterFormat = readParameterFormat(body["parameter_format"] ?? record.parameterFormat);
  const category = body["category"] === undefined ? record.category : readCategory(body["category"]);
  const components = body["components"] === undefined ? record.components : readTemplateComponents(body["components"]);
  checkComponents(components, parameterFormat);
  const edited: TemplateRecord = {
    ...record,
    parameterFormat,
    category,
    components,
    status: "PENDING",
    rejectedReason: "NONE",
    updatedAt: now,
    ttlSeconds: readTtl(body["message_send_ttl_seconds"], category) ?? record.ttlSeconds,
    edits: record.status === "APPROVED" ? [...record.edits, now] : record.edits,
  };
  const reviewed = { ...edited, review: planReview(edited, now + context.options.reviewAfterMs) };
  await context.templates.save(reviewed);
  await tellReview(context, reviewed);
  await tellComponents(context, reviewed);
  return { json: { success: true } };
}

function checkEditable({ status, category, edits }: TemplateRecord, body: JsonObject, now: number): void {
  if (!EDITABLE.includes(status)) {
    throw templateRefusal(2388039, "Template can't be edited", `A template in status ${status} can't be edited.`);
  }
  if (status !== "APPROVED") return;
  if (body["category"] !== undefined && readCategory(body["category"]) !== category) {
    throw templateRefusal(undefined, "Category can't be changed", "The category of an approved template can't be changed.");
  }
  const within = (days: number): number => edits.filter((at) => now - at < days * DAY_MS).length;
  if (within(1) >= 1 || within(30) >= 10) {
    throw templateRefusal(undefined, "Edit limit reached", "An approved template can be edited once in 24 hours and 10 times in 30 days.");
  }
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
  await queueUpdate(context, {
    wabaId: record.wabaId,
    subject: record.id,
    field: "message_template_components_update",
    kind: "EDITED",
    value,
  });
}
