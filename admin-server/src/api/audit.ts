import { listAuditInput } from "shared/core/input/team";
import { uuidTime } from "shared/core/uuid";
import { listAuditEntries, type AuditRow } from "shared/db/audit";
import { readPage, toLogPage } from "../trpc/paging.ts";
import { ownerProcedure, router } from "../trpc/trpc.ts";

export const auditRouter = router({
  list: ownerProcedure.input(listAuditInput).query(({ ctx, input }) => {
    const { accountId } = ctx.caller;
    return readPage("audit", input, (page) => listAuditEntries(ctx.sql, accountId, input, toLogPage(input, page)), presentAuditEntry);
  }),
});

const presentAuditEntry = (row: AuditRow) => ({
  id: row.id,
  createdAt: new Date(uuidTime(row.id)).toISOString(),
  actor: row.actor,
  actorId: row.actor_id,
  tokenId: row.token_id,
  action: row.action,
  subject: row.subject,
  address: row.address,
});
