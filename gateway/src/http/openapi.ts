import { eventOutcomes } from "shared/core/event";
import { eventHeaders } from "shared/core/sources/sources";
import { version } from "shared/server/process";
import { refusals } from "../refusal.ts";

/** The gateway's public API as OpenAPI 3.1. `url`: the gateway's. */
export function gatewayDocument(url: string): object {
  return {
    openapi: "3.1.0",
    info: {
      title: "Tidings gateway",
      version,
      description: "Backends and shops post events here, and the messaging platform its updates.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url }],
    tags: Object.entries({
      events: "Events of backends and shops",
      platform: "Updates of the messaging platform",
      state: "The state of the gateway",
    }).map(([name, description]) => ({ name, description })),
    paths: Object.fromEntries(Object.entries(paths).map(([path, methods]) => [`/api/public${path}`, methods])),
    components: {
      securitySchemes: { siteKey: { type: "apiKey", in: "header", name: eventHeaders.siteKey.written, description: "The site's API key" } },
      responses: Object.fromEntries(statuses.map((status) => [`Refused${status}`, refused(status)])),
      schemas: { Refusal: refusalSchema, Answer: answerSchema, DryRun: dryRunSchema, ShopAnswer: shopAnswerSchema },
    },
  };
}

const statuses = [...new Set(Object.values(refusals).map(({ status }) => status))].toSorted((a, b) => a - b);

/** Every text of a status; programs match on them. */
function refused(status: number): object {
  const rows = Object.values(refusals).filter((row) => row.status === status);
  const texts = [...new Set(rows.map(({ message }) => message))];
  const waits = rows.some(({ retryAfterSeconds }) => retryAfterSeconds !== undefined);
  return {
    description: texts.join("; "),
    ...(waits && { headers: { "Retry-After": { description: "Seconds", schema: { type: "integer" } } } }),
    ...json({ allOf: [ref("Refusal"), { properties: { error: { enum: texts } } }] }, { error: texts[0] }),
  };
}

const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` });

function json(schema: object, example?: object): object {
  return { content: { "application/json": { schema, ...(example && { example }) } } };
}

const refusalsOf = (...some: number[]): object =>
  Object.fromEntries(some.map((status) => [status, { $ref: `#/components/responses/Refused${status}` }]));

const inPath = (name: string, description: string): object => ({
  name,
  in: "path",
  required: true,
  description,
  schema: { type: "string" },
});
const header = (name: string, description: string, schema: object = {}): object => ({
  name,
  in: "header",
  required: false,
  description,
  schema: { type: "string", ...schema },
});

const { signature, timestamp, idempotencyKey, mode, prefer, standardId, standardTimestamp, standardSignature } = eventHeaders;

/** The headers of an event but those that OpenAPI names elsewhere. */
const ingestHeaders = [
  header(standardId.written, "Your own id of the event, the same in every retry"),
  header(standardTimestamp.written, "Unix seconds, renewed in every retry"),
  header(standardSignature.written, "`v1,` and the signature of Standard Webhooks, in base64"),
  header(signature.written, "In place of the three: `sha256=` and the HMAC-SHA256 of the raw body in hex"),
  header(timestamp.written, "Unix seconds, beside the older signature"),
  header(idempotencyKey.written, "The id of the event, beside the older signature"),
  header(mode.written, "`test`: a dry run", { enum: ["live", "test"] }),
  header(prefer.written, "`respond-async`: the answer comes before anything is sent"),
];

const event = { required: true, ...json({ type: "object", description: "The event's payload" }) };
const shared = [400, 404, 405, 408, 413, 415, 417, 421, 429, 431, 500, 503];

const paths = {
  "/ingest/{source}/{event}": {
    post: {
      operationId: "ingest",
      tags: ["events"],
      summary: "Post an event",
      security: [{ siteKey: [] }],
      parameters: [inPath("source", "Which of your systems posts"), inPath("event", "Such as `order.created`"), ...ingestHeaders],
      requestBody: event,
      responses: {
        200: {
          description: "The event is stored; `chat` says what became of its messages",
          ...json({ anyOf: [ref("Answer"), ref("DryRun")] }),
        },
        202: { description: "The event is stored, and its messages are sent after this answer", ...json(ref("Answer")) },
        ...refusalsOf(401, 403, 409, ...shared),
      },
    },
  },
  "/in/{token}": {
    post: {
      operationId: "inbound",
      tags: ["events"],
      summary: "Post an event as a shop does",
      description: "The signature is that of the shop's system.",
      security: [],
      parameters: [inPath("token", "The last part of the site's inbound address")],
      requestBody: event,
      responses: {
        200: { description: "The event is stored, or none of ours", ...json(ref("ShopAnswer")) },
        ...refusalsOf(401, 403, 409, ...shared),
      },
    },
  },
  "/platform/webhook/{accountId}": {
    get: {
      operationId: "handshake",
      tags: ["platform"],
      summary: "Verify the callback's address",
      security: [],
      parameters: [
        inPath("accountId", "The account"),
        ...["hub.mode", "hub.verify_token", "hub.challenge"].map((name) => ({
          name,
          in: "query",
          required: true,
          schema: { type: "string" },
        })),
      ],
      responses: {
        200: { description: "The challenge", content: { "text/plain": { schema: { type: "string" } } } },
        ...refusalsOf(403, 421, 500, 503),
      },
    },
    post: {
      operationId: "callback",
      tags: ["platform"],
      summary: "Post updates of messages and templates",
      security: [],
      parameters: [
        inPath("accountId", "The account"),
        { ...header("X-Hub-Signature-256", "`sha256=` and the HMAC-SHA256 of the raw body, by the app's secret"), required: true },
      ],
      requestBody: { required: true, ...json({ type: "object" }) },
      responses: {
        200: { description: "The updates are stored", ...json(object({ ok: { const: true } })) },
        ...refusalsOf(400, 401, 408, 413, 421, 431, 500, 503),
      },
    },
  },
  "/health": {
    get: state("health", "Whether the process lives", {
      status: { enum: ["ok", "degraded"] },
      version: { type: "string" },
      uptimeSeconds: { type: "integer" },
      database: { type: "string" },
      stopping: { type: "boolean" },
    }),
  },
  "/ready": { get: state("ready", "Whether events are taken", { status: { const: "ready" } }) },
};

function state(operationId: string, summary: string, members: Record<string, object>): object {
  const responses = { 200: { description: summary, ...json(object(members)) }, ...refusalsOf(405, 503) };
  return { operationId, tags: ["state"], summary, security: [], responses };
}

function object(properties: Record<string, object>, optional: string[] = []): object {
  return { type: "object", required: Object.keys(properties).filter((name) => !optional.includes(name)), properties };
}

const refusalSchema = object({ error: { type: "string", description: "Stable: programs match on it" } });
const count = { type: "integer", minimum: 0 };
const id = { type: "string", format: "uuid" };

const answerSchema = object(
  {
    ok: { const: true },
    event: { type: "string" },
    event_id: id,
    order_id: { type: ["string", "null"], format: "uuid" },
    chat: { enum: [...eventOutcomes], description: "What became of the messages" },
    bindings_run: count,
    recipients_sent: count,
    recipients_failed: count,
    recipients_scheduled: count,
  },
  ["recipients_scheduled"],
);

const texts = { type: "array", items: { type: "string" } };
const dryRunSchema = object({
  ok: { const: true },
  event: { type: "string" },
  event_id: id,
  chat: { enum: [...eventOutcomes] },
  bindings_run: count,
  dry_run: { const: true },
  previews: {
    type: "array",
    items: object(
      {
        binding_id: id,
        template: { type: "string" },
        language: { type: "string" },
        recipients: texts,
        slots: object({ header: texts, body: texts, buttonUrl: texts }),
        resolved: { type: "boolean" },
        due_at: { type: "string", format: "date-time" },
      },
      ["due_at"],
    ),
  },
});

const shopAnswerSchema = object(
  {
    ok: { const: true },
    event_id: id,
    event: { type: ["string", "null"] },
    chat: { enum: [...eventOutcomes, "ignored"] },
    ping: { type: "boolean", description: "True for a shop's try of the address" },
  },
  ["event_id", "event", "chat", "ping"],
);
