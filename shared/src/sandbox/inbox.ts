import { randomBytes } from "node:crypto";
import { z } from "zod";
import { phonePattern } from "../core/phone-search.ts";
import { phoneForms, isE164 } from "../core/phone.ts";
import type { Sql } from "../db/connect.ts";
import { inTransaction } from "../db/transaction.ts";
import { queueUpdate } from "./callbacks/queue.ts";
import type { SandboxContext } from "./context.ts";
import { type Answer, ControlError, readControl, type Route, type SandboxRequest } from "./http.ts";
import type { MessageContent } from "./send/fill.ts";
import { waIdOf } from "./send/request.ts";
import { statusItem } from "./send/status-item.ts";
import {
  deleteSandboxMessages,
  findSandboxMessage,
  listSandboxMessages,
  type MessageFilter,
  withdrawCallbacks,
  forgetSandboxMessages,
  incomingKind,
  insertCallbacks,
  type SandboxAccount,
  type SandboxCallback,
  type SandboxMessageRow,
  updateSandboxMessageTimes,
} from "./store.ts";

/** The phone: messages as their recipients see them, and the actions of their recipients. */
export const inboxRoutes: Route[] = [
  ["GET", "/_sandbox/messages", listMessages],
  ["DELETE", "/_sandbox/messages", emptyInbox],
  ["GET", "/_sandbox/messages/:id", showMessage],
  ["POST", "/_sandbox/messages/:id/read", markRead],
  ["POST", "/_sandbox/preferences", setPreference],
  ["POST", "/_sandbox/answers", answer],
  ["POST", "/_sandbox/forget", forgetMessages],
];

async function listMessages(context: SandboxContext, { query }: SandboxRequest): Promise<Answer> {
  const filter = { ...filterOf(context, query), unreached: query.get("unreached") === "1", limit: limitOf(query) };
  const rows = await listSandboxMessages(context.sql, filter);
  return { json: rows.map((row) => presentMessage(row, context.options.now())) };
}

async function showMessage(context: SandboxContext, { params }: SandboxRequest): Promise<Answer> {
  const row = await findSandboxMessage(context.sql, params["id"] ?? "");
  if (row === undefined) throw new ControlError(404, `No message ${params["id"] ?? ""}`);
  return { json: presentMessage(row, context.options.now()) };
}

async function emptyInbox(context: SandboxContext, { query }: SandboxRequest): Promise<Answer> {
  return { json: { deleted: await deleteSandboxMessages(context.sql, filterOf(context, query)) } };
}

function filterOf({ accounts }: SandboxContext, query: URLSearchParams): MessageFilter {
  const to = query.get("to") ?? "";
  // A plus sign in a query is decoded as a space.
  const owner = query.get("owner");
  return {
    recipient: to === "" ? null : to.replaceAll(/\D/g, ""),
    phoneNumberId: owner === null ? query.get("phoneNumberId") : (accounts.byOwner(owner)?.phoneNumberId ?? nobody),
  };
}

/** The number of an owner without an account: no message has it. */
const nobody = "";

const maxListed = 10_000;

function limitOf(query: URLSearchParams): number {
  const limit = Number(query.get("limit") ?? maxListed);
  if (!Number.isInteger(limit) || limit < 1 || limit > maxListed)
    throw new ControlError(400, `limit must be a whole number from 1 to ${maxListed}`);
  return limit;
}

const preferenceInput = z.strictObject({
  phoneNumberId: z.string(),
  from: z.string().refine(isE164, "must be an E.164 phone number such as +491701234567"),
  value: z.enum(["stop", "resume"]),
});

/** `POST /_sandbox/preferences`: a person stops or resumes a business's marketing messages, and the callback is told. */
async function setPreference(context: SandboxContext, request: SandboxRequest): Promise<Answer> {
  const { phoneNumberId, from, value } = await readControl(request, preferenceInput);
  const account = context.accounts.all().find((one) => one.phoneNumberId === phoneNumberId);
  if (account === undefined) throw new ControlError(404, `No number ${phoneNumberId}: GET /_sandbox/accounts/{wabaId} shows an account's`);
  const waId = waIdOf(from.slice(1));
  const others = account.stopped.filter((one) => one !== waId);
  await context.accounts.change({ ...account, stopped: value === "stop" ? [...others, waId] : others });
  await queueFromPerson(context, account, waId, {
    field: "user_preferences",
    kind: value,
    value: { user_preferences: [preferenceOf(waId, value, context)] },
  });
  return { json: { waId, value } };
}

/** Queues a callback about something that a person wrote to, or told, the account's number. `value` holds the members beside the number and the person. */
const queueFromPerson = (
  context: SandboxContext,
  { wabaId, phoneNumber, phoneNumberId }: SandboxAccount,
  waId: string,
  { value, ...update }: { field: string; kind: string; value: object },
): Promise<void> =>
  queueUpdate(context, {
    wabaId,
    subject: preferenceSubject(phoneNumberId, waId),
    ...update,
    value: {
      messaging_product: "whatsapp",
      metadata: { display_phone_number: phoneNumber, phone_number_id: phoneNumberId },
      contacts: [{ profile: { name: "Sandbox" }, wa_id: waId }],
      ...value,
    },
  });

const preferenceOf = (waId: string, value: "stop" | "resume", { options }: SandboxContext) => ({
  wa_id: waId,
  detail: `User requested to ${value} marketing messages`,
  category: "marketing_messages",
  value,
  timestamp: Math.floor(options.now() / 1000),
});

const answerInput = z.strictObject({
  phoneNumberId: z.string().optional(),
  owner: z.string().optional(),
  from: z.string().refine(isE164, "must be an E.164 phone number such as +491701234567"),
  text: z.string().trim().min(1, "must not be empty").max(4096, "has at most 4096 characters"),
});

/** `POST /_sandbox/answers`: a person writes to a business, whose callback gets it as an incoming message. */
async function answer(context: SandboxContext, request: SandboxRequest): Promise<Answer> {
  const { phoneNumberId, owner, from, text } = await readControl(request, answerInput);
  const account = context.accounts.all().find((one) => (owner === undefined ? one.phoneNumberId === phoneNumberId : one.owner === owner));
  if (account === undefined) throw new ControlError(404, "No such number or owner: GET /_sandbox/accounts/{wabaId} shows an account's");
  const waId = waIdOf(from.slice(1));
  const id = `wamid.${randomBytes(24).toString("base64")}`;
  const message = { from: waId, id, timestamp: String(Math.floor(context.options.now() / 1000)), type: "text", text: { body: text } };
  await queueFromPerson(context, account, waId, { field: "messages", kind: incomingKind, value: { messages: [message] } });
  return { json: { id } };
}

/** The callback subject of a person's preference at one business, and of their texts. */
const preferenceSubject = (phoneNumberId: string, waId: string): string => `${phoneNumberId} ${waId}`;

const forgetInput = z.strictObject({
  phoneNumberId: z.string().optional(),
  owner: z.string().optional(),
  phone: z.string().refine(isE164, "must be an E.164 phone number such as +491701234567").optional(),
  before: z.iso.datetime().optional(),
});

/** `POST /_sandbox/forget`: removes a business's messages to a person or naming them, or before a time. With a person, also their preference. */
async function forgetMessages(context: SandboxContext, request: SandboxRequest): Promise<Answer> {
  const { owner, phone, before, ...named } = await readControl(request, forgetInput);
  const phoneNumberId = owner === undefined ? named.phoneNumberId : (context.accounts.byOwner(owner)?.phoneNumberId ?? nobody);
  if (phoneNumberId === undefined) throw new ControlError(400, "phoneNumberId or owner: must be given");
  const numbers = phone === undefined ? [] : phoneForms(phone);
  if (numbers.length > 0) await forgetPreference(context, phoneNumberId, numbers);
  const person = phone === undefined ? null : { numbers, pattern: phonePattern(phone) };
  const filter = { phoneNumberId, person, before: before === undefined ? null : new Date(before) };
  return { json: { deleted: await forgetSandboxMessages(context.sql, filter) } };
}

async function forgetPreference({ sql, accounts }: SandboxContext, phoneNumberId: string, numbers: readonly string[]): Promise<void> {
  const account = accounts.all().find((one) => one.phoneNumberId === phoneNumberId);
  const stopped = account?.stopped.filter((waId) => !numbers.includes(waId)) ?? [];
  if (account !== undefined && stopped.length < account.stopped.length) await accounts.change({ ...account, stopped });
  for (const waId of numbers) await withdrawCallbacks(sql, preferenceSubject(phoneNumberId, waId));
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
  await updateSandboxMessageTimes(sql, read);
  // A callback that is due may be under way; moving it would deliver it twice.
  const untold = (await withdrawCallbacks(sql, id, now)).filter(({ kind }) => kind !== "read");
  await insertCallbacks(sql, [...untold.map((callback) => hasten(callback, now)), readCallback(read, now)]);
  return read;
}

function hasten(callback: SandboxCallback, now: Date): SandboxCallback {
  const item = JSON.parse(callback.value) as Record<string, unknown>;
  const timestamp = String(Math.min(Number(item["timestamp"]), Math.floor(now.getTime() / 1000)));
  return { ...callback, due_at: now, value: JSON.stringify({ ...item, timestamp }) };
}

function readCallback(row: SandboxMessageRow, now: Date): SandboxCallback {
  const content = JSON.parse(row.content) as MessageContent;
  const subject = { ...content, id: row.id, category: content.category.toLowerCase() };
  const value = JSON.stringify(statusItem(subject, { status: "read", at: now.getTime(), dueAt: now.getTime() }, false));
  return { waba_id: row.waba_id, subject: row.id, field: "messages", kind: "read", value, due_at: now, created_at: now };
}

/** A message in the inbox's form. */
function presentMessage(row: SandboxMessageRow, now: number) {
  const content = JSON.parse(row.content) as MessageContent;
  const { template, language, category, components, text, header, body, footer, buttons, reference } = content;
  const past = (at: Date | null): string | undefined => (at !== null && at.getTime() <= now ? at.toISOString() : undefined);
  return {
    id: row.id,
    to: `+${row.recipient}`,
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

function statusOf(row: SandboxMessageRow, now: number): string {
  const over = (at: Date | null): boolean => at !== null && at.getTime() <= now;
  if (over(row.read_at)) return "read";
  if (over(row.delivered_at)) return "delivered";
  if (over(row.failed_at)) return "failed";
  return over(row.sent_at) ? "sent" : "accepted";
}
