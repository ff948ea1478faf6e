import type { JsonValue } from "shared/core/json";
import { type FullAccount, fullAccount } from "../../support/admin-shops.ts";
import { openAdmin, type OpenAdmin } from "../../support/admin.ts";
import { type AdminCall, isQuery, printInput } from "../../support/arbitrary/admin-call.ts";
import { masterKey } from "../../support/gateway.ts";
import { controlToken, openSandbox } from "../../support/sandbox.ts";
import { type ServedApart, serveApart } from "./world.ts";

/** Makes the calls side by side and judges each answer; nothing of the other account may show. */
export function createAdminFuzz(world: AdminWorld) {
  return async (group: readonly AdminCall[]): Promise<string[]> => {
    const caller = await world.caller();
    const results = await Promise.all(group.map(async (wanted) => callOne(world, caller, wanted)));
    return results.flat();
  };
}

async function callOne({ server, theirs }: AdminWorld, caller: Caller, wanted: AdminCall): Promise<string[]> {
  const { path, init, asked } = toRequest(caller, theirs, wanted);
  const response = await fetch(server.url + path, init).catch((error: unknown) =>
    String(error instanceof Error ? (error.cause ?? error) : error),
  );
  if (typeof response === "string") return [`${init.method} ${path.slice(0, 200)} broke: ${response}`];
  const text = await response.text();
  const shown = marksOf(theirs).filter((mark) => text.includes(mark) && !asked.includes(mark));
  const problems = [...adminProblems(response, text, callsIn(wanted, path)), ...shown.map((mark) => `another account's ${mark} shows`)];
  return problems.map((problem) => `${problem}: ${init.method} ${path.slice(0, 300)} ${asked.slice(0, 700)} -> ${text.slice(0, 300)}`);
}

function callsIn({ headers }: AdminCall, path: string): number | null | "stream" {
  if (headers["trpc-accept"] !== undefined) return "stream";
  return path.includes("batch=1") ? (path.split("?")[0] ?? "").split(",").length : null;
}

interface Asked {
  path: string;
  init: RequestInit & { method: string };
  /** Everything that the request itself holds. */
  asked: string;
}

function toRequest({ account, token }: Caller, theirs: FullAccount, wanted: AdminCall): Asked {
  const { calls, batch, contentType, headers, instead, suffix } = wanted;
  const inputs = calls.map(({ path, input }) => printInput(resolve(input, path, account, theirs)));
  const text = instead?.toString("utf8") ?? (batch ? `{${inputs.map((input, i) => `"${i}":${input}`).join()}}` : (inputs[0] ?? ""));
  const asksOnly = calls.every(({ path }) => isQuery(path));
  const method = wanted.method === "right" ? (asksOnly && text.length < 6_000 ? "GET" : "POST") : wanted.method;
  const inAddress = method === "GET" || method === "OPTIONS";
  const query = [...(batch ? ["batch=1"] : []), ...(inAddress ? [`input=${encodeURIComponent(text).slice(0, 100_000)}`] : [])];
  const path = `/trpc/${calls.map((call) => call.path).join()}${suffix}${suffix.includes("?") ? "&" : "?"}${query.join("&")}`;
  const init = {
    method,
    headers: {
      ...(contentType === null || inAddress ? {} : { "content-type": contentType }),
      ...callerHeaders(wanted.caller, token),
      ...headers,
    },
    ...(!inAddress && { body: instead === null ? text : new Uint8Array(instead) }),
  };
  return { path, init, asked: decodeURIComponent(encodeURIComponent(text)) };
}

const callerHeaders = (caller: AdminCall["caller"], token: string): Record<string, string> =>
  ({
    owner: { authorization: `Bearer ${token}` },
    nobody: {},
    somebody: { authorization: `Bearer ${"x".repeat(40)}` },
    "cookie from elsewhere": { cookie: `tidings_session=${token}`, origin: "https://evil.example" },
  })[caller] as Record<string, string>;

/** Puts the run's ids in place of their marks. */
function resolve(value: JsonValue | undefined, path: string, own: FullAccount, theirs: FullAccount): JsonValue | undefined {
  if (typeof value === "string") return idFor(value, path, own, theirs);
  // Values that are nested deeper hold no marks.
  if (Array.isArray(value))
    return value.length === 1 && Array.isArray(value[0]) ? value : value.map((item) => resolve(item, path, own, theirs) ?? null);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, resolve(member, path, own, theirs) ?? null]));
}

const idNames: Record<string, string> = {
  sites: "siteId",
  recipients: "recipientId",
  templates: "templateId",
  bindings: "bindingId",
  events: "eventId",
  notifications: "notificationId",
  tokens: "tokenId",
};

function idFor(text: string, path: string, own: FullAccount, theirs: FullAccount): string {
  const [, whose, member = ""] = /^@(own|their) (.*)$/.exec(text) ?? [];
  if (whose === undefined) return text;
  const account = (whose === "own" ? own : theirs) as unknown as Record<string, unknown>;
  const id = account[member === "id" ? (idNames[path.split(".")[0] ?? ""] ?? "") : member];
  return typeof id === "string" ? id : (whose === "own" ? own : theirs).member.user.id;
}

const marksOf = ({
  label,
  account,
  siteId,
  recipientId,
  templateId,
  bindingId,
  eventId,
  notificationId,
  tokenId,
}: FullAccount): string[] => [label, account.id, siteId, recipientId, templateId, bindingId, eventId, notificationId, tokenId];

/** The status of every code with which the admin API may refuse. No caller can cause the missing ones (500, 502, 503). */
const statuses: Record<string, number> = {
  BAD_REQUEST: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_SUPPORTED: 405,
  CONFLICT: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  TOO_MANY_REQUESTS: 429,
};

/** The problems of an answer of the admin API, whatever was asked. `calls`: those of a batch; null: a call alone; `stream`: answered line by line. */
function adminProblems(response: Response, text: string, calls: number | null | "stream"): string[] {
  const { status, headers } = response;
  const problems: string[] = [];
  if (headers.get("content-security-policy")?.includes("script-src 'self'") !== true)
    problems.push(`${status} without a content security policy`);
  if (headers.get("x-content-type-options") !== "nosniff") problems.push(`${status} without nosniff`);
  if (headers.get("x-frame-options") !== "DENY") problems.push(`${status} that may be framed`);
  if (status >= 500) return [...problems, `${status} ${text.slice(0, 300)}`];
  if (calls === "stream" || headers.get("content-type")?.startsWith("application/json") !== true) return problems;
  return [...problems, ...bodyProblems(status, text, calls)];
}

function bodyProblems(status: number, text: string, calls: number | null): string[] {
  const json = parse(text);
  if (json === undefined) return [`${status} that is no JSON`];
  // A head that is too long is refused before anybody reads what it asks for.
  if (status === 414 || status === 431)
    return typeof (json as { error?: unknown }).error === "string" ? [] : [`${status} without a reason`];
  if (!Array.isArray(json)) return partProblems(json, status);
  if (calls === null || json.length !== calls) return [`${json.length} answers to ${calls ?? 1} calls`];
  return json.flatMap((part) => partProblems(part, null));
}

/** `status` is null within a batch, which has one of its own. */
function partProblems(part: unknown, status: number | null): string[] {
  const { result, error } = part as {
    result?: { data?: unknown };
    error?: { message?: unknown; code?: unknown; data?: Record<string, unknown> };
  };
  if (error === undefined)
    return result !== undefined && (status === null || status === 200) ? [] : [`${status} that is neither a result nor an error`];
  const { code, httpStatus, stack } = error.data ?? {};
  return [
    ...(typeof error.message === "string" && error.message !== "" ? [] : ["an error without a message"]),
    ...(stack === undefined ? [] : ["a stack in an answer"]),
    ...(statuses[String(code)] === httpStatus ? [] : [`a code that is not documented: ${String(code)} ${String(httpStatus)}`]),
    ...(status === null || status === httpStatus ? [] : [`${status} with ${String(code)}`]),
  ];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An admin server to fuzz, an account that nobody may reach, and another to call from. */
interface AdminWorld extends AsyncDisposable {
  admin: OpenAdmin;
  /** The tested server, over the same database. */
  server: ServedApart;
  theirs: FullAccount;
  /** The account to call from, and its owner's token; a new one once the former has lost its site, template or token. */
  caller(): Promise<Caller>;
}

type Caller = { account: FullAccount; token: string };

export async function openAdminWorld(): Promise<AdminWorld> {
  const sandbox = await openSandbox();
  const config = { isSandbox: true, sandboxControlToken: controlToken, platformUrl: sandbox.url, masterKey };
  const admin = await openAdmin(config, { alertingTimes: {} });
  const server = await serveApart({
    server: "admin",
    masterKey: masterKey.toString("base64"),
    config: {
      host: "127.0.0.1",
      port: 0,
      databaseUrl: admin.databaseUrl,
      platformUrl: sandbox.url,
      isSandbox: true,
      sandboxControlToken: controlToken,
      publicGatewayUrl: "https://gateway.example",
      publicAdminUrl: "http://admin.example",
      trustProxy: true,
      firstOwner: null,
      allowPrivate: null,
      pagerDutyUrl: "https://events.pagerduty.com/v2/enqueue",
      allowSignUp: true,
      allowedHosts: [],
      setupCode: null,
      oidc: null,
      mail: null,
      logLevel: "error",
    },
  });
  const theirs = await fullAccount(admin, "theirsxq");
  let made = 0;
  let current: Caller | null = null;
  return {
    admin,
    server,
    theirs,
    caller: async () => {
      if (current === null || !(await isWhole(admin, current))) current = await open(admin, `own${(made += 1)}`);
      return current;
    },
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await admin[Symbol.asyncDispose]();
      await sandbox[Symbol.asyncDispose]();
    },
  };
}

/** An access token outlives the sessions that the fuzzer ends. */
async function open(admin: OpenAdmin, label: string): Promise<Caller> {
  const account = await fullAccount(admin, label);
  await account.client.settings.connectSandbox.mutate();
  const { token } = await account.client.tokens.create.mutate({ name: "fuzzer", role: "owner" });
  return { account, token };
}

async function isWhole(admin: OpenAdmin, { account, token }: Caller): Promise<boolean> {
  const me = await admin.call("auth.me", {}, { authorization: `Bearer ${token}` });
  await me.arrayBuffer();
  const { siteId, templateId, bindingId } = account;
  const [row] = await admin.sql<{ whole: boolean }[]>`
    select exists (select from site where id = ${siteId}) and exists (select from template where id = ${templateId})
      and exists (select from binding where id = ${bindingId}) as whole`;
  return me.status === 200 && row?.whole === true;
}
