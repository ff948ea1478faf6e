import { listAuditInput } from "shared/core/input/team";
import { uuidTime } from "shared/core/uuid";
import { listAuditEntries, type AuditRow } from "shared/db/audit";
import { readCursor, toPage, toLogPage } from "../trpc/paging.ts";
import { ownerProcedure, router } from "../trpc/trpc.ts";

export const auditRouter = router({
  list: ownerProcedure.input(listAuditInput).query(async ({ ctx, input }) => {
    const page = toLogPage(input, readCursor("audit", input.cursor), input.limit + 1);
    const rows = await listAuditEntries(ctx.sql, ctx.caller.accountId, input, page);
    return toPage("audit", rows, input.limit, (row) => row.id, presentAuditEntry);
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
