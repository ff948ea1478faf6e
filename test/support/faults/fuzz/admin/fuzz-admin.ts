import type { JsonValue } from "shared/core/json";
import type { FullAccount } from "../../../admin/full-account.ts";
import { type AdminCall, isQuery, printInput } from "../../../arbitrary/admin-call.ts";
import { adminProblems } from "./admin-answers.ts";
import type { AdminWorld, Caller } from "./admin-world.ts";

/** Makes the calls side by side and judges what each is answered; nothing of the other account may show. */
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

/** Puts the run's ids in the place of their marks. */
function resolve(value: JsonValue | undefined, path: string, own: FullAccount, theirs: FullAccount): JsonValue | undefined {
  if (typeof value === "string") return idFor(value, path, own, theirs);
  // What nests deeper than that holds no marks.
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
