import type { JsonValue } from "shared/core/json";
import { optOutScopeOf } from "shared/core/message";
import { turnOf } from "shared/core/person-key";
import { hurryWatch } from "shared/db/alert/watch";
import { type Applied, applyStatuses } from "shared/db/notification/statuses";
import { type Person, personHash } from "shared/db/opt-out";
import { heedNews, limitNumber, pauseSeconds, stopAccountByCallback } from "shared/db/platform-account";
import { type CallbackAccountRow, noteCallback } from "shared/db/platform-callback";
import { bringHealthCheck } from "shared/db/platform-health";
import { keepNotices } from "shared/db/platform-notice";
import { retryCollisions } from "shared/db/statement";
import { applyPlatformWords } from "shared/db/template";
import { hurryTemplatePoll } from "shared/db/template-poll";
import type { AccountNotice } from "shared/platform/account-notice";
import { type IncomingMessage, parseCallback, type StatusUpdate, type TemplateUpdate } from "shared/platform/callback";
import { strangeCodes } from "shared/platform/errors/known-errors";
import { holdOfReport, spamCode } from "shared/platform/errors/waits";
import { readTimings, rowCodecOf, sealReport } from "shared/sealing/account-rows";
import { tellPeoplesWords } from "shared/sealing/tell-people";
import { eventIds } from "shared/server/logger";
import type { GatewayContext } from "../context.ts";
import { applyShown, applyToPhones, type CallbackWork, identify, notAhead, readPhones, recordMoves, recordOptOuts } from "./people.ts";
import { findAnswered, locateUpdates, type LocatedUpdate, mergeStatuses } from "./statuses.ts";

/** An account whose callback is proven: by its platform, or by the sandbox of its test sites, which tells of their messages alone. */
export type CallbackSource = CallbackAccountRow & { isOfTests?: boolean };

/**
 * Records a callback of the account, whatever its shape: parts that make no sense, or that are about another number or business account, are left out. A
 * handful of statements, however many updates it brings. Throws only when the database does; the platform then sends the same again. Answers, for the log,
 * how many status updates it has, and what they changed: messages, of which events, templates, and people who have opted out or in again.
 */
export async function receiveCallback(context: GatewayContext, account: CallbackSource, json: JsonValue) {
  const { sql, vault } = context;
  const { waba_id: wabaId, phone_number_id: phoneNumberId } = account;
  const owner = wabaId === null || phoneNumberId === null ? null : { wabaId, phoneNumberId };
  const { statuses, templates, preferences, messages: received, moves, notices } = ofSource(account, parseCallback(json, owner));
  // Only statuses count as a sign that deliveries are reported: template updates prove nothing about them.
  if (statuses.length > 0 && !account.noted) await noteCallback(sql, account.id);
  const rows = rowCodecOf(vault, { ...account, account_id: account.id });
  const testSites = new Set(account.test_sites);
  const isTest = ({ siteId }: LocatedUpdate): boolean => testSites.has(siteId);
  const work = { ...context, account, rows, isTest, hashOf: (person: Person) => personHash(vault, account.id, person) };
  const all = await locateUpdates(work, statuses);
  const located = account.isOfTests === true ? all.filter(isTest).map(withoutUser) : all;
  const live = located.filter((one) => !isTest(one));
  const phones = await readPhones(work, located.filter(isPersonal).map(keyOf));
  const { changed, events } = await recordStatuses(work, statuses, located, phones);
  await recordMoves(work, moves);
  const messages = await identify(work, received);
  await applyShown(work, received);
  if (account.has_webhooks) await tellMessages(work, messages);
  const optOuts = await recordOptOuts(work, { failures: live, phones, preferences, messages });
  await recordNotices(work, notices);
  const counts = {
    statuses: statuses.length,
    notifications: changed,
    optOuts,
    templates: await recordTemplates(context, account.id, templates),
  };
  return { ...counts, ...eventIds(events) };
}

/** What a callback may tell: the sandbox of test sites tells nothing of the account, its templates and its people. */
const ofSource = ({ isOfTests }: CallbackSource, told: ReturnType<typeof parseCallback>): ReturnType<typeof parseCallback> =>
  isOfTests === true ? { ...told, templates: [], preferences: [], messages: [], moves: [], notices: [] } : told;

/** The sandbox has user ids of its own for the people of the real platform. */
const withoutUser = (one: LocatedUpdate): LocatedUpdate => ({ ...one, update: { ...one.update, userId: null } });

/** How the update's message waits, if it may be sent again. */
const holdOfUpdate = ({ update: { error } }: LocatedUpdate) => error && holdOfReport(error.code);

/** Whether it takes the recipient's phone to record the update. */
const isPersonal = (one: LocatedUpdate): boolean => optOutScopeOf(one.update.error?.code ?? null) !== null || holdOfUpdate(one) !== null;

const keyOf = ({ siteId, notificationId: id }: LocatedUpdate) => ({ siteId, id });

async function recordStatuses(
  work: CallbackWork,
  updates: readonly StatusUpdate[],
  located: readonly LocatedUpdate[],
  phones: ReadonlyMap<string, string>,
): Promise<Pick<Applied, "changed" | "events">> {
  const { sql, clock, metrics, tracing, account, rows, isTest, hashOf } = work;
  const [now, since] = [clock.now(), performance.now()];
  const recipientOf = (message: LocatedUpdate): string | null => {
    const phone = phones.get(message.notificationId);
    return phone === undefined ? null : turnOf(hashOf({ phone }), isTest(message) ? "test" : "live");
  };
  const held = located.filter((one) => holdOfUpdate(one) !== null);
  const timings = await readTimings(work, account.id, held.map(keyOf));
  const people = { recipientOf, timingOf: (id: string) => timings.get(id), hashOf };
  const changes = mergeStatuses(located, now, people).map((change) => sealReport(rows, change));
  if (changes.length === 0) return { changed: 0, events: [] };
  const { changed, events, revealed, delivered, read, failed, differs } = await retryCollisions(async () =>
    applyStatuses(sql, account, changes),
  );
  for (const id of events) tracing?.later(id, "callback", since);
  if (metrics !== undefined) {
    for (const { at } of updates) if (at !== null) metrics.callbackDelay(Math.max(0, now.getTime() - at.getTime()) / 1000);
    for (const seconds of delivered) metrics.eventToDelivered(Math.max(0, seconds));
    metrics.messages("delivered", delivered.length);
    metrics.messages("read", read);
    metrics.messages("failed", failed);
  }
  const live = account.test_sites.length === 0 ? updates : located.flatMap((one) => (isTest(one) ? [] : one.update));
  if (differs && live.length > 0) await hurryTemplatePoll(sql, account.id);
  if (changed > 0) await stopIfRefused(work, live, now);
  await applyToPhones(work, revealed);
  return { changed, events };
}

/** Only a fresh failure counts: the platform repeats callbacks for days. */
async function stopIfRefused({ sql, log, account }: CallbackWork, updates: readonly StatusUpdate[], now: Date): Promise<void> {
  const oldest = now.getTime() - pauseSeconds * 1000;
  const fresh = updates.filter(({ at }) => (at ?? now).getTime() >= oldest);
  if (account.phone_number_id !== null && fresh.some(({ error }) => error?.code === spamCode))
    await limitNumber(sql, account.phone_number_id);
  if (fresh.some(({ error }) => error !== null && strangeCodes.has(error.code))) await hurryTemplatePoll(sql, account.id);
  const update = fresh.find(({ error }) => error?.class === "account");
  if (update?.error == null) return;
  const { code, reason } = update.error;
  if (await stopAccountByCallback(sql, account.id, { code, reason, at: update.at ?? now }))
    log.warn({ accountId: account.id, code }, "the platform fails the account's messages; they pause");
}

/** Heeds what the platform tells of the account: the newest word on whether it may send, and what people are to know. */
async function recordNotices({ sql, clock, log, account }: CallbackWork, notices: readonly AccountNotice[]): Promise<void> {
  if (notices.length === 0) return;
  const now = clock.now();
  const dated = notices.map((notice) => ({ ...notice, at: notAhead(notice.at, now) }));
  const news = dated
    .toSorted((a, b) => a.at.getTime() - b.at.getTime())
    .findLast(({ effect }) => effect?.kind === "resume" || (effect?.kind === "stop" && (effect.until === null || effect.until > now)));
  const stop = news?.effect?.kind === "stop" ? news.effect : null;
  if (news !== undefined && (await heedNews(sql, account.id, { at: news.at, stop }))) {
    const text = stop === null ? "the account may send again" : "the platform stops the account";
    log.warn({ accountId: account.id, code: stop?.code }, text);
  }
  await bringHealthCheck(sql, account.id, stop && stop.until);
  if (dated.some(({ effect }) => effect?.kind === "read_templates")) await hurryTemplatePoll(sql, account.id, 0);
  const told = dated.flatMap(({ at, told: some }) => some.map((one) => ({ ...one, told_at: at })));
  await keepNotices(sql, account.id, told);
  await hurryWatch(sql, account.id);
}

/** Tells endpoints that ask for it what people wrote: the endpoints of the site whose message the text answers, else all. The texts are kept until they have arrived. */
async function tellMessages(work: CallbackWork, messages: readonly (IncomingMessage & { person: Person })[]): Promise<void> {
  const { sql, vault, clock, account } = work;
  const known = messages.flatMap(({ person: { phone }, ...message }) => (phone === null ? [] : { ...message, phone }));
  const answered = await findAnswered(work, known);
  const words = known.map(({ id, phone, text, type, context, at }) => {
    const time = at ?? clock.now();
    const body = { type: "message.received", from: phone, text, message_type: type, received_at: time.toISOString() } as const;
    return {
      phone,
      at: time,
      siteId: answered.get(context ?? "")?.site_id ?? null,
      body: { ...body, context_wa_message_id: context },
      key: id ?? `${phone} ${time.toISOString()} ${text}`,
    };
  });
  await tellPeoplesWords(sql, vault, account.id, words);
}

/** Records updates of the account's templates; answers how many changed. The next poll of the list brings what a callback leaves open. */
async function recordTemplates({ sql, clock }: GatewayContext, accountId: string, updates: readonly TemplateUpdate[]): Promise<number> {
  if (updates.length === 0) return 0;
  // The platform's times have no fraction: one of this second must not seem older.
  const now = new Date(Math.floor(clock.now().getTime() / 1000) * 1000);
  const words = updates.map((update) => ({ ...update, toldAt: update.at ?? now }));
  const { changed, unknown } = await applyPlatformWords(sql, accountId, words);
  if (unknown > 0 || updates.some(({ needsLook }) => needsLook)) await hurryTemplatePoll(sql, accountId);
  return changed;
}
