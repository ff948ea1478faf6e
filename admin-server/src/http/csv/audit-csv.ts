import { auditFilterMembers } from "shared/core/input/team";
import { uuidTime } from "shared/core/uuid";
import { listAuditEntries } from "shared/db/audit";
import type { AuditRow } from "shared/db/audit";
import { z } from "zod";
import { toLogPage } from "../../log-page.ts";
import type { CsvExport } from "./csv-route.ts";

const input = z.object(auditFilterMembers);
const pageSize = 500;

/** What was done in the account, newest first. */
export const auditCsv: CsvExport<z.output<typeof input>> = {
  name: "audit.csv",
  needed: "owner",
  input,
  columns: ["time", "actor", "token", "action", "subject", "address"],
  async *rows({ sql }, { accountId }, filter) {
    let before: string | null = null;
    do {
      const page: AuditRow[] = await listAuditEntries(sql, accountId, filter, toLogPage(filter, before, pageSize));
      yield* page.map(toRecord);
      before = page.length === pageSize ? (page.at(-1)?.id ?? null) : null;
    } while (before !== null);
  },
};

const toRecord = ({ id, actor, token_id, action, subject, address }: AuditRow) =>
  [new Date(uuidTime(id)).toISOString(), actor, token_id, action, subject, address] as const;
