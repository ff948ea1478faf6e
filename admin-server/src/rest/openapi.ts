import type { TRPCError } from "@trpc/server";
import { getHTTPStatusCodeFromError } from "@trpc/server/http";
import { version } from "shared/server/process";
import { Refusal } from "../trpc/errors.ts";
import answers from "./answers.json" with { type: "json" };
import { type RestProcedure, restProcedures, type Schema, typesOf } from "./procedures.ts";

/** The codes of refusals that a call may be answered with, and when. */
const refusals: Partial<Record<TRPCError["code"], string>> = {
  BAD_REQUEST: "The input is not valid; `issues` names each member",
  UNAUTHORIZED: "There is no token, or it is unknown or has ended",
  FORBIDDEN: "The token's role or scopes, or the caller's address, do not allow it",
  NOT_FOUND: "There is no such object in the account",
  CONFLICT: "The state of the account does not allow it now",
  PAYLOAD_TOO_LARGE: "The body is too large",
  UNSUPPORTED_MEDIA_TYPE: "The body is not application/json",
  TOO_MANY_REQUESTS: "Too many calls: try again after `Retry-After` seconds",
  TIMEOUT: "It took too long: ask for less at once",
  INTERNAL_SERVER_ERROR: "Something went wrong on the server; its log says more",
  BAD_GATEWAY: "WhatsApp refused or did not answer",
  SERVICE_UNAVAILABLE: "The server or its database is busy: try again",
};

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
      responses: Object.fromEntries(Object.entries(refusals).map(([code, description]) => [code, refusal(code, description)])),
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
  return {
    operationId: path,
    tags: [tagOf(procedure)],
    summary: path.replaceAll(".", " ").replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
    description: who,
    ...(role === null && { security: [] }),
    ...(method === "GET" ? { parameters: parametersOf(input) } : { requestBody: bodyOf(input) }),
    responses: {
      "200": { description: "The answer", content: { "application/json": { schema: answer } } },
      ...Object.fromEntries(Object.keys(refusals).map((code) => [statusOf(code), { $ref: `#/components/responses/${code}` }])),
    },
  };
}

const isMadeOnce = ({ properties, oneOf = [] }: Schema): boolean => properties?.["clientId"] !== undefined || oneOf.some(isMadeOnce);

/** What the answer to a repeated create lacks, and has. */
const secrets: ReadonlySet<string> = new Set(["apiKey", "webhookSecret", "webhookSecretStandard", "secret", "token"]);
const existing = {
  const: true,
  description: "The object was made by an earlier call with this `clientId`; its secrets are not shown again",
};

const statusOf = (code: string): string =>
  String(getHTTPStatusCodeFromError(new Refusal(code as TRPCError["code"], { text: code, values: {} })));

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
    "application/json": {
      schema: { $ref: "#/components/schemas/Refusal" },
      example: { error: { code, message: description } },
    },
  },
});

const refusalSchema = {
  type: "object",
  required: ["error"],
  properties: {
    error: {
      type: "object",
      required: ["code", "message"],
      properties: {
        code: { type: "string", description: "Stable: programs match on it" },
        message: { type: "string", description: "What is wrong and what to do, in English" },
        issues: {
          type: "array",
          description: "What is wrong with each member of a refused input",
          items: {
            type: "object",
            required: ["path", "code", "message"],
            properties: {
              path: { type: "array", items: { type: ["string", "number"] } },
              code: { type: "string" },
              message: { type: "string" },
              reason: { type: "object", description: "The broken rule as data" },
              said: { type: "object", description: "The message as data" },
            },
          },
        },
      },
    },
  },
};
