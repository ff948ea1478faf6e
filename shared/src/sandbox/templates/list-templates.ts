import { invalidParameter, refusal } from "../errors/graph-error.ts";
import type { AccountHandler } from "../http/account-handler.ts";
import type { SandboxRequest } from "../http/answer.ts";
import { selectFields } from "../http/select-fields.ts";
import { filterTemplates } from "./filter-templates.ts";
import { defaultTemplateFields, templateFields } from "./present-template.ts";
import type { TemplateRecord } from "./record.ts";

const DEFAULT_LIMIT = 25;
const MOST = 1000;

/** `GET /{waba id}/message_templates`: newest first, 25 a page unless asked otherwise (platform facts, 4.2). */
export const listTemplates: AccountHandler = (context, request, account) => {
  const all = context.templates.ofAccount(account.wabaId).toReversed();
  const found = filterTemplates(all, request.query);
  const limit = limitOf(request.query);
  const [start, end] = rangeOf(found, request.query, limit);
  const fields = request.query.get("fields");
  return {
    json: {
      data: found
        .slice(start, end)
        .map((record) => selectFields(templateFields(record), defaultTemplateFields, fields, "WhatsAppMessageTemplate")),
      ...pagingOf(request, account.accessToken, found, { start, end, limit }),
      ...summaryOf(request.query, all.length, context.options.templateLimit),
    },
  };
};

function limitOf(query: URLSearchParams): number {
  const limit = query.get("limit") ?? String(DEFAULT_LIMIT);
  if (!/^\d{1,6}$/.test(limit) || Number(limit) === 0) throw invalidParameter("Param limit must be a positive integer.");
  return Math.min(Number(limit), MOST);
}

// A cursor is only good as long as the template that it names is in the list.
function rangeOf(found: TemplateRecord[], query: URLSearchParams, limit: number): [start: number, end: number] {
  const [after, before] = [query.get("after") ?? "", query.get("before") ?? ""];
  if (after === "" && before === "") return [0, limit];
  const at = found.findIndex((record) => cursorOf(record) === (after || before));
  if (at < 0) throw refusal(131059);
  return after === "" ? [Math.max(0, at - limit), at] : [at + 1, at + 1 + limit];
}

function pagingOf(
  request: SandboxRequest,
  token: string,
  found: TemplateRecord[],
  { start, end, limit }: { start: number; end: number; limit: number },
) {
  const [first, last] = [found[start], found.slice(start, end).at(-1)];
  if (first === undefined || last === undefined) return {};
  const cursors = { before: cursorOf(first), after: cursorOf(last) };
  return {
    paging: {
      cursors,
      ...(end < found.length ? { next: linkOf(request, token, limit, "after", cursors.after) } : {}),
      ...(start > 0 ? { previous: linkOf(request, token, limit, "before", cursors.before) } : {}),
    },
  };
}

// As on the platform, the link can be followed as it is: it carries the token.
function linkOf(request: SandboxRequest, token: string, limit: number, direction: "after" | "before", cursor: string): string {
  const query = new URLSearchParams(request.query);
  query.delete("after");
  query.delete("before");
  query.set("access_token", token);
  query.set("limit", String(limit));
  query.set(direction, cursor);
  const version = request.version === null ? "" : `/v${request.version}.0`;
  return `${request.origin}${version}${request.path}?${query.toString()}`;
}

function summaryOf(query: URLSearchParams, count: number, limit: number) {
  const wanted = (query.get("summary") ?? "").split(",").map((name) => name.trim());
  const all = { total_count: count, message_template_count: count, message_template_limit: limit };
  const summary = Object.fromEntries(Object.entries(all).filter(([name]) => wanted.includes(name)));
  return Object.keys(summary).length === 0 ? {} : { summary };
}

function cursorOf({ id }: TemplateRecord): string {
  return Buffer.from(`template:${id}`).toString("base64url");
}
