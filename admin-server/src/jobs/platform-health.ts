import { performance } from "node:perf_hooks";
import { nearShare, peopleOf } from "shared/core/connection-check";
import { daySeconds } from "shared/core/durations";
import { type Lease, workOffDue } from "shared/db/owned";
import { findPlatformAccount, pauseSeconds, resumeAfterEnd, stayAfterEnd } from "shared/db/platform-account";
import { countPeople, finishHealthCheck, healthChecks, type NextCheck } from "shared/db/platform-health";
import type { ConnectionTest } from "shared/platform/connection-check";
import { considerateClient } from "shared/platform/management-client";
import type { AdminContext } from "../context.ts";
import { askPlatform } from "../platform-account.ts";

/** Between two looks at what is due, in milliseconds. */
export const healthTickMs = 5_000;
/** How long a check may take before another server takes it over. */
const leaseSeconds = 120;
/** Between two checks of a number that is near its limit, and of a connection that fails. */
const nearSeconds = 600;
const failedSeconds = 3_600;
/** Accounts that one server checks at a time. */
const lanes = 2;

/** Checks the connections that are due: each once a day, at the end of a stop, and more often near the number's limit, at one server at a time. */
export async function checkPlatforms(context: AdminContext): Promise<void> {
  const how = { ...healthChecks, seconds: leaseSeconds, atOnce: lanes, stopping: context.stopping };
  await workOffDue(context.sql, how, (row, lease) => check(context, row.account_id, lease));
}

async function check(context: AdminContext, accountId: string, lease: Lease): Promise<void> {
  const { sql, log, stopping } = context;
  const wait = { cutAt: performance.now() + lease.seconds * 800, signal: stopping };
  try {
    const platform = await findPlatformAccount(sql, accountId);
    if (platform === undefined) return;
    const result = await askPlatform({ ...context, platform: considerateClient(context.management, platform.waba_id, wait) }, accountId);
    if (result === null || stopping.aborted) return await healthChecks.release(sql, accountId, lease);
    const { ok, health, checks, error = "" } = result;
    if (ok) await resumeAfterEnd(sql, accountId);
    const isAwaited = !ok && (await stayAfterEnd(sql, accountId, error));
    const next = await nextCheck(context, accountId, result);
    await finishHealthCheck(sql, accountId, lease, { health, checks }, isAwaited ? { ...next, nextIn: pauseSeconds } : next);
  } catch (error) {
    log.warn({ err: error, accountId }, "the account's connection could not be checked and will be again");
    await healthChecks.rest(sql, accountId, lease, failedSeconds);
  }
}

async function nextCheck({ sql }: AdminContext, accountId: string, { ok, health }: ConnectionTest): Promise<NextCheck> {
  const limit = peopleOf(health.limit);
  const { reached } = limit === null ? { reached: 0 } : await countPeople(sql, accountId, limit);
  if (limit !== null && reached >= limit * nearShare) return { nextIn: nearSeconds, fullFor: reached >= limit ? nearSeconds : 0 };
  return { nextIn: ok ? daySeconds : failedSeconds, fullFor: 0 };
}
