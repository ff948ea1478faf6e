import type { Pool } from "shared/db/statement";
import { parseReference } from "shared/platform/client";
import { readRowCodecsOfSites } from "shared/sealing/account-rows";
import { plainRows, type RowCodec } from "shared/secrets/row-codec";
import { createVault } from "shared/secrets/vault";
import { expect } from "vitest";
import { masterKey } from "../../support/gateway.ts";
import type { Received, Receiver } from "../../support/receiver.ts";
import { waitFor } from "../../support/wait-for.ts";
import { historyViolations, type Ledger, type LedgerEntry } from "./ledger.ts";
import type { TellingPlatform, Taken } from "./platform.ts";
import { type Random, report } from "./scale.ts";

/** The longest time that anything may need to recover by itself after a fault has ended. */
export const recoveryMs = 30_000;

export interface Witnesses {
  sql: Pool;
  ledger: Ledger;
  platform: Pick<TellingPlatform, "taken" | "told">;
  /** The requests that the shops' endpoint got. */
  receiver: Pick<Receiver, "received">;
  /** The error codes (with ` again` after a second attempt) that excuse a lost message; none: everybody must have got theirs. Null: any code, but there must be one. */
  excuses: readonly string[] | null;
  /** The gateways' `IN_DOUBT_SECONDS`, where that may be shorter than the platform takes to be heard: a message of which it was not heard by then may come again. */
  inDoubtSeconds?: number | undefined;
}

/** Waits until everything has recovered, and answers every breach of an invariant; see test/faults/README.md. */
export async function violations({ sql, ledger, platform, receiver, excuses, inDoubtSeconds = Infinity }: Witnesses): Promise<string[]> {
  await waitFor("every event to be finished", async () => (await countUnfinished(sql)) === 0, recoveryMs);
  await platform.told();
  await untilDelivered(sql);
  return [
    ...(await answerViolations(sql, ledger)),
    ...twice(platform.taken, inDoubtSeconds),
    ...(await messageViolations(sql, ledger, platform.taken, excuses)),
    ...(await toldViolations(sql, receiver.received)),
    ...(await historyViolations(sql)),
  ].slice(0, 20);
}

/** Waits until everything has recovered, writes the scenario's line with its counts, and demands that no invariant was broken. */
export async function untilSound(
  scenario: string,
  { random, counts, ...witnesses }: Witnesses & { random: Random; counts: Record<string, string | number> },
): Promise<void> {
  const found = await violations(witnesses);
  const { requests, refused } = witnesses.ledger;
  report(scenario, { seed: random.seed, ...counts, requests, refused, violations: found.length });
  expect(found).toEqual([]);
}

async function countUnfinished(sql: Pool): Promise<number> {
  const [row] = await sql<{ n: number }[]>`select count(*)::integer as n from (
      select id from event where chat is null union select id from event_due union all select id from waiting_message
    ) unfinished`;
  return row?.n ?? 0;
}

/** Waits until every delivery has arrived. A long queue may take its time, as long as it becomes shorter. */
async function untilDelivered(sql: Pool): Promise<void> {
  for (let left = Infinity; left > 0;) {
    const fewer = async () => {
      const now = await countPending(sql);
      return (now === 0 || now <= left - 500) && { now };
    };
    ({ now: left } = await waitFor("deliveries to arrive", fewer, recoveryMs));
  }
}

async function countPending(sql: Pool): Promise<number> {
  const [row] = await sql<{ n: number }[]>`select count(*)::integer as n from webhook_delivery where status <> 'delivered'`;
  return row?.n ?? 0;
}

/**
 * The endpoint was told each status of the log under one id, and nothing untrue. Our own failure may have been told before the platform reported that the
 * message had arrived after all.
 */
async function toldViolations(sql: Pool, received: readonly Received[]): Promise<string[]> {
  const written = await sql<{ id: string; what: string; event_id: string }[]>`
    select id, notification_id || ' ' || type as what, event_id from webhook_delivery`;
  const known = await sql<{ what: string; must: boolean }[]>`
    select n.id || ' message.' || t.type as what, t.must from notification n cross join lateral (values
      ('sent', n.sent_at is not null), ('delivered', n.delivered_at is not null), ('read', n.read_at is not null), ('failed', n.status = 'failed')) as t(type, must)`;
  const must = new Set(known.flatMap(({ what, must }) => (must ? what : [])));
  const byId = new Map(written.map((row) => [row.id, row]));
  const told = new Set(written.map(({ what }) => what));
  const heard = new Set<string>();
  const wrong = received.flatMap(({ headers, json }) => {
    const id = String(headers["webhook-id"]);
    heard.add(id);
    const row = byId.get(id);
    const isTrue = row !== undefined && row.what.endsWith(` ${String(json["type"])}`) && row.event_id === json["event_id"];
    return isTrue ? [] : [`told what is not so: ${JSON.stringify(json)}`];
  });
  return [
    ...wrong,
    ...[...must].filter((what) => !told.has(what)).map((what) => `never written for the endpoint: ${what}`),
    ...[...told].filter((what) => !must.has(what) && !what.endsWith(".failed")).map((what) => `told, but not in the log: ${what}`),
    ...written.filter(({ id }) => !heard.has(id)).map(({ what }) => `never told: ${what}`),
  ];
}

/** Every answered event is stored, once, with the answer that was given; a duplicate's answer is the same to the byte. */
async function answerViolations(sql: Pool, ledger: Ledger): Promise<string[]> {
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

/** The documented answer, composed by PostgreSQL as text, since `json_build_object` would add spaces. */
async function readEvents(sql: Pool): Promise<StoredEvent[]> {
  const rows = await sql<(StoredEvent & { site_id: string })[]>`
  select site_id || ' ' || idempotency_key as place, site_id, id, payload,
    format('{"ok":true,"event":"%s","event_id":"%s","order_id":"%s","chat":"%s","bindings_run":%s,"recipients_sent":%s,"recipients_failed":%s%s}',
      name, id, order_id, chat, bindings_run, recipients_sent, recipients_failed,
      case when recipients_scheduled > 0 and chat <> 'accepted' then format(',"recipients_scheduled":%s', recipients_scheduled) end) as body
  from event join event_payload using (site_id, id) where idempotency_key is not null`;
  const codecOf = await codecs(sql);
  return rows.map((row) => ({ ...row, payload: codecOf(row.site_id).open(row.payload, "event_payload.payload", row.id) }));
}

/** The codec of each site's rows. */
async function codecs(sql: Pool): Promise<(siteId: string) => RowCodec> {
  const sites = await sql<{ id: string }[]>`select id from site`;
  const ids = sites.map(({ id }) => id);
  const found = await readRowCodecsOfSites(sql, createVault(masterKey), ids);
  return (siteId) => found.get(siteId) ?? plainRows;
}

/**
 * Nobody gets a message twice, and the log is true: a message that the platform took is `sent` or further under the platform's id, one that it did not
 * take is `failed` with a reason among `excuses`; null: any reason.
 */
async function messageViolations(sql: Pool, ledger: Ledger, taken: readonly Taken[], excuses: readonly string[] | null): Promise<string[]> {
  const rows = await readLog(sql);
  const byMessage = new Map<string, string[]>();
  for (const { id, body } of taken) {
    const message = parseReference(body.biz_opaque_callback_data)?.notificationId ?? "none of ours";
    byMessage.set(message, [...(byMessage.get(message) ?? []), id]);
  }
  return [
    ...rows.flatMap((row) => logProblems(row, byMessage.get(row.id) ?? [])),
    ...recipientProblems(ledger, rows, excuses),
    ...(await unfinishedEvents(sql)),
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

/** The repeated messages, by their content for the recipient and not by our ids: those of which a gateway had heard before it could be in doubt. */
function twice(taken: readonly Taken[], inDoubtSeconds: number): string[] {
  const seen = new Map<string, Taken[]>();
  for (const one of taken) {
    const message = `${one.body.to} ${JSON.stringify(one.body.template)}`;
    seen.set(message, [...(seen.get(message) ?? []), one]);
  }
  const isInDoubt = ({ at = 0, heardAt = Infinity }: Taken): boolean => heardAt - at >= inDoubtSeconds * 1000;
  return [...seen].flatMap(([message, times]) => (times.slice(0, -1).every(isInDoubt) ? [] : [`got ${times.length} times: ${message}`]));
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
    return [
      ...(phones.join() === [...recipients].toSorted().join() ? [] : [`${key} is for ${recipients.join()}, the log has ${phones.join()}`]),
      ...missed.map((row) => `missed: ${JSON.stringify(row)}`),
      ...(told(answers[0]?.json, recipients.length) ? [] : [`${key}, for ${recipients.length}, was answered ${answers[0]?.body}`]),
    ];
  });
}

/** Whether an answer counts every recipient, or none if nothing had been sent yet. */
function told(answer: Record<string, unknown> = {}, recipients: number): boolean {
  const { chat, recipients_sent: sent, recipients_failed: failed, recipients_scheduled: scheduled = 0 } = answer;
  return Number(sent) + Number(failed) + Number(scheduled) === (chat === "accepted" ? 0 : recipients);
}

/** The excuse of a failure: an interruption of the second attempt excuses more than one of the first. */
const excuseOf = (code: string | null, attempt: number): string => `${code}${attempt > 1 ? " again" : ""}`;

async function readLog(sql: Pool): Promise<LogRow[]> {
  const rows = await sql<(LogRow & { site_id: string })[]>`
  select n.id, n.site_id, e.site_id || ' ' || e.idempotency_key as place, n.to_phone, n.status::text, n.error_code, n.attempt, n.wa_message_id
  from notification n join event e on e.site_id = n.site_id and e.id = n.event_id
  where e.idempotency_key is not null`;
  const codecOf = await codecs(sql);
  return rows.map((row) => {
    const codec = codecOf(row.site_id);
    const to_phone = codec.open(row.to_phone, "notification.to_phone", row.id);
    return { ...row, to_phone, wa_message_id: codec.open(row.wa_message_id, "notification.wa_message_id", row.id) };
  });
}

async function unfinishedEvents(sql: Pool): Promise<string[]> {
  const rows = await sql<
    { id: string }[]
  >`select id from event where chat is null union select id from event_due union select id from waiting_message`;
  return rows.map(({ id }) => `${id} is unfinished`);
}
