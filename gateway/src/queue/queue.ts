import { dropStatuses } from "shared/core/message";
import { optedOut } from "shared/core/plan";
import { grouped } from "shared/core/text";
import { hearsCallbacks } from "shared/db/event/take-over";
import { withTimeout } from "shared/db/statement";
import { giveBackWaiting, settleWaiting, type WaitingOutcome } from "shared/db/waiting/settle";
import { listDueSites, listTaken, takeDue, type TakenMessage } from "shared/db/waiting/take";
import type { DueSite, OwnedMessage } from "shared/db/waiting/turns";
import type { GatewayMetrics } from "shared/metrics/metrics";
import { anyAccount, type InFlight } from "shared/platform/client";
import { readUnsent, unreadableContent } from "shared/sealing/account-rows";
import { eventIds } from "shared/server/logger";
import { type GatewayContext, step } from "../context.ts";
import { type GatewayLease, leaseMarginMs } from "../owning/lease.ts";
import { createPlaces } from "../owning/places.ts";
import { lookForDue } from "../owning/watch.ts";
import { createWorker, type Hand, takenSendMs } from "../owning/worker.ts";
import { waveSize } from "../sending/dispatch.ts";
import { optedOutIds } from "../sending/opt-outs.ts";
import { type Dispatch, type OutgoingMessage, type SendLimits } from "../sending/outcome.ts";
import type { Pace } from "../sending/pace.ts";
import type { SiteConfig, SiteDirectory } from "../sites/sites.ts";
import { defaultTimeLimits } from "../time-limits.ts";
import { afterTry, failed, failedFor, judge, untried } from "./judge.ts";

interface QueueParts {
  sites: Pick<SiteDirectory, "peek" | "refresh">;
  dispatch: Dispatch;
  inFlight: InFlight;
  lease: GatewayLease;
  pace: Pace;
}

/**
 * Sends the messages that do not leave with their event: scheduled, queued, and tried again. All gateways take them from one table; a gateway that stores
 * some takes them at once if it has room. Accounts share a gateway evenly, an account's sites take turns, and a recipient gets one message at a time.
 */
export function createQueue(context: GatewayContext, parts: QueueParts) {
  /** The accounts with messages that are due, and their sites in the order of their turns. */
  const busy = new Map<string, { sites: Set<string>; drained: Promise<void> }>();
  const rooms = createRooms(context, parts);
  let isStopping = false;

  /** A site may have messages that are due. */
  const signal = ({ account_id: id, site_id }: DueSite): void => {
    if (isStopping) return;
    const known = busy.get(id);
    if (known !== undefined) return void known.sites.add(site_id);
    const sites = new Set([site_id]);
    busy.set(id, { sites, drained: drain(id, sites).finally(() => busy.delete(id)) });
  };
  const sending = createTakeAndSend(context, parts, signal);

  /** Takes the due messages of an account, wave by wave, as long as there are some; its sites take turns. */
  const drain = async (id: string, sites: Set<string>): Promise<void> => {
    let before = Promise.resolve();
    for (const siteId of sites) {
      sites.delete(siteId);
      const room = await rooms.enter(id, siteId);
      if (room === null) return;
      const wave = await sending.begin(id, siteId, room, before);
      before = wave.begun;
      if (wave.isMore) sites.add(siteId);
      // What a pace lets in is known once those before wait for their slots; what comes later must find this wave begun.
      if (room.isPaced || sites.size === 0) await before;
    }
  };

  const stopLooking = lookForDue(context, listDueSites, ({ site_id }) => site_id, signal);

  return {
    signal,
    /** Takes no more messages, and waits for those that are being sent. */
    stop: async (): Promise<void> => {
      isStopping = true;
      await stopLooking();
      rooms.close();
      await Promise.all(Array.from(busy.values(), ({ drained }) => drained));
      await sending.stop();
    },
  };
}

/** Takes messages, judges and sends them, and records what became of them. */
function createTakeAndSend(context: GatewayContext, parts: QueueParts, signal: (site: DueSite) => void) {
  const { sql, clock, config, log, instanceId, metrics, tracing } = context;
  const { lease, inFlight } = parts;
  const underWay = new Set<Promise<void>>();
  const judgeAndSend = createJudgeAndSend(context, parts);
  const worker = createWorker<OwnedMessage>(context, {
    name: "waiting messages",
    listOwned: () => listTaken(sql, instanceId),
    handBack: (some, inDoubt) =>
      giveBackWaiting(sql, [instanceId], { inDoubtSeconds: inDoubt ? config.inDoubtSeconds : null, messages: some }),
  });

  const send = (messages: readonly TakenMessage[], limits: Omit<WaveLimits, "giveBack">): Promise<boolean> =>
    worker.run(messages, async (hand) => {
      const since = performance.now();
      const outcomes = await judgeAndSend(messages, limits, hand);
      const outcomeOf = (id: string): string => outcomes.get(id)?.kind ?? "in_doubt";
      for (const { id, event_id } of messages)
        tracing?.later(event_id, "queue", since, { "tidings.message_id": id, "tidings.outcome": outcomeOf(id) });
      const settle = async (part: readonly TakenMessage[]): Promise<void> => {
        const results = part.map((message) => ({ ...message, outcome: outcomes.get(message.id) ?? untried(0) }));
        for (const site of await withTimeout(settleWaiting(sql, instanceId, results), config.timeLimits.patientMs)) signal(site);
        if (metrics !== undefined) countOutcomes(results, metrics);
      };
      const known = messages.filter(({ id }) => outcomes.has(id));
      await step(context, "settle", messages[0]?.event_id ?? "", () => hand.record(known, settle));
    });

  /** Resolves when messages are taken, not when they are sent; `begun`: when they may leave, in their order behind those `before`. `isMore`: more may be due. */
  const begin = async (accountId: string, siteId: string, { limit, leave }: Room, before: Promise<void>) => {
    let [places, sent, begun] = [limit, Promise.resolve(true), before];
    const keep = (messages: number): void => {
      inFlight.release(accountId, places - messages);
      places = messages;
    };
    try {
      const { endsAt } = lease;
      const { messages, isMore } = await worker.take(takeDue(sql, instanceId, siteId, limit), (taken) => taken.messages);
      keep(messages.length);
      const startBy = Math.min(clock.monotonic() + takenSendMs, endsAt - leaseMarginMs);
      begun = new Promise((tell) => {
        const onBegin = (): void => tell();
        if (messages.length > 0) sent = send(messages, { startBy, cutAt: endsAt - leaseMarginMs / 2, fromQueue: true, before, onBegin });
        void sent.then(onBegin);
      });
      return { isMore, begun };
    } catch (error) {
      log.warn({ err: error }, "due messages could not be taken and will be looked for again");
      return { isMore: false, begun };
    } finally {
      const ended: Promise<void> = sent.then(() => void (keep(0), leave(), underWay.delete(ended)));
      underWay.add(ended);
    }
  };
  const stop = async (): Promise<void> => {
    await Promise.all(underWay);
    await worker.stop();
  };
  return { begin, stop };
}

/** The most waves under way at once, of one account and in all, so that the gateway has room for events that somebody waits for. */
const mostWaves = 16;
const mostWavesInAll = 64;
/** The queue's part of an account's places; the others are for events that somebody waits for. */
const partOfQueue = 0.5;
/** A gateway with less of its lease left takes nothing, since it would have to hand it back. */
const leastLeaseMs = 2_000;
/** Room for a wave of so many messages; `leave` frees it. */
interface Room {
  limit: number;
  /** Whether the limit follows from the pace of a number. */
  isPaced: boolean;
  leave: () => void;
}

/** Gives accounts room, evenly, with places among the sends under way. */
function createRooms({ clock }: GatewayContext, { sites, inFlight, lease, pace }: QueueParts) {
  const isOpen = (): boolean => lease.endsAt - clock.monotonic() > leastLeaseMs;
  const places = createPlaces({ most: mostWavesInAll, mostOfGroup: mostWaves, isOpen });
  lease.onRenewed(places.admit);
  pace.onFreed((number) => places.freed(`number ${number}`));
  inFlight.onFreed(places.awaited, places.freed);

  /** Resolves when messages of the site may be taken; null when the gateway stops. */
  const enter = async (accountId: string, siteId: string): Promise<Room | null> => {
    const known = sites.peek(siteId) ?? (await sites.refresh(siteId).catch(() => null));
    let limit = 0;
    const leave = await places.enter(accountId, () => {
      const site = sites.peek(siteId) ?? known;
      limit = Math.min(waveSize, site === null ? waveSize : pace.room(site));
      if (limit <= 0) return `number ${site?.platform?.credentials.phoneNumberId}`;
      if (inFlight.reserve(accountId, limit, partOfQueue)) return null;
      return inFlight.hasRoom(limit) ? accountId : anyAccount;
    });
    return leave && { limit, isPaced: (sites.peek(siteId) ?? known)?.messagesPerSecond !== null, leave };
  };
  return { enter, close: places.close };
}

interface WaveLimits extends SendLimits {
  /** Resolves when the messages that come first have begun to leave. */
  before: Promise<void>;
  /** The pace may be another than when they were taken: what cannot leave soon keeps its place, and others may still stop it. */
  giveBack: (tooMany: readonly Pick<OutgoingMessage, "id">[]) => Promise<void>;
}

const giveBackOf =
  (messages: readonly TakenMessage[], outcomes: Outcomes, hand: Giving): WaveLimits["giveBack"] =>
  async (tooMany) => {
    for (const { id } of tooMany) outcomes.delete(id);
    if (tooMany.length > 0) await hand.giveBack(messages.filter((message) => tooMany.some(({ id }) => id === message.id)));
  };

/** Judges messages by what is now, and sends them; answers what became of them. A message without an outcome was perhaps sent. */
function createJudgeAndSend(context: GatewayContext, { sites, dispatch, lease, pace }: QueueParts) {
  const { sql, log } = context;
  const scale = context.config.timeLimits.firstRetryMs / defaultTimeLimits.firstRetryMs;

  /** The site as it is now: the messages tell its present configuration. */
  const siteOf = async ({ site_id, config }: TakenMessage): Promise<SiteConfig | null> => {
    const known = sites.peek(site_id);
    return known?.config === config ? known : await sites.refresh(site_id);
  };

  const ofSite = async (messages: readonly TakenMessage[], limits: WaveLimits, outcomes: Outcomes): Promise<void> => {
    const [first] = messages;
    const site = first === undefined ? null : await siteOf(first);
    if (site?.unreadable) {
      const seconds = site.unreadable === "account_moving" ? troubleSeconds : unreadableSeconds;
      return messages.forEach(({ id }) => outcomes.set(id, untried(seconds)));
    }
    const heard = messages.some(({ doubts }) => doubts > 0) && (await hearsCallbacks(sql, first?.account_id ?? ""));
    const good = messages.filter((message) => {
      const outcome = judge(message, site, heard, lease.now());
      if (outcome !== null) outcomes.set(message.id, outcome);
      return outcome === null;
    });
    if (site !== null && good.length > 0) await sendGood(site, good, limits, outcomes);
  };

  /** Sends messages that only their recipient, the throttle or the platform can still stop. */
  async function sendGood(site: SiteConfig, messages: readonly TakenMessage[], limits: WaveLimits, outcomes: Outcomes): Promise<void> {
    const readable = messages.map((message) => readUnsent(site.rows, message));
    const refused = await optedOutIds(context, site, readable);
    const wave: OutgoingMessage[] = [];
    for (const message of readable) {
      if (refused.has(message.id)) outcomes.set(message.id, failedFor(message, optedOut));
      else if (message.components === null) outcomes.set(message.id, failed(message, "interrupted", unreadableContent));
      else wave.push({ ...message, components: message.components });
    }
    await limits.before;
    await limits.giveBack(wave.splice(Math.max(1, pace.room(site))));
    const results = new Map((wave.length > 0 ? await dispatch(site, wave, limits) : []).map((result) => [result.id, result]));
    for (const message of messages) {
      const result = results.get(message.id);
      if (result !== undefined) outcomes.set(message.id, afterTry(message, result, { now: lease.now(), random: Math.random(), scale }));
    }
  }

  return async (messages: readonly TakenMessage[], limits: Omit<WaveLimits, "giveBack">, hand: Giving): Promise<Outcomes> => {
    const outcomes: Outcomes = new Map(messages.map(({ id }) => [id, untried(troubleSeconds)]));
    const onBegin: SendLimits["onBegin"] = (wave) => {
      hand.begin(wave);
      wave.forEach(({ id }) => outcomes.delete(id));
      limits.onBegin?.(wave);
    };
    const send = (group: readonly TakenMessage[]): Promise<void> =>
      ofSite(group, { ...limits, onBegin, giveBack: giveBackOf(group, outcomes, hand) }, outcomes).catch((error: unknown) =>
        log.error({ err: error, ...eventIds(group.map(({ event_id }) => event_id)) }, "waiting messages could not be sent now"),
      );
    await Promise.all(Array.from(grouped(messages.map((message) => [message.site_id, message])).values(), send));
    return outcomes;
  };
}

type Outcomes = Map<string, WaitingOutcome>;
type Giving = Pick<Hand<TakenMessage>, "begin" | "giveBack">;

/** The pause while a stored secret of the site cannot be read: an operator has to enter it again. */
const unreadableSeconds = 60;
const troubleSeconds = 5;

function countOutcomes(results: readonly { outcome: WaitingOutcome }[], { messages }: GatewayMetrics): void {
  for (const { outcome } of results) {
    if (outcome.kind === "settled") messages(outcome.result.status);
    else if (outcome.kind === "dropped") messages(dropStatuses[outcome.code]);
  }
}
