import { forgetOldAssistantUses } from "shared/db/assistant-use";
import { deleteBackfillsBefore } from "shared/db/backfill";
import { forgetOldKinds } from "shared/db/event-kind";
import { forgetExpiredKeys, oldestKeys } from "shared/db/event/answer";
import { forgetMade } from "shared/db/made-once";
import { forgetUnusedMedia } from "shared/db/media-file";
import { countRecent, findBusySites, forgetRecent } from "shared/db/notification/recent";
import { countDays, findSitesToCount } from "shared/db/notification/statistics";
import { deleteOperationsBefore } from "shared/db/operation/operation";
import { forgetLiftedOptOuts } from "shared/db/opt-out";
import { forgetOutgoing } from "shared/db/outbox";
import { takeJobTurn } from "shared/db/owned";
import { forgetUsers } from "shared/db/platform-user";
import { forgetProblems } from "shared/db/problem/problem";
import { deleteRefusedRequests } from "shared/db/refused-request";
import { deleteRequestsBefore } from "shared/db/requested-event";
import {
  deleteBefore,
  deleteDeliveriesBefore,
  deleteEmptySite,
  deleteHistories,
  deleteOrdersBefore,
  deleteResendJobsBefore,
  type LogTable,
  dropPartitionsBefore,
  findLongestRetention,
  listSiteRetentions,
  type SiteRetention,
} from "shared/db/retention";
import { firstId, inTransaction, type Sql } from "shared/db/statement";
import { repeat } from "shared/server/retry";
import type { AdminContext } from "../context.ts";
import { learnToFind } from "../learning/search.ts";
import { defaultErasingTimes, type ErasingTimes } from "../operations/erasing.ts";
import { workOnShopErasures } from "../operations/shop-erasures.ts";
import { defaultOperationTimes, type OperationTimes, workOnOperations } from "../operations/work.ts";
import { type AlertingTimes, defaultAlertingTimes, watchAccounts } from "../problems/watch.ts";
import { connectMoved, forgetSandboxMessages } from "../sandbox/account.ts";
import { defaultEncryptingTimes, type EncryptingTimes, workOnEncryptions } from "./encrypting.ts";
import { checkPlatforms, healthTickMs } from "./platform-health.ts";
import { defaultSendingTimes, startSending, type SendingTimes } from "./sending.ts";
import { defaultPollTimes, pollTemplates, type PollTimes } from "./template-poll.ts";

const forgetMs = 3_600_000;
/** A request for fields learns the newest events at once; this interval only keeps the other events from piling up. */
const learnMs = 5_000;
/** How soon a new event can be found by its content. */
const findMs = 1_000;
/** About how late a late status appears in the statistics, and any at a site with many messages. */
const countMs = 60_000;
/** The pause of a job that would be shorter, while nobody asks this server anything. */
const quietMs = 30_000;

/** Tests change the times. */
export interface JobOverrides {
  pollTimes?: Partial<PollTimes> | undefined;
  operationTimes?: Partial<Omit<OperationTimes, "erasing">> | undefined;
  erasingTimes?: Partial<ErasingTimes> | undefined;
  encryptingTimes?: Partial<EncryptingTimes> | undefined;
  sendingTimes?: Partial<SendingTimes> | undefined;
  alertingTimes?: Partial<AlertingTimes> | undefined;
  /** Between two looks whether retention is due, in milliseconds. */
  retentionMs?: number | undefined;
  /** The longest pause between two runs of a job, in milliseconds. */
  longestPauseMs?: number | undefined;
}

/** Starts the background jobs of an admin server. The returned function stops them and waits for runs under way. */
export function startJobs(context: AdminContext, given: JobOverrides): () => Promise<void> {
  const { retentionMs = 60_000, longestPauseMs = Infinity } = given;
  const operations = { ...defaultOperationTimes, ...given.operationTimes, erasing: { ...defaultErasingTimes, ...given.erasingTimes } };
  const polling = { ...defaultPollTimes, ...given.pollTimes };
  const encrypting = { ...defaultEncryptingTimes, ...given.encryptingTimes };
  const alerting = { ...defaultAlertingTimes, ...given.alertingTimes };
  const every = (pauseMs: number, job: () => Promise<unknown>, quiet = quietMs) =>
    repeat(job, Math.min(pauseMs, longestPauseMs), context.log, { pulse: context.pulse, quietMs: Math.min(quiet, longestPauseMs) });
  const stops = [
    every(polling.tickMs, () => pollTemplates(context, polling), 6 * polling.tickMs),
    every(healthTickMs, () => checkPlatforms(context)),
    startSending(context, { ...defaultSendingTimes, ...given.sendingTimes }),
    every(alerting.tickMs, () => watchAccounts(context, alerting)),
    every(forgetMs, () => forgetUnusedMedia(context.sql)),
    every(forgetMs, async () => forgetRecent(context.sql)),
    every(learnMs, () => context.learner.round()),
    every(findMs, () => learnToFind(context)),
    every(countMs, () => countDueDays(context)),
    every(countMs, async () => countSites(context, await findBusySites(context.sql), countRecent)),
    every(countMs, () => connectMoved(context)),
    every(retentionMs, () => applyRetention(context)),
    every(operations.tickMs, () => workOnOperations(context, operations)),
    every(operations.tickMs, () => workOnShopErasures(context, operations.erasing)),
    every(encrypting.tickMs, () => workOnEncryptions(context, encrypting)),
  ];
  return async () => void (await Promise.all(stops.map((stop) => stop())));
}

const sitesAtOnce = 100;

type CountContext = Pick<AdminContext, "sql" | "stopping" | "log">;

/** Counts the messages of past days for the statistics, each site at one server at a time. */
async function countDueDays(context: CountContext): Promise<void> {
  const seen = new Set<string>();
  const next = async () => (await findSitesToCount(context.sql, sitesAtOnce)).filter((siteId) => !seen.has(siteId));
  for (let due = await next(); due.length > 0 && !context.stopping.aborted; due = await next()) {
    for (const siteId of due) seen.add(siteId);
    await countSites(context, due, countDays);
  }
}

/** Counts at each of the sites until nothing more is to do there. */
async function countSites(
  { sql, stopping, log }: CountContext,
  sites: readonly string[],
  count: (sql: Sql, siteId: string) => Promise<boolean>,
): Promise<void> {
  for (const siteId of sites) {
    try {
      while (!stopping.aborted && (await inTransaction(sql, async (transaction) => count(transaction, siteId))));
    } catch (error) {
      log.warn({ err: error, siteId }, "a site's messages could not be counted and will be tried again");
    }
  }
}

const retentionEverySeconds = 3_600;
const retentionLeaseSeconds = 300;
/** Rows of one statement: bounds how long it holds locks, and what a crash undoes. */
const rowsAtOnce = 1_000;
/** An operation may have ten thousand messages, which are deleted with it. */
const operationsAtOnce = 20;

type RetentionContext = Pick<AdminContext, "sql" | "sandbox" | "testSandbox" | "log" | "stopping">;
/** Called before each step. Throws if another server has the turn by now, or if this one stops. */
type Step = () => Promise<void>;

/**
 * Deletes rows that are older than their account keeps them, once an hour at one of the servers. Partitions that no account keeps are dropped whole; the
 * rest is deleted in small batches. An interrupted run is continued soon.
 */
export async function applyRetention(context: RetentionContext): Promise<void> {
  const { sql, log } = context;
  await takeJobTurn(sql, "retention", retentionLeaseSeconds, async (extend) => {
    const step = async (): Promise<void> => {
      context.stopping.throwIfAborted();
      if (!(await extend())) throw new Error("another server has taken the retention over");
    };
    try {
      await forgetAll(context, step);
      return retentionEverySeconds;
    } catch (error) {
      if (!context.stopping.aborted) log.warn({ err: error }, "retention was cut short and goes on soon");
      return 0;
    }
  });
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
  await forgetOldAssistantUses(sql);
  for (const forget of [forgetOutgoing, forgetProblems, forgetUsers, forgetMade])
    await inBatches(step, async () => (await forget(sql, rowsAtOnce)) === rowsAtOnce);
  await inPages(step, oldestKeys.after, (after) => forgetExpiredKeys(sql, { ...oldestKeys, after }));
  await forgetSandboxMessages(context, step);
}

const tablesOf = ({ payloads_before, log_before }: Omit<SiteRetention, "site_id">): [LogTable, string][] => [
  ["event_payload", payloads_before],
  ["event_search", payloads_before],
  ["notification", log_before],
  ["event", log_before],
];

/** Runs `act` until it answers that nothing more is left. */
async function inBatches(step: Step, act: () => Promise<boolean>): Promise<void> {
  do await step();
  while (await act());
}

/** Runs `act` for page after page, each after the last row of the one before. */
async function inPages(step: Step, first: string, act: (after: string) => Promise<{ next: string | null }>): Promise<void> {
  for (let after: string | null = first; after !== null;) {
    await step();
    after = (await act(after)).next;
  }
}

async function forgetOfSite({ sql }: RetentionContext, site: SiteRetention, step: Step): Promise<void> {
  const { site_id: siteId, log_before: before } = site;
  await deleteRefusedRequests(sql, siteId, site.payloads_before);
  for (const [table, tableBefore] of tablesOf(site))
    await inBatches(step, async () => (await deleteBefore(sql, table, siteId, tableBefore, rowsAtOnce)) === rowsAtOnce);
  await inBatches(step, async () => (await deleteDeliveriesBefore(sql, siteId, before, rowsAtOnce)) === rowsAtOnce);
  await inPages(step, firstId, (after) => deleteOrdersBefore(sql, siteId, before, { after, limit: rowsAtOnce }));
  await inPages(step, firstId, (after) => deleteHistories(sql, siteId, { after, limit: rowsAtOnce }));
  await inBatches(step, async () => (await deleteRequestsBefore(sql, site, rowsAtOnce)) === rowsAtOnce);
  await deleteBackfillsBefore(sql, siteId, before);
  await inBatches(step, async () => (await deleteOperationsBefore(sql, siteId, before, operationsAtOnce)) === operationsAtOnce);
  await forgetOldKinds(sql, site);
  await deleteResendJobsBefore(sql, siteId, before);
  await deleteEmptySite(sql, siteId, before);
}
