import { optedOut } from "shared/core/plan";
import { hearsCallbacks } from "shared/db/event/take-over";
import { retryWhileAway, withTimeout } from "shared/db/transaction";
import { settleWaiting, type WaitingOutcome, type WaitingResult } from "shared/db/waiting/settle";
import { listDueSites, type TakenMessage } from "shared/db/waiting/take";
import type { DueSite } from "shared/db/waiting/turns";
import type { InFlight } from "shared/platform/client";
import { readUnsent, unreadableContent } from "shared/sealing/stored-rows";
import { repeat } from "shared/server/retry";
import type { GatewayContext } from "../context.ts";
import type { Dispatch, SendLimits } from "../ingest/dispatch.ts";
import { waveSize } from "../ingest/event.ts";
import { type GatewayLease, leaseMarginMs, takenSendMs } from "../ingest/lease.ts";
import { optedOutIds } from "../ingest/opt-outs.ts";
import { type OutgoingMessage, toOutgoing } from "../ingest/outgoing.ts";
import type { Pace } from "../ingest/pace.ts";
import type { SiteConfig, SiteDirectory } from "../sites/sites.ts";
import { defaultTimeLimits } from "../time-limits.ts";
import { createHeldMessages, type HeldMessages } from "./held.ts";
import { afterTry, failed, failedFor, judge, untried } from "./judge.ts";

/**
 * Sends the messages that do not leave with their event: scheduled, queued, and tried again. All gateways take them from one table; a gateway that stores
 * some takes them at once if it has room. Accounts share a gateway evenly, an account's sites take turns, and a recipient gets one message at a time.
 */
export interface Queue {
  /** A site may have messages that are due. */
  signal(site: DueSite): void;
  /** Takes no more messages, and waits for those that are being sent. */
  stop(): Promise<void>;
}

interface QueueParts extends WaveParts {
  inFlight: InFlight;
  lease: GatewayLease;
  pace: Pace;
}

/** An account with messages that are due, and its sites in the order of their turns. */
interface BusyAccount {
  id: string;
  sites: Set<string>;
  /** The waves that are under way. */
  waves: number;
  isDraining: boolean;
}

/** How many sites with waiting messages one look for due ones passes. */
const sitesAtOnce = 1_000;
const firstSite = "00000000-0000-0000-0000-000000000000";

export function createQueue(context: GatewayContext, parts: QueueParts): Queue {
  const { sql, config, log } = context;
  const { statementMs, dueMs } = config.timeLimits;
  const busy = new Map<string, BusyAccount>();
  const running = new Set<Promise<unknown>>();
  const stopping = { isAsked: false };
  let after = firstSite;

  const track = (work: Promise<unknown>): void => {
    running.add(work);
    void work.finally(() => running.delete(work));
  };
  const forgetIdle = ({ id, isDraining, waves }: BusyAccount): void => {
    if (!isDraining && waves === 0) busy.delete(id);
  };

  const sendWave = createSendWave(context, parts);
  const send: Send = (account, messages, limits) => {
    account.waves += 1;
    const sending = sendWave(messages, limits)
      .then((due) => due.forEach(signal))
      .catch((error: unknown) => log.error({ err: error }, "what became of waiting messages could not be recorded"));
    track(
      sending.finally(() => {
        account.waves -= 1;
        forgetIdle(account);
      }),
    );
    return sending;
  };
  const held = createHeldMessages(context);
  const wavesInAll = (): number => [...busy.values()].reduce((sum, { waves }) => sum + waves, 0);
  const drain = createDrain(context, { ...parts, held }, { send, wavesInAll, stopping });

  const signal = ({ account_id: id, site_id }: DueSite): void => {
    if (stopping.isAsked) return;
    const account = busy.get(id) ?? { id, sites: new Set(), waves: 0, isDraining: false };
    busy.set(id, account);
    account.sites.add(site_id);
    if (!account.isDraining) track(drain(account).then(() => forgetIdle(account)));
  };

  const look = async (): Promise<void> => {
    const found = await withTimeout(listDueSites(sql, after, sitesAtOnce), statementMs);
    after = found.length === sitesAtOnce ? (found.at(-1)?.site_id ?? firstSite) : firstSite;
    for (const site of found) if (site.is_due) signal(site);
    await held.handBackLost();
  };
  const stopLooking = repeat(look, dueMs, log);

  return {
    signal,
    stop: async () => {
      stopping.isAsked = true;
      await stopLooking();
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}

/** Begins to send messages of an account; resolves when they are recorded. */
type Send = (account: BusyAccount, ...wave: Parameters<SendWave>) => Promise<void>;

/** The most waves under way at once, of one account and in all, so that the gateway has room for events that somebody waits for. */
const mostWaves = 16;
const mostWavesInAll = 64;
/** The queue's part of an account's places; the others are for events that somebody waits for. */
const partOfQueue = 0.5;
/** How often an account without room looks again. */
const noRoomMs = 25;
/** A gateway with less of its lease left takes nothing, since it would have to hand it back. */
const leastLeaseMs = 2_000;

/** Takes the due messages of an account, wave by wave, as long as there are some and the gateway has room. */
function createDrain(
  { clock, log }: GatewayContext,
  { sites, inFlight, lease, pace, held }: QueueParts & { held: HeldMessages },
  { send, wavesInAll, stopping }: { send: Send; wavesInAll: () => number; stopping: { isAsked: boolean } },
) {
  /** Waits until messages of a site may be taken, and answers how many; their places are reserved. 0 when the gateway stops. */
  const roomFor = async (account: BusyAccount, siteId: string): Promise<number> => {
    while (!stopping.isAsked) {
      const site = sites.peek(siteId) ?? (await sites.refresh(siteId).catch(() => null));
      const limit = Math.min(waveSize, site === null ? waveSize : pace.room(site));
      const isFree = account.waves < mostWaves && wavesInAll() < mostWavesInAll && lease.endsAt - clock.monotonic() > leastLeaseMs;
      if (limit > 0 && isFree && inFlight.reserve(account.id, limit, partOfQueue)) return limit;
      await new Promise((resolve) => setTimeout(resolve, noRoomMs));
    }
    return 0;
  };

  /** Resolves when the messages are taken, not when they are sent. */
  const takeAndSend = async (account: BusyAccount, siteId: string, limit: number): Promise<void> => {
    let places = limit;
    const keep = (count: number): void => {
      inFlight.release(account.id, places - count);
      places = count;
    };
    try {
      const { endsAt } = lease;
      const { messages, isMore } = await held.take(siteId, limit);
      if (isMore) account.sites.add(siteId);
      keep(messages.length);
      if (messages.length === 0) return;
      const startBy = Math.min(clock.monotonic() + takenSendMs, endsAt - leaseMarginMs);
      void send(account, messages, { startBy, cutAt: endsAt - leaseMarginMs / 2, fromQueue: true }).finally(() => {
        held.release(messages);
        keep(0);
      });
    } catch (error) {
      keep(0);
      log.warn({ err: error }, "due messages could not be taken and will be looked for again");
    }
  };

  return async (account: BusyAccount): Promise<void> => {
    account.isDraining = true;
    // Sites that are added meanwhile take their turn behind the others.
    for (const siteId of account.sites) {
      account.sites.delete(siteId);
      const limit = await roomFor(account, siteId);
      if (limit === 0) break;
      await takeAndSend(account, siteId, limit);
    }
    account.isDraining = false;
  };
}

/** Judges messages that were taken, sends them and records what became of them; answers the sites where somebody's turn has come. */
type SendWave = (messages: readonly TakenMessage[], limits: SendLimits) => Promise<DueSite[]>;

interface WaveParts {
  sites: SiteDirectory;
  dispatch: Dispatch;
  lease: Pick<GatewayLease, "now">;
}

function createSendWave(context: GatewayContext, parts: WaveParts): SendWave {
  const { sql, clock, log, instanceId } = context;
  const sendOfSite = createSendOfSite(context, parts);

  const onAway = (error: unknown): void => log.warn({ err: error }, "results of waiting messages wait for the database");
  const record = (results: readonly WaitingResult[]): Promise<DueSite[]> =>
    retryWhileAway(() => settleWaiting(sql, instanceId, results), clock, onAway);

  return async (messages, limits) => {
    const sitesOfWave = [...new Set(messages.map(({ site_id }) => site_id))];
    const groups = sitesOfWave.map((siteId) => messages.filter(({ site_id }) => site_id === siteId));
    const outcomes = await Promise.all(
      groups.map((group) =>
        sendOfSite(group, limits).catch((error: unknown): WaitingOutcome[] => {
          log.error({ err: error }, "waiting messages could not be sent now");
          return group.map(() => untried(troubleSeconds));
        }),
      ),
    );
    await context.onStep?.("settle", messages[0]?.event_id ?? "");
    return await record(groups.flatMap((group, i) => group.map((message, j) => toResult(message, outcomes[i]?.[j]))));
  };
}

/** Sends the messages of one site; the outcomes stand in the order of the messages. */
function createSendOfSite(context: GatewayContext, { sites, dispatch, lease }: WaveParts) {
  const { sql } = context;
  const scale = context.config.timeLimits.firstRetryMs / defaultTimeLimits.firstRetryMs;

  /** The site as it is now: the messages tell its current versions. */
  const siteOf = async ({ site_id, site_version, account_version }: TakenMessage): Promise<SiteConfig | null> => {
    const known = sites.peek(site_id);
    const isCurrent = known?.siteVersion === site_version && known.accountVersion === account_version;
    return isCurrent ? known : await sites.refresh(site_id);
  };

  return async (messages: readonly TakenMessage[], limits: SendLimits): Promise<WaitingOutcome[]> => {
    const [first] = messages;
    const site = first === undefined ? null : await siteOf(first);
    if (site?.readable === false) return messages.map(() => untried(unreadableSeconds));
    const heard = messages.some(({ doubts }) => doubts > 0) && (await hearsCallbacks(sql, first?.account_id ?? ""));
    const judged = messages.map((message) => ({ message, outcome: judge(message, site, heard, lease.now()) }));
    const good = judged.flatMap(({ message, outcome }) => (outcome === null ? message : []));
    const sent = site === null || good.length === 0 ? new Map<string, WaitingOutcome>() : await sendGood(site, good, limits);
    return judged.map(({ message, outcome }) => outcome ?? sent.get(message.id) ?? untried(0));
  };

  /** Sends messages that only their recipient, the throttle or the platform can still stop. */
  async function sendGood(site: SiteConfig, messages: readonly TakenMessage[], limits: SendLimits): Promise<Map<string, WaitingOutcome>> {
    const readable = messages.map((message) => readUnsent(site.rows, message));
    const refused = await optedOutIds(context, site, readable);
    const outcomes = new Map<string, WaitingOutcome>();
    const wave: OutgoingMessage[] = [];
    for (const message of readable) {
      if (refused.has(message.id)) outcomes.set(message.id, failedFor(message, optedOut));
      else if (message.components === null) outcomes.set(message.id, failed(message, "interrupted", unreadableContent));
      else wave.push(toOutgoing({ ...message, components: message.components }));
    }
    await context.onStep?.("dispatch", wave[0]?.eventId ?? "");
    const results = new Map((wave.length > 0 ? await dispatch(site, wave, limits) : []).map((result) => [result.id, result]));
    for (const message of messages) {
      const result = results.get(message.id);
      if (result !== undefined) outcomes.set(message.id, afterTry(message, result, { now: lease.now(), random: Math.random(), scale }));
    }
    return outcomes;
  }
}

/** The pause while a stored secret of the site cannot be read: an operator has to enter it again. */
const unreadableSeconds = 60;
const troubleSeconds = 5;

const toResult = ({ account_id, phone_hash, site_id, id, take }: TakenMessage, outcome = untried(troubleSeconds) as WaitingOutcome) => ({
  account_id,
  phone_hash,
  site_id,
  id,
  take,
  outcome,
});
