import { countDays, findSitesToCount } from "shared/db/notification/statistics";
import { inTransaction } from "shared/db/transaction";
import type { AdminContext } from "../context.ts";

const sitesAtOnce = 100;

/** Counts the messages of the days that are over, for the statistics: site by site, whichever server gets to it. */
export async function countDueDays({ sql, stopping, log }: Pick<AdminContext, "sql" | "stopping" | "log">): Promise<void> {
  for (const siteId of await findSitesToCount(sql, sitesAtOnce)) {
    try {
      while (!stopping.aborted && (await inTransaction(sql, async (transaction) => countDays(transaction, siteId))));
    } catch (error) {
      log.warn({ err: error, siteId }, "a site's messages could not be counted and will be tried again");
    }
  }
}
