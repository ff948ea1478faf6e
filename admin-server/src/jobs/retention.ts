import { forgetOldKinds } from "shared/db/event-kind";
import { forgetExpiredKeys } from "shared/db/event/answer";
import { newId } from "shared/db/ids";
import { jobTurn } from "shared/db/lease";
import { forgetLiftedOptOuts } from "shared/db/opt-out";
import {
  deleteBefore,
  deleteEmptySite,
  deleteOrdersBefore,
  deleteResendJobsBefore,
  type LogTable,
  dropPartitionsBefore,
  findLongestRetention,
  listSiteRetentions,
  type SiteRetention,
} from "shared/db/retention";
import type { AdminContext } from "../context.ts";
import { forgetSandboxMessages } from "../sandbox/account.ts";

const turn = jobTurn("retention");
const periodSeconds = 3_600;
const leaseSeconds = 300;
/** Rows of one statement: bounds how long it holds locks, and what a crash undoes. */
const batch = 1_000;
const noId = "00000000-0000-0000-0000-000000000000";

type RetentionContext = Pick<AdminContext, "sql" | "sandbox" | "log" | "stopping">;
/** Called before each step. Throws when another server has the turn by now, or this one stops. */
type Step = () => Promise<void>;

/**
 * Deletes what is older than its account keeps it, once an hour at one of the servers. Partitions that no account keeps are dropped whole; the rest is
 * deleted in small batches. An interrupted run is continued soon.
 */
export async function applyRetention(context: RetentionContext): Promise<void> {
  const { sql, log } = context;
  const lease = { owner: newId(), seconds: leaseSeconds };
  if (!(await turn.take(sql, lease))) return;
  const step = async (): Promise<void> => {
    context.stopping.throwIfAborted();
    if (!(await turn.extend(sql, lease))) throw new Error("another server has taken the retention over");
  };
  let nextIn = 0;
  try {
    await forgetAll(context, step);
    nextIn = periodSeconds;
  } catch (error) {
    if (!context.stopping.aborted) log.warn({ err: error }, "retention was cut short and goes on soon");
  } finally {
    await turn.end(sql, lease, nextIn);
  }
}

async function forgetAll(context: RetentionContext, step: Step): Promise<void> {
  const { sql, log } = context;
  const longest = await findLongestRetention(sql);
  for (const [table, before] of tablesOf(longest)) {
    await step();
    const dropped = await dropPartitionsBefore(sql, table, before);
    if (dropped.length > 0) log.info({ dropped }, "partitions are dropped that nobody keeps");
  }
  for (let after: string | null = null, more = true; more;) {
    const sites: SiteRetention[] = await listSiteRetentions(sql, after, 500);
    for (const site of sites) await forgetOfSite(context, site, step);
    more = sites.length === 500;
    after = sites.at(-1)?.site_id ?? null;
  }
  await forgetLiftedOptOuts(sql);
  await forgetExpiredKeys(sql);
  await forgetSandboxMessages(context, step);
}

const tablesOf = ({ payloads_before, log_before }: Omit<SiteRetention, "site_id">): [LogTable, string][] => [
  ["event_payload", payloads_before],
  ["notification", log_before],
  ["event", log_before],
];

async function forgetOfSite({ sql }: RetentionContext, site: SiteRetention, step: Step): Promise<void> {
  const { site_id: siteId, log_before: before } = site;
  for (const [table, tableBefore] of tablesOf(site)) {
    do await step();
    while ((await deleteBefore(sql, table, siteId, tableBefore, batch)) === batch);
  }
  for (let after: string | null = noId; after !== null;) {
    await step();
    after = (await deleteOrdersBefore(sql, siteId, before, { after, limit: batch })).next;
  }
  await forgetOldKinds(sql, site);
  await deleteResendJobsBefore(sql, siteId, before);
  await deleteEmptySite(sql, siteId, before);
}
