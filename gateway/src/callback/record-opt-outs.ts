import { optOutScopeOf } from "shared/core/message";
import { isE164 } from "shared/core/phone";
import type { Sql } from "shared/db/connect";
import { findPhones } from "shared/db/notification/log";
import { type OptOutWord, recordOptOuts } from "shared/db/opt-out";
import { retryCollisions } from "shared/db/transaction";
import type { PreferenceUpdate } from "shared/platform/callback";
import type { GatewayContext } from "../context.ts";
import type { LocatedUpdate } from "./merge-statuses.ts";

type OptOutContext = Pick<GatewayContext, "sql" | "vault" | "clock">;
type Said = Omit<OptOutWord, "at"> & { at: Date | null };

/**
 * Records who does not want messages any longer, or wants them again: by the preference that they set, and by failures that say so. Answers how many
 * entries changed. No statement when nothing of the kind is told, two at most.
 */
export const recordTold = async (
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
