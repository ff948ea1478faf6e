import { performance } from "node:perf_hooks";
import { storedText } from "shared/core/wording";
import { type Lease, workOffDue } from "shared/db/owned";
import { type ClaimedPoll, finishTemplatePoll, type PollOutcome, polls } from "shared/db/template-poll";
import { PlatformError } from "shared/platform/client";
import { callQuotaCodes } from "shared/platform/errors/known-errors";
import { CallsUsedUp, considerateClient } from "shared/platform/management-client";
import type { AdminContext } from "../context.ts";
import { platformCredentials } from "../platform-account.ts";
import { syncAccount, pollPeriodSeconds } from "../templates/sync.ts";

/** All in milliseconds. */
export const defaultPollTimes = {
  /** Between two looks at what is due. */
  tickMs: 5_000,
  /** Between two polls of one account. */
  periodMs: pollPeriodSeconds * 1000,
  /** The time after the first failure; doubled with each further one, up to the period. */
  retryMs: 60_000,
  /** How long a poll may take before another server takes it over. */
  leaseMs: 600_000,
};
export type PollTimes = typeof defaultPollTimes;

/** Accounts that one server polls at a time. */
const lanes = 2;

/** Reads the templates of every account that is due from the platform, each at one server at a time. */
export async function pollTemplates(context: AdminContext, times: PollTimes): Promise<void> {
  const how = { ...polls, seconds: times.leaseMs / 1000, atOnce: lanes, stopping: context.stopping };
  await workOffDue(context.sql, how, (claimed, lease) => pollAccount(context, times, lease, claimed));
}

/** Throws only when the database fails. */
async function pollAccount(context: AdminContext, times: PollTimes, lease: Lease, claimed: ClaimedPoll): Promise<void> {
  const { account_id: accountId, failures } = claimed;
  const error = await syncWithin(context, accountId, times.leaseMs).then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error !== null && context.stopping.aborted) return polls.release(context.sql, accountId, lease);
  if (error !== null) context.log.warn({ err: error, accountId }, "the account's templates could not be read");
  await finishTemplatePoll(context.sql, accountId, lease, outcomeOf(error, failures, times));
}

async function syncWithin(context: AdminContext, accountId: string, leaseMs: number): Promise<void> {
  const credentials = await platformCredentials(context, accountId);
  if (credentials === null) return;
  // The poll ends before the lease does, so that two servers never read at once.
  const cutAt = performance.now() + leaseMs * 0.8;
  const management = considerateClient(context.management, credentials.wabaId, { cutAt, signal: context.stopping });
  await syncAccount(context, management, credentials, { accountId, source: "poll" });
}

/** The next poll after a failure: soon, then ever later; without calls left, when the platform grants more. */
function outcomeOf(error: unknown, failures: number, { periodMs, retryMs }: PollTimes): PollOutcome {
  if (error === null) return { problem: null, nextIn: periodMs / 1000 };
  const backoff = Math.min(periodMs, retryMs * 2 ** Math.min(failures, 20));
  const wait = Math.max(backoff, regainMs(error, periodMs));
  const problem =
    error instanceof PlatformError ? error.message : storedText("The templates could not be read; the server's log says why.");
  return { problem, nextIn: wait / 1000 };
}

function regainMs(error: unknown, periodMs: number): number {
  if (error instanceof CallsUsedUp) return error.regainMs ?? periodMs;
  return error instanceof PlatformError && callQuotaCodes.has(error.facts?.code ?? "") ? periodMs : 0;
}
