import type { MessageComponent } from "shared/core/template/component";
import { newId } from "shared/db/new-id";
import { settle } from "shared/db/tables/event/settle";
import {
  finishFromLog, hearsCallbacks, listUnsettled, markSending, releaseEvent, takeOverEvents, type TakenEvent, type UnsettledNotification,
} from "shared/db/tables/event/take-over";
import { repeat } from "shared/server/repeat";

import type { GatewayContext } from "../context.ts";
import type { SiteDirectory } from "../sites/site-directory.ts";
import type { Dispatch, OutgoingMessage } from "./dispatch.ts";
import { localFailure } from "./local-failure.ts";
import { waveSize } from "./wave.ts";

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

export function createRecover(context: GatewayContext, sites: SiteDirectory, dispatch: Dispatch): Recover {
  const { sql, log, clock, config } = context;
  const leaseSeconds = config.timeLimits.leaseMs / 1000;

  const takeOver = async (limit: number, event?: { siteId: string; id: string }): Promise<number> => {
    const owner = newId();
    const leaseEndsAt = clock.monotonic() + config.timeLimits.leaseMs;
    const taken = await takeOverEvents(sql, { owner, leaseSeconds, limit, event });
    await Promise.all(taken.map((one) => work(one, owner, leaseEndsAt).catch((error: unknown) => log.error({ err: error }, "recovery failed"))));
    return taken.length;
  };

  const work = async (event: TakenEvent, owner: string, leaseEndsAt: number): Promise<void> => {
    const unsettled = await listUnsettled(sql, event, config.inDoubtSeconds);
    const resend = await judge(event, unsettled);
    const startBy = Math.min(clock.monotonic() + sendMs, leaseEndsAt - leaseMarginMs);
    for (let i = 0; i < resend.length && clock.monotonic() < startBy; i += waveSize) {
      await sendAgain(event, owner, resend.slice(i, i + waveSize), { startBy, cutAt: leaseEndsAt - leaseMarginMs });
    }
    if (await finishFromLog(sql, event, owner)) log.info({ eventId: event.id }, "an unfinished event is finished");
    else await releaseEvent(sql, event, owner, lookAgainSeconds);
  };

  /** Closes what must not be sent, and answers what is to be sent now: the queued ones, and those in doubt that the platform knows nothing of. */
  const judge = async (event: TakenEvent, unsettled: UnsettledNotification[]): Promise<UnsettledNotification[]> => {
    const waited = unsettled.filter(({ status, waited: over }) => status === "sending" && over);
    const heard = waited.length > 0 && (await hearsCallbacks(sql, event.account_id));
    const again = event.keyed ? waited.filter(({ attempt }) => heard && attempt === 1) : [];
    const closed = event.keyed ? waited.filter((message) => !again.includes(message)) : unsettled;
    if (closed.length > 0) {
      const results = closed.map(({ id }) => localFailure(event.site_id, id, "interrupted", interruptedReason));
      await settle(sql, { results, next: [], finished: [] });
    }
    return event.keyed ? [...unsettled.filter(({ status }) => status === "queued"), ...again] : [];
  };

  const sendAgain = async (event: TakenEvent, owner: string, wave: UnsettledNotification[], limits: { startBy: number; cutAt: number }) => {
    const site = await sites.refresh(event.site_id);
    const marked = new Set(await markSending(sql, event, owner, leaseSeconds, wave.map(({ id }) => id)));
    const mine = wave.filter(({ id }) => marked.has(id));
    const results = site
      ? await dispatch(site, mine.map(toOutgoing), limits)
      : mine.map(({ id }) => localFailure(event.site_id, id, "interrupted", "The site was deleted before this message could be sent."));
    await settle(sql, { results, next: [], finished: [] });
  };

  const sweep = async (): Promise<number> => takeOver(eventsAtOnce);
  return {
    sweep,
    resume: async (siteId, eventId) => void (await takeOver(1, { siteId, id: eventId })),
    stop: repeat(sweep, config.timeLimits.sweepMs, log),
  };
}

const interruptedReason = "The gateway stopped while this message was being sent, and the platform has not said what became of it; resend it if it did not arrive.";

function toOutgoing({ id, template, language, to_phone, components, attempt, status }: UnsettledNotification): OutgoingMessage {
  const parsed = JSON.parse(components) as MessageComponent[];
  return { id, template, language, toPhone: to_phone, components: parsed, attempt: status === "sending" ? attempt + 1 : attempt };
}
