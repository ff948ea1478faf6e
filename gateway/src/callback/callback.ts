import type { JsonValue } from "shared/core/json";
import { optOutScopeOf } from "shared/core/message";
import { readWords } from "shared/core/opt-out-words";
import { isE164 } from "shared/core/phone";
import { findAccount, optOutWordsOf } from "shared/db/account";
import type { Sql } from "shared/db/connect";
import { findPhones } from "shared/db/notification/log";
import { applyStatuses } from "shared/db/notification/statuses";
import type { OptOutChange } from "shared/db/opt-out";
import { stopAccountByCallback } from "shared/db/platform-account";
import { type CallbackAccountRow, noteCallback } from "shared/db/platform-callback";
import { applyPlatformWords } from "shared/db/template";
import { hurryTemplatePoll } from "shared/db/template-poll";
import { retryCollisions } from "shared/db/transaction";
import {
  type IncomingMessage,
  parseCallback,
  type StatusUpdate,
  type PreferenceUpdate,
  type TemplateUpdate,
} from "shared/platform/callback";
import { rowCodecOf } from "shared/sealing/account-rows";
import { sealReport } from "shared/sealing/stored-rows";
import { recordToldOptOuts, tellPeoplesWords } from "shared/sealing/tell-people";
import { readValue, type RowCodec } from "shared/secrets/row-codec";
import { createQueues } from "shared/server/queues";
import type { GatewayContext } from "../context.ts";
import { findAnswered, findAnsweredSites, locateUpdates, type LocatedUpdate, mergeStatuses } from "./statuses.ts";

type CallbackContext = Pick<GatewayContext, "sql" | "vault" | "clock" | "log" | "metrics">;

/**
 * Records a callback of the account, whatever its shape: parts that make no sense, or that are about another number or business account, are left out. A
 * handful of statements, however many updates it brings. Throws only when the database does; the platform then sends the same again. Answers, for the log,
 * how many status updates it has, and what they changed: messages, templates, and people who have opted out or in again.
 */
export async function receiveCallback(context: CallbackContext, account: CallbackAccountRow, json: JsonValue) {
  const { waba_id: wabaId, phone_number_id: phoneNumberId } = account;
  const owner = wabaId === null || phoneNumberId === null ? null : { wabaId, phoneNumberId };
  const { statuses, templates, preferences, messages: received } = parseCallback(json, owner);
  // Only statuses count as a sign that deliveries are reported: template updates prove nothing about them.
  if (statuses.length > 0 && !account.noted) await noteCallback(context.sql, account.id);
  const rows = rowCodecOf(context.vault, { ...account, account_id: account.id });
  const located = await locateUpdates(context.sql, account.id, rows, statuses);
  const messages = await withSenders(context.sql, { accountId: account.id, rows }, received);
  const notifications = await recordStatuses(context, account, rows, statuses, located);
  if (account.has_webhooks) await tellMessages(context, { accountId: account.id, rows }, messages);
  const optOuts = await recordOptOutUpdates(context, account, rows, located, [
    ...preferences.flatMap(optOutOfPreference),
    ...(await optOutsOfWords(context.sql, account.id, messages)),
  ]);
  return { statuses: statuses.length, notifications, optOuts, templates: await recordTemplates(context, account.id, templates) };
}

/** An account, and how its messages are stored. */
interface StoredAccount {
  accountId: string;
  rows: RowCodec;
}

async function recordStatuses(
  context: CallbackContext,
  account: CallbackAccountRow,
  rows: RowCodec,
  updates: readonly StatusUpdate[],
  located: readonly LocatedUpdate[],
): Promise<number> {
  const { sql, clock, metrics } = context;
  const now = clock.now();
  const changes = mergeStatuses(located, now).map((change) => sealReport(rows, change));
  if (changes.length === 0) return 0;
  const { changed, delivered, read, failed } = await retryCollisions(async () => applyStatuses(sql, account, changes));
  if (metrics !== undefined) {
    for (const { at } of updates) if (at !== null) metrics.callbackDelay(Math.max(0, now.getTime() - at.getTime()) / 1000);
    for (const seconds of delivered) metrics.eventToDelivered(Math.max(0, seconds));
    metrics.messages("delivered", delivered.length);
    metrics.messages("read", read);
    metrics.messages("failed", failed);
  }
  if (changed > 0) await stopIfRefused(context, account.id, updates, now);
  return changed;
}

/** The same as after a refused send (ingest/account-pause.ts). */
const pauseSeconds = 60;

/** Only a fresh failure counts: the platform repeats callbacks for days. */
async function stopIfRefused({ sql, log }: CallbackContext, accountId: string, updates: readonly StatusUpdate[], now: Date): Promise<void> {
  const oldest = now.getTime() - pauseSeconds * 1000;
  const update = updates.find(({ error, at }) => error?.stopsAccount === true && (at ?? now).getTime() >= oldest);
  if (update?.error == null) return;
  const { code, reason } = update.error;
  if (await stopAccountByCallback(sql, accountId, { code, reason, at: update.at ?? now }, pauseSeconds)) {
    log.warn({ accountId, code }, "the platform fails the account's messages; they pause");
  }
}

/**
 * Records people who have opted out, or in again: by their words (`words`), and by failures whose code says so. Answers how many entries changed. No
 * statement when the callback tells nothing of the kind, two at most.
 */
async function recordOptOutUpdates(
  { sql, vault, clock }: CallbackContext,
  { id: accountId, has_webhooks: hasWebhooks }: CallbackAccountRow,
  rows: RowCodec,
  statuses: readonly LocatedUpdate[],
  words: readonly ToldOptOut[],
): Promise<number> {
  const now = clock.now();
  const told = [...(await optOutsOfFailures(sql, { accountId, rows }, statuses)), ...words];
  if (told.length === 0) return 0;
  // A time in the future would win over every later change.
  const changes = told.map((change) => ({ ...change, at: change.at !== null && change.at < now ? change.at : now }));
  return await optOutQueues.run(accountId, () => recordToldOptOuts(sql, vault, { accountId, hasWebhooks }, changes));
}

/** Writing opt-outs waits for the account's row: its callbacks must not hold all connections meanwhile. */
const optOutQueues = createQueues();

type ToldOptOut = Omit<OptOutChange, "at"> & { at: Date | null };

/** With the phone as we addressed it: the platform's own form of a number may differ, or be hidden. */
async function optOutsOfFailures(sql: Sql, { accountId, rows }: StoredAccount, statuses: readonly LocatedUpdate[]): Promise<ToldOptOut[]> {
  const failures = statuses.flatMap(({ siteId, notificationId: id, update: { error, at } }) => {
    const scope = optOutScopeOf(error?.code ?? null);
    return scope === null || error === null ? [] : [{ siteId, id, scope, code: error.code, at }];
  });
  if (failures.length === 0) return [];
  const stored = await findPhones(sql, accountId, failures);
  const phones = new Map(stored.map(({ id, to_phone }) => [id, readValue(rows, to_phone, "notification.to_phone", id, "")]));
  return failures.flatMap(({ id, scope, code, at }) => {
    const phone = phones.get(id);
    // An erased person's phone is no longer E.164.
    return phone === undefined || !isE164(phone) ? [] : [{ phone, scope, source: "callback" as const, code, active: true, at }];
  });
}

function optOutOfPreference({ recipient, value, category, at }: PreferenceUpdate): ToldOptOut[] {
  const phone = `+${recipient.replace(/^\+/, "")}`;
  if (category !== "marketing_messages" || !isE164(phone)) return [];
  return [{ phone, scope: "marketing", source: "preference", code: null, active: value === "stop", at }];
}

type SentMessage = IncomingMessage & { sender: string };

/** The messages with their senders: a phone that the platform hides is that of the message which the person answers. One of nobody is left out. */
async function withSenders(sql: Sql, { accountId, rows }: StoredAccount, messages: readonly IncomingMessage[]): Promise<SentMessage[]> {
  const hidden = messages.flatMap(({ sender, context }) => (sender === null && context !== null ? [context] : []));
  const answered = hidden.length === 0 ? [] : await findAnswered(sql, accountId, rows, hidden);
  const stored = answered.length === 0 ? [] : await findPhones(sql, accountId, answered);
  const phones = new Map(stored.map(({ id, to_phone }) => [id, readValue(rows, to_phone, "notification.to_phone", id, "")]));
  const senders = new Map(answered.map(({ id, waMessageId }) => [waMessageId, phones.get(id)?.replace(/^\+/, "")]));
  return messages.flatMap((message) => {
    const sender = message.sender ?? senders.get(message.context ?? "");
    return sender === undefined ? [] : [{ ...message, sender }];
  });
}

/**
 * The people who stopped or resumed messages by a word. A resumption lifts every earlier opt-out, and counts for both scopes, so that an older stop that
 * comes later changes nothing.
 */
async function optOutsOfWords(sql: Sql, accountId: string, messages: readonly SentMessage[]): Promise<ToldOptOut[]> {
  if (messages.length === 0) return [];
  const account = await findAccount(sql, accountId);
  if (account === undefined) return [];
  const words = optOutWordsOf(account);
  const read = readWords(words);
  return messages.flatMap(({ sender, text, at }): ToldOptOut[] => {
    const word = read(text);
    const phone = `+${sender.replace(/^\+/, "")}`;
    if (word === null || !isE164(phone)) return [];
    const scopes = word === "stop" ? [words.scope] : (["all", "marketing"] as const);
    return scopes.map((scope) => ({ phone, scope, source: "keyword", code: null, active: word === "stop", at }));
  });
}

/** Tells endpoints that ask for it what people wrote: the endpoints of the site whose message the text answers, else all. The texts are kept until they have arrived. */
async function tellMessages(
  { sql, vault, clock }: CallbackContext,
  { accountId, rows }: StoredAccount,
  messages: readonly SentMessage[],
): Promise<void> {
  const sites = await findAnsweredSites(sql, accountId, rows, messages);
  const words = messages.flatMap(({ id, sender, text, type, context, at }) => {
    const phone = `+${sender.replace(/^\+/, "")}`;
    const time = at ?? clock.now();
    const body = { type: "message.received", from: phone, text, message_type: type, received_at: time.toISOString() } as const;
    if (!isE164(phone)) return [];
    const siteId = sites.get(context ?? "") ?? null;
    return {
      phone,
      at: time,
      siteId,
      body: { ...body, context_wa_message_id: context },
      key: id ?? `${phone} ${time.toISOString()} ${text}`,
    };
  });
  await tellPeoplesWords(sql, vault, accountId, words);
}

/** Records updates of the account's templates; answers how many changed. The next poll of the list brings what a callback leaves open. */
async function recordTemplates(
  { sql }: Pick<GatewayContext, "sql">,
  accountId: string,
  updates: readonly TemplateUpdate[],
): Promise<number> {
  if (updates.length === 0) return 0;
  const words = updates.map((update) => ({ ...update, toldAt: update.at }));
  const { changed, unknown } = await retryCollisions(async () => applyPlatformWords(sql, accountId, words));
  if (unknown > 0 || updates.some(({ needsLook }) => needsLook)) await hurryTemplatePoll(sql, accountId);
  return changed;
}
