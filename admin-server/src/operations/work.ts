import { hurryWatch } from "shared/db/alert/watch";
import { askForMissed, type BackfillRow, cancelBackfill, holdBackfill, isBackfillOpen, readAhead, restBackfill } from "shared/db/backfill";
import { findBinding } from "shared/db/binding";
import { findErasureDue } from "shared/db/erasure/request";
import { collectRequested, countItems, removeItems } from "shared/db/operation/items";
import {
  type Advance,
  advanceNewOperation,
  advanceOperation,
  finishOperation,
  noteErasure,
  operations,
  readProgress,
  releaseOperation,
  type WorkingOperation,
} from "shared/db/operation/operation";
import { type Lease, workOffDue } from "shared/db/owned";
import { hasOpenRequests, takeBackRequests } from "shared/db/requested-event";
import { listActivePhones } from "shared/db/site-recipient";
import { type Sql, inTransaction } from "shared/db/statement";
import { cancelOfOperation, delayAgain } from "shared/db/waiting/cancel";
import { giveUpReplayed } from "shared/db/webhook/log";
import type { AdminContext } from "../context.ts";
import { type ErasingTimes, workOnErasure } from "./erasing.ts";
import { isPaged, runPage } from "./pages.ts";

/** All in milliseconds. */
export const defaultOperationTimes = {
  /** Between two looks for operations that are due. */
  tickMs: 1_000,
  /** How long a page may take before another server takes the operation over. */
  leaseMs: 15_000,
  /** How long a server works on one operation before it looks for another. */
  turnMs: 1_000,
  /** Until an operation that waits, such as for its messages, is looked at again. */
  restMs: 1_000,
};
export type OperationTimes = typeof defaultOperationTimes & { erasing: ErasingTimes };

type OperationContext = Pick<AdminContext, "sql" | "vault" | "sandbox" | "testSandbox" | "log" | "stopping" | "clock" | "pulse">;

/** The operations that a server works on at a time. */
const atOnce = 4;

/** Works on the operations that are due, page by page, each at one server at a time. One whose server dies goes on at its last page once the lease has ended. */
export async function workOnOperations(context: OperationContext, times: OperationTimes): Promise<void> {
  const { sql, log, stopping } = context;
  const how = { ...operations, seconds: times.leaseMs / 1000, atOnce, stopping };
  await workOffDue(sql, how, async (operation, lease) => {
    context.pulse?.stir();
    try {
      const againIn = await takeTurn(context, operation, lease, times);
      await releaseOperation(sql, operation.id, lease, againIn);
    } catch (error) {
      log.warn({ err: error, operationId: operation.id }, "an operation was interrupted and goes on later");
      await releaseOperation(sql, operation.id, lease, troubleSeconds);
    }
  });
}

const troubleSeconds = 5;

/** Advances an operation; answers in how many seconds it is due again. */
async function takeTurn(context: OperationContext, operation: WorkingOperation, lease: Lease, times: OperationTimes): Promise<number> {
  const { sql, stopping } = context;
  const { id } = operation;
  const until = performance.now() + times.turnMs;
  if (operation.finished_at === null && operation.kind === "erasure") await workOnErasure(context, times.erasing, id, until);
  let now = operation;
  while (isPaged(now.kind) && now.asked_at === null && now.stopping_at === null && now.finished_at === null) {
    const { position } = now;
    now = await inTransaction(sql, async (transaction) => {
      await record(transaction, id, lease, await runPage({ ...context, sql: transaction }, now));
      return await readProgress(transaction, id);
    });
    if (now.position === position || performance.now() >= until || stopping.aborted) break;
  }
  const rest = await inTransaction(sql, async (transaction) => follow(transaction, await readProgress(transaction, id), lease));
  if (rest === "erasure") return (await findErasureDue(sql, id)) ?? 0;
  return rest === "now" ? 0 : rest === "soon" ? times.restMs / 1000 : rest;
}

/** @throws when another server has taken the operation over, so that the transaction is rolled back */
async function record(sql: Sql, id: string, lease: Lease, advance: Advance): Promise<void> {
  if (!(await advanceOperation(sql, id, lease, advance))) throw new Error("another server has taken the operation over");
}

/** When an operation is due again: `now`, `soon`, once its erasure is, or in so many seconds. */
type Rest = "now" | "soon" | "erasure" | number;

/** Asks for the next events of a backfill, takes back what is to be stopped, counts what became of the rest, and ends what has nothing left to do. */
async function follow(sql: Sql, operation: WorkingOperation, lease: Lease): Promise<Rest> {
  const { id, kind, finished_at } = operation;
  if (kind === "erasure") return (await noteErasure(sql, id)) ? finish(sql, operation, 0) : "erasure";
  const { stopping_at: stoppingAt } = operation;
  let { asked_at: askedAt } = operation;
  let takenBack = 0;
  if (finished_at === null && kind === "backfill") {
    const isAsked = await advanceBackfill(sql, operation);
    if (isAsked && askedAt === null) await record(sql, id, lease, { position: null });
    if (isAsked) askedAt ??= new Date();
  }
  if (finished_at === null && stoppingAt !== null) {
    takenBack = await takeBack(sql, operation);
    await record(sql, id, lease, { takenBack, ...(kind !== "backfill" && { position: null }) });
    if (kind !== "backfill") askedAt = stoppingAt;
  }
  const hasRequests = kind === "backfill" || kind === "replay";
  if (hasRequests) await collect(sql, id, lease);
  const { pending, settled, ...changes } = await countItems(sql, id);
  const without = askedAt === null ? 0 : missedOf(operation);
  await record(sql, id, lease, { changes: { ...changes, skipped: changes.skipped + without }, settled, without });
  if (finished_at !== null) return restOf(finished_at);
  if (askedAt !== null && pending === 0 && !(hasRequests && (await hasOpenRequests(sql, id)))) return finish(sql, operation, 1);
  return (isPaged(kind) && askedAt === null) || takenBack > 0 ? "now" : "soon";
}

/** The parts of the start that the pages, which have all been worked on, did not find any more. */
const missedOf = ({ kind, total, made, without, stopping_at, finished_at }: WorkingOperation): number =>
  isPaged(kind) && stopping_at === null && finished_at === null ? Math.max(0, total - made - without) : 0;

/** What it has changed, and what a stop took back, is looked for among the problems at once. */
async function finish(sql: Sql, { id, account_id, finished_at }: WorkingOperation, againIn: number): Promise<number> {
  if (finished_at !== null) return againIn;
  await finishOperation(sql, id);
  await hurryWatch(sql, account_id);
  return againIn;
}

/** The longer ago an operation has finished, the less often its messages are counted again. */
const mostRestSeconds = 3_600;

const restOf = (finishedAt: Date): number => Math.min(mostRestSeconds, Math.max(1, (Date.now() - finishedAt.getTime()) / 10_000));

/** Takes the messages of a replay or a backfill among its own. */
async function collect(sql: Sql, id: string, lease: Lease): Promise<void> {
  const { requests, reached, messages } = await collectRequested(sql, id);
  if (requests === 0) return;
  const without = requests - reached;
  await record(sql, id, lease, {
    changes: { waiting: messages, skipped: without },
    made: messages,
    without,
    // An event may have several messages.
    more: messages - reached,
  });
}

/** Takes back at once what has not left of an operation that a call has just stopped: gateways would go on sending until a server turns to it. */
export async function takeBackNow(sql: Sql, operation: Pick<WorkingOperation, "id" | "kind">): Promise<void> {
  if (operation.kind === "resend" || operation.kind === "send_now")
    await advanceNewOperation(sql, operation.id, { takenBack: await takeBack(sql, operation) });
}

/** Takes back what has not left, some at a time; answers how many items it was. */
async function takeBack(sql: Sql, { id, kind }: Pick<WorkingOperation, "id" | "kind">): Promise<number> {
  if (kind === "backfill") await cancelBackfill(sql, id);
  if (kind === "backfill" || kind === "replay") await takeBackRequests(sql, id);
  if (kind === "replay_deliveries") return await removeItems(sql, id, await giveUpReplayed(sql, id));
  const back = kind === "send_now" ? await delayAgain(sql, id) : await cancelOfOperation(sql, id);
  const ids = back.map((message) => message.id);
  return await removeItems(sql, id, ids);
}

/** The part of an account's pace that backfills use; the rest is for new events. */
const partOfPace = 0.5;
/** The pace of backfills in an account without one. */
const unpacedPerSecond = 80;
/** The least time between two steps of a backfill. */
const backfillRestMs = 900;

/** Asks for as many events as may wait beside the current ones. Answers whether everything was asked for. */
async function advanceBackfill(sql: Sql, { id }: WorkingOperation): Promise<boolean> {
  const backfill = await holdBackfill(sql, id, backfillRestMs);
  if (backfill === undefined) return !(await isBackfillOpen(sql, id));
  if (backfill.cancelled_at !== null) {
    const count = await takeBackRequests(sql, id);
    const isAsked = backfill.open - count <= 0;
    await restBackfill(sql, id, isAsked);
    return isAsked;
  }
  const room = await roomFor(sql, backfill);
  const isAsked = room > 0 && (await askForMissed(sql, backfill, room)) && backfill.open === 0;
  await restBackfill(sql, id, isAsked);
  return isAsked;
}

/** How many events the backfill may ask for now: what is due already comes first. */
async function roomFor(sql: Sql, backfill: BackfillRow): Promise<number> {
  const { account_id: accountId, site_id, binding_id, open } = backfill;
  const before = await readAhead(sql, backfill);
  const binding = await findBinding(sql, accountId, binding_id);
  const perEvent = binding?.recipient.strategy === "site_recipients" ? Math.max(1, (await listActivePhones(sql, site_id)).length) : 1;
  const perSecond = Math.max(1, (before?.limit_per_second ?? unpacedPerSecond) * partOfPace);
  const waiting = (before?.ahead ?? 0) + open * perEvent;
  return waiting >= perSecond ? 0 : Math.max(1, Math.floor((perSecond - waiting) / perEvent));
}
