import type { Role } from "shared/core/role";
import type { OptOutRow } from "shared/db/opt-out";
import { shownPhone } from "../../trpc/shown-phone.ts";

/** `phone` is null when the person was forgotten: the entry still counts. */
export const presentOptOut = (row: OptOutRow, role: Role) => ({
  id: row.id,
  phone: row.phone && shownPhone(row.phone, role),
  scope: row.scope,
  source: row.source,
  code: row.code,
  since: row.since.toISOString(),
});
