import type { Pool } from "shared/db/connect";
import { parseReference } from "shared/platform/client";
import type { Ledger } from "./ledger.ts";
import type { Taken } from "./telling-platform.ts";

/**
 * Nobody gets a message twice, and the log says what is true: a message that the platform took is `sent` or further under the platform's id, one that
 * it did not take is `failed` with a reason, which must be one of `excuses`; null: any.
 */
export async function messageViolations(
  sql: Pool,
  ledger: Ledger,
  taken: readonly Taken[],
  excuses: readonly string[] | null,
): Promise<string[]> {
  const rows = await readLog(sql);
  const byMessage = new Map<string, string[]>();
  for (const { id, body } of taken) {
    const message = parseReference(body.biz_opaque_callback_data)?.notificationId ?? "none of ours";
    byMessage.set(message, [...(byMessage.get(message) ?? []), id]);
  }
  return [
    ...twice(taken),
    ...rows.flatMap((row) => logProblems(row, byMessage.get(row.id) ?? [])),
    ...recipientProblems(ledger, rows, excuses),
    ...(await unfinished(sql)),
  ];
}

interface LogRow {
  id: string;
  place: string;
  to_phone: string;
  status: string;
  error_code: string | null;
  attempt: number;
  wa_message_id: string | null;
}

/** By what the recipient sees, not by ids of ours. */
function twice(taken: readonly Taken[]): string[] {
  const seen = new Map<string, number>();
  for (const { body } of taken) {
    const message = `${body.to} ${JSON.stringify(body.template)}`;
    seen.set(message, (seen.get(message) ?? 0) + 1);
  }
  return [...seen].filter(([, times]) => times > 1).map(([message, times]) => `got ${times} times: ${message}`);
}

function logProblems(row: LogRow, ids: string[]): string[] {
  const sent = ["sent", "delivered", "read"].includes(row.status);
  if (sent && !ids.includes(row.wa_message_id ?? "")) return [`in the log as ${row.status}, but never taken: ${JSON.stringify(row)}`];
  if (!sent && ids.length > 0) return [`taken, but in the log as ${row.status}: ${JSON.stringify(row)}`];
  return sent || (row.status === "failed" && row.error_code !== null) ? [] : [`left as ${row.status}: ${JSON.stringify(row)}`];
}

function recipientProblems({ entries }: Ledger, rows: LogRow[], excuses: readonly string[] | null): string[] {
  const byEvent = new Map<string, LogRow[]>();
  for (const row of rows) byEvent.set(row.place, [...(byEvent.get(row.place) ?? []), row]);
  return entries.flatMap(({ key, shop, recipients, answers }) => {
    const log = byEvent.get(`${shop.siteId} ${key}`) ?? [];
    const phones = log.map(({ to_phone }) => to_phone).toSorted();
    const missed = log.filter(
      ({ status, error_code, attempt }) => status === "failed" && excuses?.includes(excuseOf(error_code, attempt)) === false,
    );
    const { recipients_sent: sent, recipients_failed: failed } = answers[0]?.json ?? {};
    return [
      ...(phones.join() === [...recipients].toSorted().join() ? [] : [`${key} is for ${recipients.join()}, the log has ${phones.join()}`]),
      ...missed.map((row) => `missed: ${JSON.stringify(row)}`),
      ...(Number(sent) + Number(failed) === recipients.length
        ? []
        : [`${key}, for ${recipients.length}, was answered ${answers[0]?.body}`]),
    ];
  });
}

/** What an interruption of the first attempt would not excuse, one of the second may. */
const excuseOf = (code: string | null, attempt: number): string => `${code}${attempt > 1 ? " again" : ""}`;

const readLog = async (sql: Pool): Promise<LogRow[]> => sql<LogRow[]>`
  select n.id, e.site_id || ' ' || e.idempotency_key as place, n.to_phone, n.status::text, n.error_code, n.attempt, n.wa_message_id
  from notification n join event e on e.site_id = n.site_id and e.id = n.event_id
  where e.idempotency_key is not null`;

async function unfinished(sql: Pool): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`select id from event where lease_until is not null or chat is null`;
  return rows.map(({ id }) => `event ${id} is unfinished`);
}
