import { randomBytes } from "node:crypto";
import { type JsonObject, parseJson } from "../core/json.ts";
import type { EventTrace } from "../core/plan.ts";
import type { RequestProblem } from "../core/requested.ts";
import { compileSchedule } from "../core/schedule/due.ts";
import { attempt } from "../core/text.ts";
import { uuidTime } from "../core/uuid.ts";
import { storedText } from "../core/wording.ts";
import { type DataKeyRow, findDataKey, listDataKeysOfSites, setEncryptPayloads, withoutMark } from "../db/account.ts";
import { listSchedules } from "../db/binding.ts";
import { cancelEncryption, requestEncryption } from "../db/encryption.ts";
import type { AnswerRow } from "../db/event/answer.ts";
import type { EventDetailRow, OrderRow } from "../db/event/log.ts";
import { type StoredEvent } from "../db/event/stored.ts";
import type { UnsettledNotification } from "../db/event/take-over.ts";
import type { NotificationRow } from "../db/notification/log.ts";
import { deleteRefusedOfAccount } from "../db/refused-request.ts";
import { forgetTestsOfAccount } from "../db/requested-event.ts";
import { listSiteIds } from "../db/site.ts";
import type { Sql } from "../db/statement.ts";
import { type RowCodec, createRowCodec, plainRows, readValue, unreadableText } from "../secrets/row-codec.ts";
import { type Seal, type Vault, VaultError, placeIn } from "../secrets/vault.ts";
import { encryptionSteps } from "./encrypt-stored.ts";

/** The codec of the account's rows. @throws VaultError when its data key cannot be read. */
export function rowCodecOf(vault: Pick<Vault, "open">, { account_id: id, encrypt_payloads: seals, data_key }: DataKeyRow): RowCodec {
  const key = withoutMark(data_key);
  return key === null ? plainRows : createRowCodec(Buffer.from(vault.open(key, placeIn("account.data_key", id)), "base64url"), id, seals);
}

/** The codec of an account as the database has it now. Without its data key nothing encrypted opens, and nothing new is written. */
export async function readRowCodec(sql: Sql, vault: Pick<Vault, "open">, accountId: string): Promise<RowCodec> {
  const row = await findDataKey(sql, accountId);
  return row === undefined ? plainRows : codecOrNone(vault, row);
}

/** The codecs of sites, by site. */
export const readRowCodecsOfSites = async (sql: Sql, vault: Pick<Vault, "open">, siteIds: readonly string[]) =>
  new Map((await listDataKeysOfSites(sql, siteIds)).map((row) => [row.site_id, codecOrNone(vault, row)]));

function codecOrNone(vault: Pick<Vault, "open">, row: DataKeyRow): RowCodec {
  try {
    return rowCodecOf(vault, row);
  } catch (error) {
    if (!(error instanceof VaultError)) throw error;
    const refuse = (): never => {
      throw error;
    };
    return { ...plainRows, seals: row.encrypt_payloads, seal: refuse, conceal: refuse, spellings: refuse };
  }
}

/** A new data key in its stored form. */
export const newDataKey = (seal: Seal, accountId: string): string =>
  seal(randomBytes(32).toString("base64url"), placeIn("account.data_key", accountId));

/** Switches the encryption of an account, in the transaction `sql`. Earlier data is encrypted in the background. */
export async function setEncryption(sql: Sql, vault: Vault, accountId: string, isOn: boolean): Promise<void> {
  await setEncryptPayloads(sql, accountId, isOn, isOn ? newDataKey(await vault.sealer(sql), accountId) : null);
  if (isOn) {
    await deleteRefusedOfAccount(sql, accountId);
    await forgetTestsOfAccount(sql, accountId);
    await requestEncryption(sql, accountId, encryptionSteps(await listSiteIds(sql, accountId)));
  } else await cancelEncryption(sql, accountId);
}

/** A report of the platform, or of ourselves, on a message in its stored form. */
export const sealReport = <R extends Omit<LoggedMessage, "to_phone">>(rows: RowCodec, report: R): R => ({
  ...report,
  wa_message_id: rows.conceal(report.wa_message_id, "notification.wa_message_id"),
  error_reason: rows.seal(report.error_reason, "notification.error_reason", report.id),
  error_detail: rows.seal(report.error_detail, "notification.error_detail", report.id),
});

/** A message that is still to be sent; `components` is null when it cannot be read. */
export type ReadNotification = Omit<UnsettledNotification, "components"> & { components: string | null };

/** The reason for which a message without content fails. */
export const unreadableContent = storedText(
  "What it says cannot be read: it was damaged, or encrypted under a key that is gone. Post the event again.",
);

export function readUnsent<Row extends Pick<UnsettledNotification, "id" | "to_phone" | "components">>(rows: RowCodec, message: Row) {
  const { id } = message;
  const to_phone = readValue(rows, message.to_phone, "notification.to_phone", id, null);
  const components = to_phone === null ? null : readValue(rows, message.components, "notification.components", id, null);
  return { ...message, to_phone: to_phone ?? "", components: isList(components) ? components : null };
}

const isList = (json: string | null): boolean => attempt(() => Array.isArray(JSON.parse(json ?? "null")), false);

/** Whether a repeated request is the event that was stored; true if that can no longer be compared. */
export const isSameEvent = (rows: RowCodec, { event_id: id, same, sealed_payload: payload }: AnswerRow, text: string): boolean =>
  same && (payload === null || readValue(rows, payload, "event_payload.payload", id, text) === text);

type LoggedMessage = Pick<NotificationRow, "id" | "to_phone" | "wa_message_id" | "error_reason" | "error_detail">;

/** A message of the log with its values opened. Values that cannot be read say so. */
export const readMessage = <R extends LoggedMessage>(rows: RowCodec, row: R): R => ({
  ...row,
  to_phone: readValue(rows, row.to_phone, "notification.to_phone", row.id, unreadableText),
  wa_message_id: readValue(rows, row.wa_message_id, "notification.wa_message_id", row.id, unreadableText),
  error_reason: readValue(rows, row.error_reason, "notification.error_reason", row.id, unreadableText),
  error_detail: readValue(rows, row.error_detail, "notification.error_detail", row.id, null),
});

/** A message's content (JSON); an empty one if it cannot be read. */
export const readComponents = (rows: RowCodec, { id, components }: { id: string; components: string }): string =>
  readValue(rows, components, "notification.components", id, "[]");

/** An event's payload, which says so when it cannot be read, and its trace. */
export const readEvent = (rows: RowCodec, row: EventDetailRow): EventDetailRow => ({
  ...row,
  payload: readValue(rows, row.payload, "event_payload.payload", row.id, JSON.stringify(unreadableText)),
  trace: readValue(rows, row.trace, "event_payload.trace", row.id, null),
});

/** The parts of a stored event that is run once more. */
export interface ReplayableEvent {
  id: string;
  source: string;
  /** Lowercased. */
  name: string;
  /** The shop's name of the event; null unless a shop posted it by itself. */
  topic: string | null;
  test: boolean;
  /** The text that was received; for a shop, the text of the payload made from it. */
  text: string;
  payload: JsonObject;
}

/** A stored event with everything that a request would bring, or the reason why it cannot be run again. */
export function readToReplay(rows: RowCodec, stored: StoredEvent | undefined): ReplayableEvent | RequestProblem {
  if (stored === undefined) return "event_gone";
  if (stored.dry_run) return "dry_run";
  if (stored.payload === null) return "payload_gone";
  const { id, source, name, test } = stored;
  const text = readValue(rows, stored.payload, "event_payload.payload", id, null);
  if (text === null) return "payload_unreadable";
  const trace = readValue(rows, stored.trace, "event_payload.trace", id, null);
  const topic = trace === null ? null : ((JSON.parse(trace) as EventTrace).topic ?? null);
  return { id, source, name, topic, test, text, payload: parseJson(text) as JsonObject };
}

export const readOrder = (rows: RowCodec, row: OrderRow): OrderRow => ({
  ...row,
  external_id: readValue(rows, row.external_id, "customer_order.external_id", row.id, unreadableText),
  number: readValue(rows, row.number, "customer_order.number", row.id, unreadableText),
  status: readValue(rows, row.status, "customer_order.status", row.id, unreadableText),
  total: readValue(rows, row.total, "customer_order.total", row.id, unreadableText),
  currency: readValue(rows, row.currency, "customer_order.currency", row.id, unreadableText),
});

export type Fingerprints = Pick<Vault, "fingerprint">;

export type KeyOf = (kind: "cancel" | "restart", bindingId: string, value: string | null | undefined) => string | null;

/** Keyed digests: the values may be anything about a person. A test stops no live message, and the reverse. */
export const waitingKeys =
  (vault: Fingerprints, isTest: boolean): KeyOf =>
  (kind, bindingId, value) =>
    value == null ? null : vault.fingerprint(`${isTest ? "test " : ""}${kind} ${bindingId} ${value}`);

/** Until when a message waits (ISO 8601), and the digests by which other events cancel or replace it. */
export type KeptTiming = Record<"expires_at" | "cancel_key" | "restart_key", string | null>;

export const noTiming: KeptTiming = { expires_at: null, cancel_key: null, restart_key: null };

/** How messages wait that were to leave with their events, by message: made again from the events and the bindings as they are now. */
export async function readTimings(
  { sql, vault, rows }: { sql: Sql; vault: Fingerprints; rows: RowCodec },
  accountId: string,
  messages: readonly { siteId: string; id: string }[],
): Promise<Map<string, KeptTiming>> {
  if (messages.length === 0) return new Map();
  const found = await listSchedules(sql, accountId, messages);
  return new Map(
    found.map(({ id, event_id: eventId, binding_id: bindingId, test, schedule, timezone, payload }) => {
      const text = payload === null ? null : readValue(rows, payload, "event_payload.payload", eventId, null);
      const timing = compileSchedule(schedule, timezone)((text === null ? {} : parseJson(text)) as JsonObject, new Date(uuidTime(eventId)));
      if ("code" in timing) return [id, noTiming];
      const keyOf = waitingKeys(vault, test);
      return [
        id,
        {
          expires_at: timing.expiresAt?.toISOString() ?? null,
          cancel_key: keyOf("cancel", bindingId, timing.cancelBy),
          restart_key: keyOf("restart", bindingId, timing.restartBy),
        },
      ];
    }),
  );
}
