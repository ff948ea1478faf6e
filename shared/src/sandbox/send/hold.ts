import { type Sql, inTransaction } from "../../db/statement.ts";
import type { SandboxContext } from "../http.ts";
import { insertCallbacks, listHeldMessages, type SandboxMessageRow, updateSandboxMessage, withdrawCallbacks } from "../store.ts";
import type { TemplateRecord } from "../templates/store.ts";
import type { MessageContent } from "./content.ts";
import { atOtherTime, statusCallback } from "./status-item.ts";

type Outcome = "released" | "failed";

/** Messages that one transaction settles. */
const pageSize = 500;

/** Ends a template's pacing: its held messages go out now, or fail. Those that have left by themselves are let be. */
export async function endHold(context: SandboxContext, { id, wabaId, heldUntil }: TemplateRecord, outcome: Outcome): Promise<void> {
  const now = context.options.now();
  const earlierMs = Math.max(0, (heldUntil ?? now) - now);
  for (;;) {
    const count = await inTransaction(context.sql, async (sql) => {
      const rows = await listHeldMessages(sql, id, pageSize);
      for (const row of rows) await settle(sql, row, outcome, { now, earlierMs });
      return rows.length;
    });
    if (count < pageSize) break;
  }
  context.courier.expect(wabaId, now);
}

async function settle(sql: Sql, row: SandboxMessageRow, outcome: Outcome, when: { now: number; earlierMs: number }): Promise<unknown> {
  const begins = (row.sent_at ?? row.failed_at)?.getTime() ?? 0;
  if (begins <= when.now) return updateSandboxMessage(sql, { ...row, held_by: null });
  const waiting = await withdrawCallbacks(sql, row.id);
  if (outcome === "released") {
    const earlier = (at: Date | null): Date | null => at && new Date(at.getTime() - when.earlierMs);
    const [sent_at, delivered_at, read_at, failed_at] = [row.sent_at, row.delivered_at, row.read_at, row.failed_at].map(earlier);
    await updateSandboxMessage(sql, { ...row, sent_at, delivered_at, read_at, failed_at, held_by: null } as SandboxMessageRow);
    const toldEarlier = (foreseen: number): number => foreseen - Math.floor(when.earlierMs / 1000);
    const hastened = waiting.map((one) => atOtherTime(one, new Date(one.due_at.getTime() - when.earlierMs), toldEarlier));
    return insertCallbacks(sql, hastened);
  }
  const at = new Date(when.now);
  const content = { ...(JSON.parse(row.content) as MessageContent), code: 132015 };
  const none = { sent_at: null, delivered_at: null, read_at: null };
  await updateSandboxMessage(sql, { ...row, ...none, failed_at: at, content: JSON.stringify(content), held_by: null });
  const report = { status: "failed", at: when.now, dueAt: when.now } as const;
  return insertCallbacks(sql, [statusCallback(row.waba_id, { ...content, id: row.id }, report, { now: at, details: pacingDetails })]);
}

const pacingDetails = "Message failed to send because template is paused by template pacing.";
