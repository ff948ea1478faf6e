import { listAuditInput } from "shared/core/input/team";
import { listAuditEntries } from "shared/db/audit";
import { readCursor, toPage } from "../../list-page.ts";
import { toLogPage } from "../../log-page.ts";
import { ownerProcedure, router } from "../../trpc.ts";
import { presentAuditEntry } from "./present.ts";

export const auditRouter = router({
  list: ownerProcedure.input(listAuditInput).query(async ({ ctx, input }) => {
    const page = toLogPage(input, readCursor("audit", input.cursor), input.limit + 1);
    const rows = await listAuditEntries(ctx.sql, ctx.caller.accountId, input, page);
    return toPage("audit", rows, input.limit, (row) => row.id, presentAuditEntry);
  }),
});
