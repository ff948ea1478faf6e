import { type JsonObject, parseJson } from "../core/json.ts";
import { compileSchedule } from "../core/schedule/due.ts";
import { uuidTime } from "../core/uuid.ts";
import { listSchedules } from "../db/binding.ts";
import type { Sql } from "../db/statement.ts";
import { readValue, type RowCodec } from "../secrets/row-codec.ts";
import type { Vault } from "../secrets/vault.ts";

export type Fingerprints = Pick<Vault, "fingerprint">;

export type KeyOf = (kind: "cancel" | "restart", bindingId: string, value: string | null | undefined) => string | null;

/** Keyed digests: the values may be anything about a person. A test stops no live message, and the reverse. */
export const waitingKeys =
  (vault: Fingerprints, isTest: boolean): KeyOf =>
  (kind, bindingId, value) =>
    value == null ? null : vault.fingerprint(`${isTest ? "test " : ""}${kind} ${bindingId} ${value}`);

/** Until when a message waits (ISO 8601), and the digests by which other events cancel or replace it. */
export interface KeptTiming {
  expires_at: string | null;
  cancel_key: string | null;
  restart_key: string | null;
}

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
