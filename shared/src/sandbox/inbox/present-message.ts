import type { SandboxMessageRow } from "../../db/tables/sandbox/message.ts";
import type { MessageContent } from "../send/message-content.ts";

/** A message as the inbox shows it. */
export function presentMessage(row: SandboxMessageRow, now: number) {
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
