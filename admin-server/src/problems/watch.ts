import { setTimeout as sleep } from "node:timers/promises";
import { alertKinds } from "shared/core/alert/alert";
import type { FoundProblem, ProblemKind } from "shared/core/problem/problem";
import { windowEnd } from "shared/core/schedule/window";
import { alertSwitchesOf, type AlertWatchRow, askForLook, looked, nextLook, watches, watchNewAccounts } from "shared/db/alert/watch";
import { type Lease, workOnDue } from "shared/db/owned";
import { noteCleared, noteOpened, type NoticeTimes, withdrawNotices } from "shared/db/problem/notice";
import { adoptAlerts, keepProblems, listStarts, mirrorAlerts, resolveGone } from "shared/db/problem/problem";
import { inTransaction } from "shared/db/statement";
import { tellDue, tellWeek } from "../alerts/tell.ts";
import type { AdminContext } from "../context.ts";
import { findProblems } from "./find.ts";
import { type Look, knownOf, toldWithin } from "./look.ts";

export const defaultAlertingTimes = {
  /** Between two looks for accounts that are due, in milliseconds. */
  tickMs: 5_000,
  /** Seconds between two looks at an account, if somebody is told of its problems, and if nobody is. */
  told: 60,
  untold: 600,
  /** Seconds after which another server may look. */
  lease: 60,
};
export type AlertingTimes = typeof defaultAlertingTimes;

export type AlertingContext = Pick<AdminContext, "sql" | "vault" | "config" | "clock" | "log" | "stopping">;

/** Looks at the accounts that are due, each at one server at a time. */
export async function watchAccounts(context: AlertingContext, times: AlertingTimes): Promise<void> {
  const { sql, stopping } = context;
  await watchNewAccounts(sql);
  while (!stopping.aborted && (await workOnDue(sql, { ...watches, seconds: times.lease }, workOn(context, times))));
}

const workOn =
  (context: AlertingContext, times: AlertingTimes) =>
  async (watch: AlertWatchRow, lease: Lease): Promise<void> => {
    const { sql, log } = context;
    try {
      await lookAt(context, watch, lease);
    } catch (error) {
      log.warn({ err: error, accountId: watch.account_id }, "an account could not be looked at for problems and will be again");
    }
    await watches.release(sql, watch.account_id, lease, nextLook(sql, times));
  };

/** How old a look may be that somebody sees, and how long they wait for a newer one. */
const freshSeconds = 5;
const longestWaitMs = 3_000;

/**
 * Looks at an account before somebody sees its problems, unless that was done a moment ago or another server does it: one look at a time and in five
 * seconds, however many ask. Who asks does not wait for a slow one, which goes on.
 */
export async function lookNow(context: AlertingContext, accountId: string): Promise<void> {
  const { sql, log } = context;
  if (!(await askForLook(sql, accountId, freshSeconds))) return;
  const look = workOnDue(sql, { ...watches, seconds: defaultAlertingTimes.lease }, workOn(context, defaultAlertingTimes), accountId);
  const done = look.catch((error: unknown) => log.warn({ err: error, accountId }, "an account could not be looked at"));
  await Promise.race([done, sleep(longestWaitMs, undefined, { ref: false })]);
}

/** Stores the problems and the notices in one transaction: a server that dies tells nothing twice and forgets nothing. */
async function lookAt(context: AlertingContext, watch: AlertWatchRow, lease: Lease): Promise<void> {
  const { account_id: accountId } = watch;
  const switches = alertSwitchesOf(watch);
  const off = alertKinds.filter((kind) => !switches[kind].enabled);
  const begun = context.clock();
  await adoptAlerts(context.sql, accountId);
  const known = await listStarts(context.sql, accountId);
  const found = (await findProblems({ context, accountId, switches, known })).map((problem) => dated(problem, { known, off, begun }));
  await inTransaction(context.sql, async (sql) => {
    // Another server has taken the look over.
    if (!(await watches.extend(sql, accountId, lease, looked(sql, begun)))) return;
    const opened = await keepProblems(sql, accountId, found);
    const resolved = (await resolveGone(sql, accountId, found)).map(({ id }) => id);
    const raised = [...opened, ...grownLoud(known, found)];
    await mirrorAlerts(sql, raised, resolved);
    const times = noticeTimesOf(watch, begun);
    await noteOpened(sql, accountId, raised, times);
    await noteCleared(sql, resolved, times);
    // Of kinds that are switched off nobody is told, not even of their end.
    await withdrawNotices(sql, accountId, off);
    await tellDue({ ...context, sql }, accountId);
    await tellWeek({ ...context, sql }, watch);
  });
}

/** The open problems that nobody was told of so far. */
const grownLoud = (known: Look["known"], found: readonly FoundProblem[]): string[] =>
  found.flatMap((problem) => {
    const row = problem.isQuiet === true ? undefined : knownOf({ known }, problem);
    return row === undefined || row.alerted || row.state === "resolved" ? [] : row.id;
  });

function noticeTimesOf({ quiet_hours, timezone, urgent_always }: AlertWatchRow, now: Date): NoticeTimes {
  const quietUntil = quiet_hours === null ? null : windowEnd(quiet_hours, timezone, now.getTime());
  const urgent: ProblemKind[] = urgent_always ? ["platform_stopped"] : [];
  return { quietUntil: quietUntil === null ? null : new Date(quietUntil), urgent };
}

const earliest = (...times: (Date | null | undefined)[]): Date | undefined =>
  times.flatMap((time) => time ?? []).toSorted((a, b) => a.getTime() - b.getTime())[0];

/** The problem as it is stored: without anybody's phone, and with the times that it had before where this look found none. */
function dated(problem: FoundProblem, { known, off, begun }: { known: Look["known"]; off: readonly ProblemKind[]; begun: Date }) {
  const row = knownOf({ known }, problem);
  const open = row === undefined || row.state === "resolved" ? undefined : row;
  // A message that was made earlier may fail later.
  const firstAt = earliest(problem.ofSpan === true ? null : open?.first_at, problem.firstAt) ?? problem.lastAt ?? begun;
  return {
    ...problem,
    detail: toldWithin(problem.detail),
    firstAt,
    lastAt: problem.lastAt ?? open?.last_at ?? firstAt,
    isQuiet: problem.isQuiet === true || off.includes(problem.kind),
  } as FoundProblem & { firstAt: Date; lastAt: Date };
}
