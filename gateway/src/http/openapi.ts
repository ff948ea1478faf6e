import { eventOutcomes } from "shared/core/event";
import { version } from "shared/server/process";
import { refusals } from "../refusal.ts";
import document from "./openapi.json" with { type: "json" };

/** The gateway's public API as OpenAPI 3.1. `url`: the gateway's. */
export function gatewayDocument(url: string): object {
  const outcome = { enum: [...eventOutcomes], description: "What became of the messages" };
  return {
    ...document,
    info: { ...document.info, version },
    servers: [{ url }],
    components: {
      ...document.components,
      responses: Object.fromEntries(Array.from(statuses, (status) => [`Refused${status}`, refused(status)])),
      schemas: { ...document.components.schemas, Outcome: outcome },
    },
  };
}

const statuses = new Set(Object.values(refusals).map(({ status }) => status));

/** Every text of a status; programs match on them. */
function refused(status: number): object {
  const rows = Object.values(refusals).filter((row) => row.status === status);
  const texts = [...new Set(rows.map(({ message }) => message))];
  const waits = rows.some(({ retryAfterSeconds }) => retryAfterSeconds !== undefined);
  const schema = { allOf: [{ $ref: "#/components/schemas/Refusal" }, { properties: { error: { enum: texts } } }] };
  return {
    description: texts.join("; "),
    ...(waits && { headers: { "Retry-After": { description: "Seconds", schema: { type: "integer" } } } }),
    content: { "application/json": { schema, example: { error: texts[0] } } },
  };
}
