import { createHmac } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { z } from "zod";
import type { Pool } from "../db/statement.ts";
import type { Logger } from "../server/logger.ts";
import type { Accounts } from "./accounts.ts";
import type { Courier } from "./callbacks/courier.ts";
import type { SandboxOptions } from "./config.ts";
import { ControlError, badToken, invalidParameter, refusal, unknownObject } from "./graph-error.ts";
import type { RateLimits } from "./limits.ts";
import type { People } from "./people.ts";
import type { WriteMessage } from "./send/message-writer.ts";
import type { UtilityCap } from "./send/utility-cap.ts";
import type { SandboxAccount } from "./store.ts";
import type { Templates } from "./templates/store.ts";

/** Passed to every handler. Accounts, templates and people are cached in memory and written through; messages and callbacks live in the database only. */
export interface SandboxContext {
  readonly sql: Pool;
  readonly log: Logger;
  readonly options: SandboxOptions;
  readonly accounts: Accounts;
  readonly templates: Templates;
  readonly people: People;
  readonly writeMessage: WriteMessage;
  readonly courier: Courier;
  readonly limits: RateLimits;
  readonly utilityCap: UtilityCap;
  /** Recipients with `refuse_every_other` whose last message was refused. */
  readonly refusedOnce: Set<string>;
  /** Aborted when the sandbox stops, which ends hanging answers. */
  readonly stopping: AbortSignal;
}

/** A request in the form for handlers, the same in every version. */
export interface SandboxRequest {
  method: string;
  /** Without the version segment. */
  path: string;
  /** Major version of the path, null when it named none. */
  version: number | null;
  /** The named segments of the path, decoded. */
  params: Record<string, string>;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  /** Scheme and host of the request, for links. */
  origin: string;
  /** Throws a `GraphError` beyond `limit` bytes. */
  readBody(limit: number): Promise<Buffer>;
}

export type Answer =
  | { status?: number; json: unknown; headers?: Record<string, string> }
  /** An answer of the platform's edge in place of its API. */
  | { status: number; html: string }
  | "reset";

/** What the platform answers to a change. */
export const success: Answer = { json: { success: true } };

export type Handler = (context: SandboxContext, request: SandboxRequest) => Answer | Promise<Answer>;

const maxControlBytes = 64 * 1024;

/** Reads the body of one of the sandbox's own calls. Throws a `ControlError` that names every invalid member. */
export async function readControl<T>(request: SandboxRequest, schema: z.ZodType<T>): Promise<T> {
  const text = (await request.readBody(maxControlBytes)).toString("utf8");
  const result = schema.safeParse(text === "" ? {} : parseJson(text, () => new ControlError(400, "The body is not valid JSON")));
  if (result.success) return result.data;
  throw new ControlError(400, result.error.issues.map((issue) => `${issue.path.join(".") || "body"}: ${issue.message}`).join("; "));
}

export type Route = readonly [method: string, pattern: string, handler: Handler];

/** This much of a body that is too large is read and dropped, so that its sender sees the refusal. */
const maxDroppedBytes = 16 * 1024 * 1024;

/** Reads the whole body. Throws a `GraphError` beyond `limit` bytes. */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= limit) chunks.push(chunk);
    else if (size > limit + maxDroppedBytes) break;
  }
  if (size > limit) throw invalidParameter(`The request body is larger than ${limit} bytes`);
  return Buffer.concat(chunks);
}

const maxJsonBytes = 1024 * 1024;

export type JsonObject = Record<string, unknown>;

/** Reads a call's parameters: a JSON object or a form in the body, and the query. An empty body is `{}`. Throws a `GraphError` for anything else. */
export async function readJson(request: SandboxRequest): Promise<JsonObject> {
  const text = (await request.readBody(maxJsonBytes)).toString("utf8");
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(request.headers["content-type"] ?? "");
  const value = isForm ? readForm(new URLSearchParams(text)) : text.trim() === "" ? {} : parseJson(text);
  if (!isObject(value)) throw invalidParameter("The request body must be a JSON object");
  return { ...readForm(request.query), ...value };
}

/** Parameters that say who calls, or how to answer. */
const callParameters = ["access_token", "appsecret_proof", "fields", "format"];

/** A form's values are texts, but for lists and objects, which are written as JSON, and for booleans. */
function readForm(form: URLSearchParams): JsonObject {
  const entries = [...form].filter(([name]) => !callParameters.includes(name));
  return Object.fromEntries(entries.map(([name, value]) => [name, /^\s*[[{]|^(?:true|false)$/.test(value) ? parseJson(value) : value]));
}

export const isObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);

function parseJson(text: string, refuse = (): Error => invalidParameter("The request body is not valid JSON")): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refuse();
  }
}

/** Picks the members that `fields` names (`defaults` if none), and always `id`. Throws code 100 for an unknown name. */
export function selectFields(all: Record<string, unknown>, defaults: readonly string[], fields: string | null, nodeType: string) {
  const names = fields === null || fields.trim() === "" ? defaults : namesIn(fields);
  const unknown = names.find((name) => !Object.hasOwn(all, name));
  if (unknown !== undefined) throw invalidParameter(`Tried accessing nonexisting field (${unknown}) on node type (${nodeType})`);
  return Object.fromEntries([...new Set([...names, "id"])].map((name) => [name, all[name]]));
}

/** Parts of a field, as in `health_status{can_send_message}`, are ignored: the sandbox returns the whole field. */
const namesIn = (fields: string): string[] =>
  fields
    .replaceAll(/\{[^{}]*\}|\([^()]*\)/g, "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");

/** Handles a management call of the account whose token the request carries. */
export type AccountHandler = (context: SandboxContext, request: SandboxRequest, account: SandboxAccount) => Answer | Promise<Answer>;

/** A management call on the business account in the path: checks the token first, then that the account is the token's own. */
export const onBusinessAccount = (handle: AccountHandler): Handler => onOwn("wabaId", handle);

/** The same on the phone number in the path. */
export const onPhoneNumber = (handle: AccountHandler): Handler => onOwn("phoneNumberId", handle);

const onOwn = (id: "wabaId" | "phoneNumberId", handle: AccountHandler): Handler =>
  onAnyNode((context, request, account) => {
    requireNode(request, account[id]);
    return handle(context, request, account);
  });

/** A management call whose node `handle` looks up. Its answer carries the usage header. */
export function onAnyNode(handle: AccountHandler): Handler {
  return async (context, request) => {
    const account = authenticate(context, request);
    const headers = context.limits.countCall(account, context.options.now());
    const answer = await handle(context, request, account);
    return typeof answer === "object" && "json" in answer ? { ...answer, headers } : answer;
  };
}

/** The account whose token the request carries. Throws a `GraphError`: 104 without a token, 190 with a wrong one. */
export function authenticate(context: SandboxContext, request: SandboxRequest): SandboxAccount {
  const token = tokenOf(request);
  const account = context.accounts.byToken(token);
  if (account === undefined) throw badToken();
  checkProof(request, token, account.appSecret);
  return account;
}

/** Like `authenticate`, but also accepts the app's token `APP_ID|APP_SECRET`. */
export function authenticateApp(context: SandboxContext, request: SandboxRequest): SandboxAccount {
  const token = tokenOf(request);
  const [appId = "", secret] = token.split("|", 2);
  if (secret === undefined) return authenticate(context, request);
  const account = context.accounts.byApp(appId);
  if (account?.appSecret !== secret) throw badToken();
  return account;
}

/** A call on the app in the path. */
export const onApp =
  (handle: AccountHandler): Handler =>
  (context, request) => {
    const account = authenticateApp(context, request);
    requireNode(request, account.appId);
    return handle(context, request, account);
  };

export function requireNode({ params: { node = "" }, method }: SandboxRequest, own: string): void {
  if (node !== own) throw unknownObject(node, method);
}

/** The access token that the request carries. Throws a `GraphError` without one. */
export function tokenOf(request: SandboxRequest): string {
  const [scheme = "", token = ""] = (request.headers.authorization ?? "").trim().split(/\s+/, 2);
  // Upload calls use the scheme "OAuth" instead of "Bearer".
  const found = /^(bearer|oauth)$/i.test(scheme) ? token : request.query.get("access_token");
  if (found === null || found === "") throw refusal(104);
  return found;
}

/** Checks the proof, which is optional, but must be right. */
function checkProof(request: SandboxRequest, token: string, appSecret: string): void {
  const proof = request.query.get("appsecret_proof");
  if (proof !== null && proof !== createHmac("sha256", appSecret).update(token).digest("hex"))
    throw invalidParameter("Invalid appsecret_proof provided in the API argument");
}
