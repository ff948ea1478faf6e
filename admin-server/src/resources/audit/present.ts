import { uuidTime } from "shared/core/uuid";
import type { AuditRow } from "shared/db/audit";

export const presentAuditEntry = (row: AuditRow) => ({
  id: row.id,
  createdAt: new Date(uuidTime(row.id)).toISOString(),
  actor: row.actor,
  actorId: row.actor_id,
  tokenId: row.token_id,
  action: row.action,
  subject: row.subject,
  address: row.address,
});
