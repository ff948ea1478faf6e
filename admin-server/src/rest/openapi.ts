import { apiCodes } from "shared/docs/codes";
import type { Schema } from "shared/docs/reference";
import { version } from "shared/server/process";
import answers from "./answers.json" with { type: "json" };
import madeCalls from "./examples.json" with { type: "json" };
import { type RestProcedure, restProcedures, typesOf } from "./procedures.ts";
import refusalSchema from "./refusal-schema.json" with { type: "json" };
import summaries from "./summaries.json" with { type: "json" };

/** The admin API as OpenAPI 3.1. `url`: the admin server's. */
export function adminDocument(url: string): object {
  const procedures = [...restProcedures.values()];
  return {
    openapi: "3.1.0",
    info: {
      title: "Tidings admin API",
      version,
      description:
        "Everything that the dashboard does. In a GET, each member of the input is a query parameter, objects and arrays as JSON text; the members of a query whose input is too long for an address may be posted to the same address.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url }],
    security: [{ token: [] }],
    tags: [...new Set(procedures.map(tagOf))].map((name) => ({ name })),
    paths: Object.fromEntries(
      procedures.map((procedure) => [procedure.address, { [procedure.method.toLowerCase()]: operationOf(procedure) }]),
    ),
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer", description: "An access token of `tokens.create`" } },
      responses: Object.fromEntries(apiCodes.map(([code, [, description]]) => [code, refusal(code, description)])),
      schemas: { Refusal: refusalSchema, ...answers.shared },
    },
  };
}

const tagOf = ({ path }: RestProcedure): string => path.slice(0, path.indexOf("."));

function operationOf(procedure: RestProcedure): object {
  const { path, role, scope, method, input } = procedure;
  const who = role === null ? "Open to everybody." : `Role: ${role}. Scope: ${scope ?? "only tokens without scopes"}.`;
  const { [path]: whole = { type: "object" } }: Record<string, Schema> = answers.procedures;
  const answer = isMadeOnce(input)
    ? { ...whole, required: whole.required?.filter((name) => !secrets.has(name)), properties: { ...whole.properties, existing } }
    : whole;
  const call = calls[path];
  return {
    operationId: path,
    tags: [tagOf(procedure)],
    summary: texts[path] ?? path,
    description: who,
    "x-role": role,
    ...(call && { "x-input": call.input }),
    ...(role === null && { security: [] }),
    ...(method === "GET" ? { parameters: parametersOf(input) } : { requestBody: bodyOf(input) }),
    responses: {
      "200": { description: "The answer", content: { "application/json": { schema: answer, ...(call && { example: call.answer }) } } },
      ...Object.fromEntries(procedure.refusals.map((code) => [statuses.get(code), { $ref: `#/components/responses/${code}` }])),
    },
  };
}

const statuses: ReadonlyMap<string, number> = new Map(apiCodes.map(([code, [status]]) => [code, status]));

/** Calls that were made of an installation after a month's use. */
const calls: Readonly<Record<string, { input: object; answer?: unknown }>> = madeCalls;
const texts: Readonly<Record<string, string>> = summaries;

const isMadeOnce = ({ properties, oneOf = [] }: Schema): boolean => properties?.["clientId"] !== undefined || oneOf.some(isMadeOnce);

/** What the answer to a repeated create lacks, and has. */
const secrets: ReadonlySet<string> = new Set(["apiKey", "webhookSecret", "webhookSecretStandard", "secret", "token"]);
const existing = {
  const: true,
  description: "The object was made by an earlier call with this `clientId`; its secrets are not shown again",
};

const parametersOf = ({ properties = {}, required = [] }: Schema): object[] =>
  Object.entries(properties).map(([name, schema]) => {
    const isText = [...typesOf(schema)].some((type) => type !== "object" && type !== "array");
    const as = isText ? { schema } : { content: { "application/json": { schema } } };
    return { name, in: "query", required: required.includes(name), ...as };
  });

const bodyOf = (schema: Schema): object => ({
  required: (schema.required ?? []).length > 0 || schema.anyOf !== undefined || schema.oneOf !== undefined,
  content: { "application/json": { schema } },
});

const refusal = (code: string, description: string): object => ({
  description,
  ...(code === "TOO_MANY_REQUESTS" && { headers: { "Retry-After": { schema: { type: "integer" }, description: "Seconds" } } }),
  content: {
    "application/json": { schema: { $ref: "#/components/schemas/Refusal" }, example: { error: { code, message: description } } },
  },
});
