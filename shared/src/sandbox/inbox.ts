import { type Sql, inTransaction } from "../db/statement.ts";
import { ControlError } from "./graph-error.ts";
import type { Answer, Route, SandboxContext, SandboxRequest } from "./http.ts";
import { numberOf } from "./people-calls.ts";
import type { MessageContent } from "./send/content.ts";
import { atOtherTime, statusCallback } from "./send/status-item.ts";
import {
  deleteSandboxMessages,
  findSandboxMessage,
  listSandboxMessages,
  type MessageFilter,
  withdrawCallbacks,
  insertCallbacks,
  type ListedMessage,
  type SandboxMessageRow,
  updateSandboxMessage,
} from "./store.ts";

/** The phone: messages as their recipients see them, and how they open them. */
export const inboxRoutes: Route[] = [
  ["GET", "/_sandbox/messages", listMessages],
  [
    "DELETE",
    "/_sandbox/messages",
    async (context, { query }) => ({ json: { deleted: await deleteSandboxMessages(context.sql, filterOf(context, query)) } }),
  ],
  ["GET", "/_sandbox/messages/:id", showMessage],
  ["POST", "/_sandbox/messages/:id/read", markRead],
];

async function listMessages(context: SandboxContext, { query }: SandboxRequest): Promise<Answer> {
  const filter = { ...filterOf(context, query), unreached: query.get("unreached") === "1", limit: limitOf(query) };
  const rows = await listSandboxMessages(context.sql, filter);
  return { json: rows.map((row) => presentListed(row, context.options.now())) };
}

async function showMessage(context: SandboxContext, { params }: SandboxRequest): Promise<Answer> {
  const filter = { recipient: null, phoneNumberId: null, id: params["id"] ?? "", unreached: true, limit: 1 };
  const [row] = await listSandboxMessages(context.sql, filter);
  if (row === undefined) throw new ControlError(404, `No message ${params["id"] ?? ""}`);
  return { json: presentListed(row, context.options.now()) };
}

const presentListed = ({ seq, ...row }: ListedMessage, now: number) => ({ ...presentMessage(row, now), seq });

function filterOf({ accounts }: SandboxContext, query: URLSearchParams): MessageFilter {
  const to = query.get("to") ?? "";
  return {
    // A plus sign in a query is decoded as a space.
    recipient: to === "" ? null : to.replaceAll(/\D/g, ""),
    phoneNumberId: numberOf(accounts, { phoneNumberId: query.get("phoneNumberId"), owner: query.get("owner") }),
    id: query.get("id"),
    before: seqOf(query.get("before")),
  };
}

function seqOf(text: string | null): string | null {
  if (text !== null && !/^\d{1,16}$/u.test(text)) throw new ControlError(400, "before must be the seq of a message");
  return text;
}

const maxListed = 10_000;

function limitOf(query: URLSearchParams): number {
  const limit = Number(query.get("limit") ?? maxListed);
  if (!Number.isInteger(limit) || limit < 1 || limit > maxListed)
    throw new ControlError(400, `limit must be a whole number from 1 to ${maxListed}`);
  return limit;
}

/** `POST /_sandbox/messages/{id}/read`: the recipient opens the message now. Pending statuses are reported now too. */
async function markRead(context: SandboxContext, request: SandboxRequest): Promise<Answer> {
  const { id = "" } = request.params;
  const now = context.options.now();
  const row = await inTransaction(context.sql, (sql) => readNow(sql, id, new Date(now)));
  if (row === undefined) throw new ControlError(404, `No message ${id}`);
  context.courier.expect(row.waba_id, now);
  return { json: presentMessage(row, now) };
}

async function readNow(sql: Sql, id: string, now: Date): Promise<SandboxMessageRow | undefined> {
  const row = await findSandboxMessage(sql, id, true);
  if (row === undefined || (row.read_at !== null && row.read_at <= now)) return row;
  if (row.failed_at !== null && row.delivered_at === null) throw new ControlError(409, "This message never reached the phone");
  const before = (at: Date | null): Date => (at !== null && at < now ? at : now);
  const read = { ...row, sent_at: before(row.sent_at), delivered_at: before(row.delivered_at), read_at: now };
  await updateSandboxMessage(sql, read);
  // A callback that is due may be under way; moving it would deliver it twice.
  const untold = (await withdrawCallbacks(sql, id, now)).filter(({ kind }) => kind !== "read");
  const nowInSeconds = Math.floor(now.getTime() / 1000);
  const hastened = untold.map((callback) => atOtherTime(callback, now, (foreseen) => Math.min(foreseen, nowInSeconds)));
  const subject = { ...(JSON.parse(row.content) as MessageContent), id };
  const told = statusCallback(row.waba_id, subject, { status: "read", at: now.getTime(), dueAt: now.getTime() }, { now });
  await insertCallbacks(sql, [...hastened, told]);
  return read;
}

/** A message in the inbox's form. */
function presentMessage(row: SandboxMessageRow, now: number) {
  const content = JSON.parse(row.content) as MessageContent;
  const { template, language, category, components, text, header, body, footer, buttons, reference } = content;
  const past = (at: Date | null): string | undefined => (at !== null && at.getTime() <= now ? at.toISOString() : undefined);
  return {
    id: row.id,
    to: /^\d/.test(row.recipient) ? `+${row.recipient}` : row.recipient,
    template,
    language,
    components,
    text,
    at: row.at.toISOString(),
    status: statusOf(row, now),
    sentAt: past(row.sent_at),
    deliveredAt: past(row.delivered_at),
    readAt: past(row.read_at),
    failedAt: past(row.failed_at),
    errorCode: content.code ?? undefined,
    category,
    header,
    body,
    footer,
    buttons,
    reference,
    wabaId: row.waba_id,
    phoneNumberId: row.phone_number_id,
  };
}

const statusOf = (row: SandboxMessageRow, now: number): string =>
  (["read", "delivered", "failed", "sent"] as const).find((status) => (row[`${status}_at`]?.getTime() ?? Infinity) <= now) ?? "accepted";
