import type { Sql } from "../../db/connect.ts";
import { insertCallbacks, type SandboxCallback, withdrawCallbacks } from "../../db/tables/sandbox/callback.ts";
import { findSandboxMessage, type SandboxMessageRow, updateSandboxMessageTimes } from "../../db/tables/sandbox/message.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Handler } from "../http/answer.ts";
import { ControlError } from "../http/control.ts";
import type { MessageContent } from "../send/message-content.ts";
import { statusItem } from "../send/status-item.ts";
import { presentMessage } from "./present-message.ts";

/** `POST /_sandbox/messages/{id}/read`: the recipient opens the message now. What was still to come, comes now. */
export const markRead: Handler = async (context, request) => {
  const { id = "" } = request.params;
  const now = context.options.now();
  const row = await inTransaction(context.sql, (sql) => readNow(sql, id, new Date(now)));
  if (row === undefined) throw new ControlError(404, `No message ${id}`);
  context.courier.expect(row.waba_id, now);
  return { json: presentMessage(row, now) };
};

async function readNow(sql: Sql, id: string, now: Date): Promise<SandboxMessageRow | undefined> {
  const row = await findSandboxMessage(sql, id, true);
  if (row === undefined || (row.read_at !== null && row.read_at <= now)) return row;
  if (row.failed_at !== null && row.delivered_at === null) throw new ControlError(409, "This message never reached the phone");
  const before = (at: Date | null): Date => (at !== null && at < now ? at : now);
  const read = { ...row, sent_at: before(row.sent_at), delivered_at: before(row.delivered_at), read_at: now };
  await updateSandboxMessageTimes(sql, read);
  // What is due already may be under way, and would be told twice.
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
