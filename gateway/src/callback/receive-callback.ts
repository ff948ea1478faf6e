import type { JsonValue } from "shared/core/json";
import { applyStatuses } from "shared/db/notification/statuses";
import { stopAccountByCallback } from "shared/db/platform-account";
import type { CallbackAccountRow } from "shared/db/platform-callback";
import { noteCallback } from "shared/db/platform-callback";
import { retryCollisions } from "shared/db/transaction";
import { parseCallback } from "shared/platform/callback";
import type { StatusUpdate } from "shared/platform/callback";
import type { GatewayContext } from "../context.ts";
import { locateUpdates } from "./locate-updates.ts";
import { type LocatedUpdate, mergeStatuses } from "./merge-statuses.ts";
import { recordTold } from "./record-opt-outs.ts";
import { recordTemplates } from "./record-templates.ts";

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
