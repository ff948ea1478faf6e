import type { TemplateComponent, TemplateRecord } from "./record.ts";

/** What the platform answers when `fields` names nothing: no reasons and no quality. */
export const defaultTemplateFields = ["name", "parameter_format", "components", "language", "status", "category", "id"];

/** Every field of a template as the platform names it; undefined ones are left out. */
export function templateFields(record: TemplateRecord): Record<string, unknown> {
  return {
    id: record.id,
    name: record.name,
    language: record.language,
    status: record.status,
    category: record.category,
    parameter_format: record.parameterFormat,
    components: record.components.map((component) => presentComponent(component, record.id)),
    rejected_reason: record.rejectedReason,
    quality_score: record.quality,
    previous_category: record.previousCategory ?? undefined,
    correct_category: undefined,
    sub_category: undefined,
    last_updated_time: new Date(record.updatedAt).toISOString().replace(/\.\d+Z$/, "+0000"),
    message_send_ttl_seconds: record.ttlSeconds ?? undefined,
  };
}

// A media example is handed in as an upload's handle and comes back as an address.
function presentComponent(component: TemplateComponent, id: string): unknown {
  if (component.type !== "HEADER" || component.format === "TEXT" || component.format === "LOCATION") return component;
  return { ...component, example: { header_handle: [`https://scontent.whatsapp.net/v/t61.29466-34/${id}`] } };
}
