import type { Pool } from "shared/db/connect";
import type { Ledger, LedgerEntry } from "./ledger.ts";

/** Every answered event is stored, once, with the answer that was given; a duplicate's answer is the same to the byte. */
export async function answerViolations(sql: Pool, ledger: Ledger): Promise<string[]> {
  const stored = new Map<string, StoredEvent[]>();
  for (const row of await readEvents(sql)) stored.set(row.place, [...(stored.get(row.place) ?? []), row]);
  return [
    ...ledger.unexpected,
    ...ledger.entries.flatMap((entry) => problems(entry, stored.get(`${entry.shop.siteId} ${entry.key}`) ?? [])),
  ];
}

interface StoredEvent {
  place: string;
  id: string;
  body: string;
  payload: string;
}

function problems({ key, answers }: LedgerEntry, rows: StoredEvent[]): string[] {
  const [first] = answers;
  const [row] = rows;
  if (!first) return [`${key} was never answered`];
  if (!row || rows.length > 1) return [`${key} is stored ${rows.length} times`];
  return [
    ...(answers.some(({ body }) => body !== first.body)
      ? [`${key} was answered differently: ${answers.map(({ body }) => body).join(" / ")}`]
      : []),
    ...(first.body === row.body ? [] : [`${key} was answered ${first.body} but is stored as ${row.body}`]),
    ...((JSON.parse(row.payload) as { order: { id: string } }).order.id === key ? [] : [`${key} holds the payload of another event`]),
  ];
}

/** The documented answer, composed by PostgreSQL: `json_build_object` would put spaces in. */
const readEvents = async (sql: Pool): Promise<StoredEvent[]> => sql<StoredEvent[]>`
  select site_id || ' ' || idempotency_key as place, id, payload,
    format('{"ok":true,"event":"%s","event_id":"%s","order_id":"%s","chat":"%s","bindings_run":%s,"recipients_sent":%s,"recipients_failed":%s}',
      name, id, order_id, chat, bindings_run, recipients_sent, recipients_failed) as body
  from event join event_payload using (site_id, id) where idempotency_key is not null`;
