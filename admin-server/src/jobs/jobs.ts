import { forgetAlerts } from "shared/db/alert/alert";
import { forgetOldAssistantUses } from "shared/db/assistant-use";
import { deleteBackfillsBefore, askForMissed, type BackfillRow, holdBackfill, restBackfill, takeBackRequests } from "shared/db/backfill";
import { findBinding } from "shared/db/binding";
import type { Sql } from "shared/db/connect";
import { forgetOldKinds } from "shared/db/event-kind";
import { forgetExpiredKeys, oldestKeys } from "shared/db/event/answer";
import { forgetUnusedMedia } from "shared/db/media-file";
import { listFailed, type ResendJobRow, advanceResendJob, lockResendJob, postponeResendJob } from "shared/db/notification/resend";
import { countDays, findSitesToCount } from "shared/db/notification/statistics";
import { forgetLiftedOptOuts } from "shared/db/opt-out";
import { forgetOutgoing } from "shared/db/outbox";
import { takeJobTurn } from "shared/db/owned";
import { deleteRefusedRequests } from "shared/db/refused-request";
import { deleteRequestsBefore } from "shared/db/requested-event";
import {
  deleteBefore,
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
import { listActivePhones } from "shared/db/site-recipient";
import { inTransaction } from "shared/db/transaction";
import { readBacklog } from "shared/db/waiting/list";
import { deleteDeliveriesBefore } from "shared/db/webhook/log";
import { readRowCodec } from "shared/sealing/account-rows";
import { anyRecord, resealColumn, sealedNames } from "shared/sealing/reseal";
import { readValue } from "shared/secrets/row-codec";
import { repeat } from "shared/server/retry";
import { type AlertingTimes, watchAccounts } from "../alerts/watch.ts";
import { isChosen, type ResendContext, resendMessages, toFailedFilter } from "../api/resends.ts";
import type { AdminContext } from "../context.ts";
import { learnToFind } from "../learning/search.ts";
import { forgetSandboxMessages } from "../sandbox/account.ts";
import { type EncryptingTimes, workOnEncryptions } from "./encrypting.ts";
import { type ErasingTimes, workOnErasures } from "./erasing.ts";
import { startSending, type SendingTimes } from "./sending.ts";
import { pollTemplates, type PollTimes } from "./template-poll.ts";

const forgetMs = 3_600_000;
/** A request for fields learns the newest events at once; this interval only keeps the other events from piling up. */
const learnMs = 5_000;
/** How soon a new event can be found by its content. */
const findMs = 1_000;
/** About how late a late status appears in the statistics. */
const countMs = 60_000;
const resendMs = 1_000;
const sealMs = 1_000;
/** Between two searches for values that a program of an earlier version stored in the clear. */
const sealAgainMs = 3_600_000;

export interface JobTimes {
  polling: PollTimes;
  erasing: ErasingTimes;
  encrypting: EncryptingTimes;
  sending: SendingTimes;
  alerting: AlertingTimes;
  /** Between two looks whether retention is due, in milliseconds. */
  retentionMs: number;
  /** The longest pause between two runs of a job, in milliseconds. */
  longestPauseMs: number;
}

/** Starts the background jobs of an admin server. The returned function stops them and waits for runs under way. */
export function startJobs(
  context: AdminContext,
  { polling, erasing, encrypting, sending, alerting, retentionMs, longestPauseMs }: JobTimes,
): () => Promise<void> {
  const every = (pauseMs: number, job: () => Promise<unknown>) => repeat(job, Math.min(pauseMs, longestPauseMs), context.log);
  const stops = [
    pollTemplates(context, polling),
    startSending(context, sending),
    every(alerting.tickMs, () => watchAccounts(context, alerting)),
    every(forgetMs, () => forgetUnusedMedia(context.sql)),
    every(learnMs, () => context.learner.round()),
    every(findMs, () => learnToFind(context)),
    every(countMs, () => countDueDays(context)),
    every(retentionMs, () => applyRetention(context)),
    every(erasing.tickMs, () => workOnErasures(context, erasing)),
    every(encrypting.tickMs, () => workOnEncryptions(context, encrypting)),
    every(resendMs, () => resendMany(context)),
    every(backfillMs, () => workOnBackfills(context)),
    every(sealMs, createClearSealer(context)),
  ];
  return async () => void (await Promise.all(stops.map((stop) => stop())));
}

/** Seals values that earlier versions stored in the clear: soon after the start, and from time to time, since such a version may still run beside this one. */
function createClearSealer({ sql, vault, stopping, log }: AdminContext): () => Promise<void> {
  let notBefore = 0;
  return async () => {
    if (performance.now() < notBefore) return;
    for (const name of sealedNames) {
      const { sealed } = await resealColumn(sql, vault, name, anyRecord, { stopping });
      if (sealed > 0) log.info({ column: name, sealed }, "values that were stored in the clear are encrypted now");
    }
    notBefore = performance.now() + sealAgainMs;
  };
}

const sitesAtOnce = 100;

/** Counts the messages of past days for the statistics, each site at one server at a time. */
async function countDueDays({ sql, stopping, log }: Pick<AdminContext, "sql" | "stopping" | "log">): Promise<void> {
  for (const siteId of await findSitesToCount(sql, sitesAtOnce)) {
    try {
      while (!stopping.aborted && (await inTransaction(sql, async (transaction) => countDays(transaction, siteId))));
    } catch (error) {
      log.warn({ err: error, siteId }, "a site's messages could not be counted and will be tried again");
    }
  }
}

/** The messages of one transaction: the payload of an event may have a megabyte. */
const messagesAtOnce = 50;

/** Works on the open resend jobs, a batch a transaction, until none is left. A server that dies leaves whole batches. */
async function resendMany({ sql, vault, stopping, clock }: ResendContext & Pick<AdminContext, "stopping">): Promise<void> {
  let job: ResendJobRow | undefined;
  const step = async (transaction: Sql): Promise<void> => {
    job = await lockResendJob(transaction);
    if (job !== undefined) await resendBatch({ sql: transaction, vault, clock }, job);
  };
  try {
    do await inTransaction(sql, step);
    while (job !== undefined && !stopping.aborted);
  } catch (error) {
    // The other jobs go first.
    if (job !== undefined) await postponeResendJob(sql, job.id);
    throw error;
  }
}

async function resendBatch(context: ResendContext, job: ResendJobRow): Promise<void> {
  const { sql, vault } = context;
  const { id, account_id, force } = job;
  const rows = await readRowCodec(sql, vault, account_id);
  const phone = job.filter.phone && readValue(rows, job.filter.phone, "resend_job.filter", id, null);
  // The filter without its phone would match everybody.
  if (phone === null) return await advanceResendJob(sql, id, { resent: 0, refused: 0, below: null });
  const filter = { ...job.filter, phone };
  const page = { from: filter.fromId ?? null, before: job.below, limit: messagesAtOnce };
  const ids = await listFailed(sql, account_id, toFailedFilter(rows, filter), page);
  const outcomes = ids.length === 0 ? [] : await resendMessages(context, account_id, ids, { force, looked: isChosen(filter) });
  const resent = outcomes.filter((outcome) => "isNew" in outcome && outcome.isNew).length;
  const refused = outcomes.filter((outcome) => "refused" in outcome).length;
  await advanceResendJob(sql, id, { resent, refused, below: ids.length < messagesAtOnce ? null : (ids.at(-1) ?? null) });
}

const retentionEverySeconds = 3_600;
const retentionLeaseSeconds = 300;
/** Rows of one statement: bounds how long it holds locks, and what a crash undoes. */
const rowsAtOnce = 1_000;
const noId = "00000000-0000-0000-0000-000000000000";

type RetentionContext = Pick<AdminContext, "sql" | "sandbox" | "log" | "stopping">;
/** Called before each step. Throws if another server has the turn by now, or if this one stops. */
type Step = () => Promise<void>;

/**
 * Deletes rows that are older than their account keeps them, once an hour at one of the servers. Partitions that no account keeps are dropped whole; the
 * rest is deleted in small batches. An interrupted run is continued soon.
 */
export async function applyRetention(context: RetentionContext): Promise<void> {
  const { sql, log } = context;
  await takeJobTurn(sql, { name: "retention", seconds: retentionLeaseSeconds }, async (extend) => {
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
  for (const forget of [forgetOutgoing, forgetAlerts]) {
    do await step();
    while ((await forget(sql, rowsAtOnce)) === rowsAtOnce);
  }
  for (let after: string | null = oldestKeys.after; after !== null;) {
    await step();
    after = (await forgetExpiredKeys(sql, { ...oldestKeys, after })).next;
  }
  await forgetSandboxMessages(context, step);
}

const tablesOf = ({ payloads_before, log_before }: Omit<SiteRetention, "site_id">): [LogTable, string][] => [
  ["event_payload", payloads_before],
  ["event_search", payloads_before],
  ["notification", log_before],
  ["event", log_before],
];

async function forgetOfSite({ sql }: RetentionContext, site: SiteRetention, step: Step): Promise<void> {
  const { site_id: siteId, log_before: before } = site;
  await deleteRefusedRequests(sql, siteId, site.payloads_before);
  for (const [table, tableBefore] of tablesOf(site)) {
    do await step();
    while ((await deleteBefore(sql, table, siteId, tableBefore, rowsAtOnce)) === rowsAtOnce);
  }
  do await step();
  while ((await deleteDeliveriesBefore(sql, siteId, before, rowsAtOnce)) === rowsAtOnce);
  for (let after: string | null = noId; after !== null;) {
    await step();
    after = (await deleteOrdersBefore(sql, siteId, before, { after, limit: rowsAtOnce })).next;
  }
  for (let after: string | null = noId; after !== null;) {
    await step();
    after = (await deleteHistories(sql, siteId, { after, limit: rowsAtOnce })).next;
  }
  do await step();
  while ((await deleteRequestsBefore(sql, site, rowsAtOnce)) === rowsAtOnce);
  await deleteBackfillsBefore(sql, siteId, before);
  await forgetOldKinds(sql, site);
  await deleteResendJobsBefore(sql, siteId, before);
  await deleteEmptySite(sql, siteId, before);
}

/** The time between two looks for open backfills, and the least time between two steps of one. */
const backfillMs = 1_000;
const restMs = 900;

/** The part of an account's pace that backfills use; the rest is for new events. */
const partOfPace = 0.5;
/** The pace of backfills in an account without one. */
const unpacedPerSecond = 80;

/** Advances each open backfill, one step a second over all servers. One transaction a step: a server that dies leaves whole steps. */
async function workOnBackfills({ sql, stopping }: Pick<AdminContext, "sql" | "stopping">): Promise<void> {
  const step = async (transaction: Sql): Promise<boolean> => {
    const backfill = await holdBackfill(transaction, restMs);
    if (backfill !== undefined) await advance(transaction, backfill);
    return backfill !== undefined;
  };
  while (!stopping.aborted && (await inTransaction(sql, step)));
}

/** Asks for as many events as may wait beside the current ones. */
async function advance(sql: Sql, backfill: BackfillRow): Promise<void> {
  const { id, open } = backfill;
  if (backfill.cancelled_at !== null) {
    const { count } = await takeBackRequests(sql, id);
    return void (await restBackfill(sql, id, open - count <= 0));
  }
  const room = await roomFor(sql, backfill);
  const asked = room > 0 ? await askForMissed(sql, backfill, room) : 0;
  await restBackfill(sql, id, room > 0 && asked === 0 && open === 0);
}

/** How many events the backfill may ask for now: messages that are due already come first. */
async function roomFor(sql: Sql, { account_id: accountId, site_id, binding_id, open }: BackfillRow): Promise<number> {
  const backlog = await readBacklog(sql, accountId, null);
  const binding = await findBinding(sql, accountId, binding_id);
  const perEvent = binding?.recipient.strategy === "site_recipients" ? Math.max(1, (await listActivePhones(sql, site_id)).length) : 1;
  const perSecond = Math.max(1, (backlog?.limit_per_second ?? unpacedPerSecond) * partOfPace);
  const waiting = (backlog?.queued ?? 0) + open * perEvent;
  return waiting >= perSecond ? 0 : Math.max(1, Math.floor((perSecond - waiting) / perEvent));
}
