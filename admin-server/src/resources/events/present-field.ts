import type { KnownField } from "shared/core/fields/known";
import { maskSample } from "shared/core/mask";
import { isAtLeast, type Role } from "shared/core/role";
import { uuidTime } from "shared/core/uuid";
import type { EventKindRow } from "shared/db/event-kind";
import { shownText } from "../../trpc/shown-phone.ts";

export const presentName = (row: Pick<EventKindRow, "name" | "last_event_id">, role: Role) => ({
  name: shownText(row.name, role),
  lastSeenAt: timeOf(row.last_event_id),
});

/** Who may only look sees no sample that may be somebody's phone, address or name. */
export function presentField(field: KnownField, role: Role) {
  const { path, type, sample } = isAtLeast(role, "operator") ? field : maskSample(field);
  return { path, type, sample, lastSeenAt: timeOf(field.last) };
}

const timeOf = (eventId: string): string => new Date(uuidTime(eventId)).toISOString();
