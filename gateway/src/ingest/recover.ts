import { optedOut } from "shared/core/plan";
import { describeReason } from "shared/core/reason";
import { say, storedText } from "shared/core/wording";
import { listLeft } from "shared/db/event/gateway-lease";
import type { HeldMessage, NotificationResult } from "shared/db/event/settle";
import {
  finishFromLog,
  giveBackTakenOver,
  hasDueEvents,
  hearsCallbacks,
  listUnsettled,
  markSending,
  type TakenEvent,
  takeOverEvents,
  type UnsettledNotification,
} from "shared/db/event/take-over";
import { newId } from "shared/db/ids";
import type { Lease } from "shared/db/owned";
import { withTimeout } from "shared/db/statement";
import { type ReadNotification, noTiming, readTimings, readUnsent, unreadableContent } from "shared/sealing/account-rows";
import { VaultError } from "shared/secrets/vault";
import { repeat } from "shared/server/retry";
import type { GatewayContext } from "../context.ts";
import { leaseMarginMs } from "../owning/lease.ts";
import { takenSendMs, createWorker } from "../owning/worker.ts";
import { waveSize } from "../sending/dispatch.ts";
import { optedOutIds } from "../sending/opt-outs.ts";
import { type Dispatch, interruptedReason, keepHeld, localFailure, type OutgoingMessage } from "../sending/outcome.ts";
import type { SiteDirectory } from "../sites/sites.ts";
import type { Settle } from "./deliver.ts";
import { timelessRow } from "./waiting.ts";

export type Recover = ReturnType<typeof createRecover>;

/** The parts that finish an event. */
type Finishing = [context: GatewayContext, sites: Pick<SiteDirectory, "refresh">, dispatch: Dispatch, settle: Pick<Settle, "record">];

const eventsAtOnce = 20;

/** How soon an event whose messages wait for a callback is taken up again. */
const lookAgainSeconds = 2;

/** Finishes events of gateways that died or lost their database. Runs in every gateway; the first to ask gets the event. */
export function createRecover(...parts: Finishing) {
  const [context] = parts;
  const { sql, clock, config, log } = context;
  const { leaseMs, statementMs, sweepMs, restMs } = config.timeLimits;
  const finish = createFinish(...parts);
  // What is taken over is known by its owner, also if the answer is lost.
  const owners = createWorker<{ id: string }>(context, {
    name: "events that were taken over",
    handBack: (some) => giveBackTakenOver(sql, some, lookAgainSeconds),
  });

  /** Takes over events that nobody finishes (or one); answers how many. What is not finished goes back and is looked at again. */
  const takeOver = async (limit: number, event?: { siteId: string; id: string }): Promise<number> => {
    const owner = { id: newId() };
    const lease = { owner: owner.id, seconds: leaseMs / 1000 };
    const leaseEndsAt = clock.monotonic() + leaseMs;
    let count = 0;
    await listLeft(sql, config.inDoubtSeconds);
    if (event === undefined && !(await withTimeout(hasDueEvents(sql), statementMs))) return 0;
    await owners.run([owner], async (hand) => {
      const taken = await withTimeout(takeOverEvents(sql, lease, { limit, event }), statementMs);
      count = taken.length;
      const ended = await Promise.allSettled(taken.map((one) => finish(one, lease, leaseEndsAt)));
      for (const end of ended) if (end.status === "rejected") log.error({ err: end.reason as unknown }, "recovery failed");
      if (ended.every((end) => end.status === "fulfilled" && end.value)) await hand.record([owner], async () => undefined);
    });
    return count;
  };

  let isStopping = false;
  // A sweep that hangs does not stop the next one: by then its leases have ended.
  const sweep = (): Promise<number> => withTimeout(takeOver(eventsAtOnce), 2 * leaseMs);
  /** Goes on without a pause while there is more. */
  const sweepAll = async (): Promise<void> => {
    while ((await sweep()) === eventsAtOnce && !isStopping);
  };
  const stopSweeping = repeat(sweepAll, sweepMs, log, { pulse: context.pulse, quietMs: restMs });

  return {
    sweep,
    /** Takes over one event at once, because its client has come back for it. */
    resume: async (siteId: string, eventId: string): Promise<void> => void (await takeOver(1, { siteId, id: eventId })),
    stop: async (): Promise<void> => {
      isStopping = true;
      await stopSweeping();
      await owners.stop();
    },
  };
}

/** Sends what is left of an event, and finishes it. Answers whether it could. */
function createFinish(...[context, sites, dispatch, settle]: Finishing) {
  const { sql, log, clock, config, metrics, vault } = context;
  const { leaseMs } = config.timeLimits;

  const finish = async (event: TakenEvent, lease: Lease, leaseEndsAt: number): Promise<boolean> => {
    const unsettled = await listUnsettled(sql, event, config.inDoubtSeconds);
    const record = recordingOf(event, leaseEndsAt, lease);
    const messages = await closeLost(context, event, unsettled, record);
    const startBy = Math.min(clock.monotonic() + takenSendMs, leaseEndsAt - leaseMarginMs);
    for (let i = 0; i < messages.length && clock.monotonic() < startBy; i += waveSize)
      await sendWave(event, lease, messages.slice(i, i + waveSize), record);
    const finished = await finishFromLog(sql, event, lease);
    if (finished?.chat != null) metrics?.events(finished.chat);
    if (finished !== undefined) log.info({ event_id: event.id }, "an unfinished event is finished");
    return finished !== undefined;
  };
  const recordingOf =
    (event: TakenEvent, giveUpAt: number, lease: Lease): Recording =>
    (results, held) =>
      settle.record({ results, next: [], event: toProgress(event, lease.owner), held, hasWebhooks: true }, giveUpAt);

  const sendWave = async (event: TakenEvent, lease: Lease, wave: UnsettledNotification[], record: Recording) => {
    const site = await sites.refresh(event.site_id);
    if (site?.unreadable)
      throw new VaultError(say("A stored secret of site {site} cannot be read: enter it again in the dashboard", { site: site.id }));
    if (site === null) return void (await record(wave.map((message) => interrupted(event, message, deletedReason))));
    const [known, unknown] = partition(
      wave.map((message) => readUnsent(site.rows, message)),
      ({ components }) => components !== null,
    );
    if (unknown.length > 0) await record(unknown.map((message) => interrupted(event, message, unreadableContent)));
    const optOuts = await optedOutIds(context, site, known);
    const refused = known.filter(({ id }) => optOuts.has(id));
    if (refused.length > 0) await record(refused.map((message) => closed(event, message, optedOut.code, describeReason(optedOut))));
    const ids = known.map(({ id }) => id);
    // The mark extends the lease. However long the statements before it took, the messages have all of their time.
    const markedAt = clock.monotonic();
    const outgoing = marked(event, known, await markSending(sql, event, lease, ids));
    if (outgoing.length === 0) return;
    const cutAt = markedAt + leaseMs - leaseMarginMs;
    const limits = { startBy: Math.min(markedAt + takenSendMs, cutAt), cutAt };
    const handed = (await dispatch(site, outgoing, limits)).filter(({ isUntried }) => isUntried !== true);
    const waiting = handed.flatMap(({ id, hold }) => (hold ? { siteId: event.site_id, id } : []));
    const timings = await readTimings({ sql, vault, rows: site.rows }, event.account_id, waiting);
    const rowOf = (message: OutgoingMessage) => ({ ...timelessRow(site, message, vault), ...(timings.get(message.id) ?? noTiming) });
    const { results, held } = keepHeld(site, handed, outgoing, rowOf);
    await recordingOf(event, markedAt + leaseMs, lease)(results, held);
  };

  return finish;
}

type Recording = (results: NotificationResult[], held?: HeldMessage[]) => Promise<unknown>;

/** Fails the messages that must not be sent; answers those to send now: queued ones, and those in doubt that the platform has not reported. */
async function closeLost({ sql }: GatewayContext, event: TakenEvent, unsettled: UnsettledNotification[], record: Recording) {
  const [ours, lost] = event.keyed ? [unsettled, []] : [[], unsettled];
  const waited = ours.filter(({ status, waited: isOver }) => status === "sending" && isOver);
  const heard = waited.length > 0 && (await hearsCallbacks(sql, event.account_id));
  const [again, over] = partition(waited, ({ attempt }) => heard && attempt === 1);
  if (over.length + lost.length > 0) await record([...over, ...lost].map((message) => interrupted(event, message, interruptedReason)));
  return [...ours.filter(({ status }) => status === "queued"), ...again];
}

function partition<T>(items: readonly T[], belongs: (item: T) => boolean): [T[], T[]] {
  return [items.filter(belongs), items.filter((item) => !belongs(item))];
}

const deletedReason = storedText("The site was deleted before this message could be sent.");

/** The event stays unfinished here: `finishFromLog` finishes it. */
const toProgress = ({ site_id, id }: TakenEvent, owner: string) => ({
  site_id,
  id,
  owner,
  chat: null,
  recipients_sent: 0,
  recipients_failed: 0,
});

type Attempt = Pick<UnsettledNotification, "id" | "attempt">;

const closed = ({ site_id, id: event_id }: TakenEvent, { id, attempt }: Attempt, code: string, reason: string): NotificationResult =>
  localFailure(site_id, { id, event_id, attempt }, code, reason);

const interrupted = (event: TakenEvent, message: Attempt, reason: string): NotificationResult =>
  closed(event, message, "interrupted", reason);

/** The messages that were marked `sending`, each with the attempt that the mark gave it. */
const marked = ({ id: event_id }: TakenEvent, messages: ReadNotification[], attempts: Map<string, number>): OutgoingMessage[] =>
  messages.flatMap(({ components, ...message }) => {
    const attempt = attempts.get(message.id);
    return attempt === undefined || components === null ? [] : { ...message, event_id, components, attempt };
  });
