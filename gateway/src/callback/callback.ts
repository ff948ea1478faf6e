import type { JsonValue } from "shared/core/json";
import { optOutScopeOf } from "shared/core/message";
import { isE164 } from "shared/core/phone";
import type { Sql } from "shared/db/connect";
import { findPhones } from "shared/db/notification/log";
import { applyStatuses } from "shared/db/notification/statuses";
import { type OptOutWord, recordOptOuts } from "shared/db/opt-out";
import { stopAccountByCallback } from "shared/db/platform-account";
import { type CallbackAccountRow, noteCallback } from "shared/db/platform-callback";
import { applyPlatformWords } from "shared/db/template";
import { hurryTemplatePoll } from "shared/db/template-poll";
import { retryCollisions } from "shared/db/transaction";
import { parseCallback, type StatusUpdate, type PreferenceUpdate, type TemplateUpdate } from "shared/platform/callback";
import type { GatewayContext } from "../context.ts";
import { locateUpdates, type LocatedUpdate, mergeStatuses } from "./statuses.ts";

/** What a callback came to. For the log. */
export interface CallbackSummary {
  statuses: number;
  /** Notifications and templates of the account that they changed. */
  notifications: number;
  templates: number;
  /** Entries of people who do not want messages, or want them again. */
  optOuts: number;
}

type CallbackContext = Pick<GatewayContext, "sql" | "vault" | "clock" | "log">;

/** An account whose messages fail for its own reasons pauses as long as after a refused send. */
const pauseSeconds = 60;

/**
 * Records what a callback of the account says, of whatever shape it is: what makes no sense is left out. A handful of statements, however many
 * updates it brings. Throws only when the database does; the platform then sends the same again.
 */
export const receiveCallback = async (context: CallbackContext, account: CallbackAccountRow, json: JsonValue): Promise<CallbackSummary> => {
  const { statuses, templates, preferences } = parseCallback(json);
  // Template updates prove nothing about the delivery of statuses, which is what this note is asked for.
  if (statuses.length > 0 && !account.noted) await noteCallback(context.sql, account.id);
  const located = await locateUpdates(context.sql, account.id, statuses);
  const notifications = await recordStatuses(context, account.id, statuses, located);
  const optOuts = await recordTold(context, account.id, { statuses: located, preferences });
  return { statuses: statuses.length, notifications, optOuts, templates: await recordTemplates(context, account.id, templates) };
};

const recordStatuses = async (
  context: CallbackContext,
  accountId: string,
  updates: readonly StatusUpdate[],
  located: readonly LocatedUpdate[],
): Promise<number> => {
  const { sql, clock } = context;
  const now = clock.now();
  const changes = mergeStatuses(located, now);
  if (changes.length === 0) return 0;
  const changed = await retryCollisions(async () => applyStatuses(sql, accountId, changes));
  if (changed > 0) await stopIfRefused(context, accountId, updates, now);
  return changed;
};

/** Only a fresh failure counts: the platform repeats callbacks for days. */
const stopIfRefused = async (
  { sql, log }: CallbackContext,
  accountId: string,
  updates: readonly StatusUpdate[],
  now: Date,
): Promise<void> => {
  const oldest = now.getTime() - pauseSeconds * 1000;
  const update = updates.find(({ error, at }) => error?.stopsAccount === true && (at ?? now).getTime() >= oldest);
  if (update?.error == null) return;
  const { code, reason } = update.error;
  if (await stopAccountByCallback(sql, accountId, { code, reason, at: update.at ?? now }, pauseSeconds)) {
    log.warn({ accountId, code }, "the platform fails the account's messages; they pause");
  }
};

type OptOutContext = Pick<GatewayContext, "sql" | "vault" | "clock">;
type Said = Omit<OptOutWord, "at"> & { at: Date | null };

/**
 * Records who does not want messages any longer, or wants them again: by the preference that they set, and by failures that say so. Answers how many
 * entries changed. No statement when nothing of the kind is told, two at most.
 */
const recordTold = async (
  context: OptOutContext,
  accountId: string,
  told: { statuses: readonly LocatedUpdate[]; preferences: readonly PreferenceUpdate[] },
): Promise<number> => {
  const { sql, vault, clock } = context;
  const now = clock.now();
  const said = [...(await wordsOfFailures(sql, accountId, told.statuses)), ...told.preferences.flatMap(wordOf)];
  if (said.length === 0) return 0;
  // A time that has not come yet would stand against every later word.
  const words = said.map((word) => ({ ...word, at: word.at !== null && word.at < now ? word.at : now }));
  return await retryCollisions(async () => recordOptOuts(sql, vault, accountId, words));
};

/** Of the phone as we addressed it: the platform's own form of a number may differ, or be hidden. */
const wordsOfFailures = async (sql: Sql, accountId: string, statuses: readonly LocatedUpdate[]): Promise<Said[]> => {
  const failures = statuses.flatMap(({ siteId, notificationId: id, update: { error, at } }) => {
    const scope = optOutScopeOf(error?.code ?? null);
    return scope === null || error === null ? [] : [{ siteId, id, scope, code: error.code, at }];
  });
  if (failures.length === 0) return [];
  const phones = new Map((await findPhones(sql, accountId, failures)).map(({ id, to_phone }) => [id, to_phone]));
  return failures.flatMap(({ id, scope, code, at }) => {
    const phone = phones.get(id);
    // The phone of somebody who was forgotten is not one any more.
    return phone === undefined || !isE164(phone) ? [] : [{ phone, scope, source: "callback" as const, code, active: true, at }];
  });
};

const wordOf = ({ recipient, value, category, at }: PreferenceUpdate): Said[] => {
  const phone = `+${recipient.replace(/^\+/, "")}`;
  if (category !== "marketing_messages" || !isE164(phone)) return [];
  return [{ phone, scope: "marketing", source: "preference", code: null, active: value === "stop", at }];
};

/** Records what a callback says of the account's templates, and answers how many changed. What a callback cannot tell, the next look at the list does. */
const recordTemplates = async (
  { sql }: Pick<GatewayContext, "sql">,
  accountId: string,
  updates: readonly TemplateUpdate[],
): Promise<number> => {
  if (updates.length === 0) return 0;
  const words = updates.map((update) => ({ ...update, toldAt: update.at }));
  const { changed, unknown } = await retryCollisions(async () => applyPlatformWords(sql, accountId, words));
  if (unknown > 0 || updates.some(({ needsLook }) => needsLook)) await hurryTemplatePoll(sql, accountId);
  return changed;
};
