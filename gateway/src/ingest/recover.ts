import type { MessageComponent } from "shared/core/template/definition";
import type { NotificationResult } from "shared/db/event/settle";
import {
  finishFromLog,
  hearsCallbacks,
  listUnsettled,
  markSending,
  releaseEvent,
  takeOverEvents,
  type TakenEvent,
  type UnsettledNotification,
} from "shared/db/event/take-over";
import { newId } from "shared/db/ids";
import { withTimeout } from "shared/db/transaction";
import { repeat } from "shared/server/retry";
import type { GatewayContext } from "../context.ts";
import type { SiteDirectory } from "../sites/sites.ts";
import type { Settle } from "./deliver.ts";
import type { Dispatch, OutgoingMessage } from "./dispatch.ts";
import { waveSize, localFailure } from "./event.ts";
import { optOutResults } from "./opt-outs.ts";

/** Finishes what a gateway that died, or lost its database, left unfinished. Runs in every gateway; an event goes to whoever asks first. */
export interface Recover {
  /** Looks after one event at once, because its client has come back for it. */
  resume(siteId: string, eventId: string): Promise<void>;
  /** One look at everything that has lapsed; answers how many events it took. */
  sweep(): Promise<number>;
  stop(): Promise<void>;
}

const eventsAtOnce = 20;
/** How soon an event whose messages wait for the platform's word is looked at again. */
const lookAgainSeconds = 2;
const sendMs = 12_000;
const leaseMarginMs = 500;

export function createRecover(context: GatewayContext, sites: SiteDirectory, dispatch: Dispatch, settle: Pick<Settle, "record">): Recover {
  const { sql, log, clock, config } = context;
  const leaseSeconds = config.timeLimits.leaseMs / 1000;

  const takeOver = async (limit: number, event?: { siteId: string; id: string }): Promise<number> => {
    const owner = newId();
    const leaseEndsAt = clock.monotonic() + config.timeLimits.leaseMs;
    const taken = await takeOverEvents(sql, { owner, leaseSeconds, limit, event });
    await Promise.all(
      taken.map((one) => work(one, owner, leaseEndsAt).catch((error: unknown) => log.error({ err: error }, "recovery failed"))),
    );
    return taken.length;
  };

  const work = async (event: TakenEvent, owner: string, leaseEndsAt: number): Promise<void> => {
    const unsettled = await listUnsettled(sql, event, config.inDoubtSeconds);
    const record = async (results: NotificationResult[]) =>
      settle.record({ results, next: [], events: [toProgress(event, owner)] }, leaseEndsAt);
    const resend = await judge(event, unsettled, record);
    const startBy = Math.min(clock.monotonic() + sendMs, leaseEndsAt - leaseMarginMs);
    for (let i = 0; i < resend.length && clock.monotonic() < startBy; i += waveSize) {
      const site = await sites.refresh(event.site_id);
      const optedOut = site ? await optOutResults(context, site, event.id, resend.slice(i, i + waveSize)) : [];
      if (optedOut.length > 0) await record(optedOut);
      const marked = await markSending(
        sql,
        event,
        owner,
        leaseSeconds,
        resend.slice(i, i + waveSize).map(({ id }) => id),
      );
      const wave = toOutgoing(event, resend, marked);
      const limits = { startBy, cutAt: leaseEndsAt - leaseMarginMs };
      if (wave.length > 0)
        await record(site ? await dispatch(site, wave, limits) : wave.map((message) => interrupted(event, message, deletedReason)));
    }
    if (await finishFromLog(sql, event, owner)) log.info({ eventId: event.id }, "an unfinished event is finished");
    else await releaseEvent(sql, event, owner, lookAgainSeconds);
  };

  /** Closes what must not be sent, and answers what is to be sent now: the queued ones, and those in doubt that the platform knows nothing of. */
  const judge = async (event: TakenEvent, unsettled: UnsettledNotification[], record: Recording): Promise<UnsettledNotification[]> => {
    // No client retries a resend, so we finish it ourselves, as we do events with an idempotency key.
    const [ours, lost] = partition(unsettled, ({ resend }) => event.keyed || resend);
    const waited = ours.filter(({ status, waited: over }) => status === "sending" && over);
    const heard = waited.length > 0 && (await hearsCallbacks(sql, event.account_id));
    const [again, closed] = partition(waited, ({ attempt }) => heard && attempt === 1);
    if (closed.length + lost.length > 0)
      await record([...closed, ...lost].map((message) => interrupted(event, message, interruptedReason)));
    return [...ours.filter(({ status }) => status === "queued"), ...again];
  };

  // Whatever hangs, the next look comes: by then what this one took is anybody's.
  const sweep = async (): Promise<number> => withTimeout(takeOver(eventsAtOnce), 2 * config.timeLimits.leaseMs);
  return {
    sweep,
    resume: async (siteId, eventId) => void (await takeOver(1, { siteId, id: eventId })),
    stop: keepSweeping(context, sweep),
  };
}

/** Thousands may be there at once, when a whole filter is sent again: then there is no pause. The answer stops it. */
function keepSweeping({ config, log }: GatewayContext, sweep: () => Promise<number>): () => Promise<void> {
  let stopping = false;
  const sweepAll = async (): Promise<void> => {
    while ((await sweep()) === eventsAtOnce && !stopping);
  };
  const stop = repeat(sweepAll, config.timeLimits.sweepMs, log);
  return async () => {
    stopping = true;
    await stop();
  };
}

function partition<T>(items: readonly T[], belongs: (item: T) => boolean): [T[], T[]] {
  return [items.filter(belongs), items.filter((item) => !belongs(item))];
}

const interruptedReason =
  "The gateway stopped while this message was being sent, and the platform has not said what became of it; resend it if it did not arrive.";

const deletedReason = "The site was deleted before this message could be sent.";

type Recording = (results: NotificationResult[]) => Promise<unknown>;

/** Still in our hands, and not finished: that is for `finishFromLog` to see. */
const toProgress = ({ site_id, id }: TakenEvent, owner: string) => ({
  site_id,
  id,
  owner,
  chat: null,
  recipients_sent: 0,
  recipients_failed: 0,
});

const interrupted = (
  { site_id, id: eventId }: TakenEvent,
  { id, attempt }: { id: string; attempt: number },
  reason: string,
): NotificationResult => localFailure(site_id, { id, eventId, attempt }, "interrupted", reason);

/** The messages that are marked as being sent, as the attempt that the mark made it. */
function toOutgoing(event: TakenEvent, messages: UnsettledNotification[], marked: Map<string, number>): OutgoingMessage[] {
  return messages.flatMap(({ id, template, language, to_phone, components }) => {
    const attempt = marked.get(id);
    const parsed = JSON.parse(components) as MessageComponent[];
    return attempt === undefined ? [] : [{ id, eventId: event.id, template, language, toPhone: to_phone, components: parsed, attempt }];
  });
}
