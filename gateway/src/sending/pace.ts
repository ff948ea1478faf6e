import { setTimeout as sleep } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { slowDown, takeSlots } from "shared/db/waiting/pace";
import { type GatewayContext, inTime } from "../context.ts";
import type { SiteConfig } from "../sites/sites.ts";

/** Keeps each of the platform's numbers at its pace, over all gateways. */
export type Pace = ReturnType<typeof createPace>;

/** A slot may be used a little early and a little late. Then it lapses, and no other makes up for it, as the platform counts sliding seconds. */
const earlyMs = 20;
const lateMs = 50;
/** Parts of a second: how many slots one statement takes, and how many requests may wait for theirs in this process. */
const slice = 0.125;
const ahead = 0.5;

/** Milliseconds between slots. Even when slots are used as early and as late as possible, no second has more than 11 requests for each 10 that are allowed. */
export const spacingOf = (perSecond: number): number =>
  Math.max(1000 / perSecond, (1000 + earlyMs + lateMs) / Math.floor(perSecond * 1.1) + 0.01);

export function createPace(context: GatewayContext) {
  const numbers = new LRUCache<string, NumberQueue>({ max: 10_000 });
  let tellFreed = (_phoneNumberId: string): void => undefined;

  /** The queue of the site's number; null: it is not paced. */
  const queueOf = ({ platform, messagesPerSecond }: SiteConfig): NumberQueue | null => {
    if (messagesPerSecond === null || platform === null) return null;
    const { phoneNumberId } = platform.credentials;
    const queue = numbers.get(phoneNumberId) ?? createNumberQueue(context, phoneNumberId, () => tellFreed(phoneNumberId));
    numbers.set(phoneNumberId, queue);
    queue.pace(messagesPerSecond);
    return queue;
  };

  return {
    /** Waits for a slot to write a request to the site's number; false when none comes by `until` (monotonic ms). */
    slot: (site: SiteConfig, until: number, isUrgent: boolean): Promise<boolean> => queueOf(site)?.add(until, isUrgent) ?? always,
    /** How many more requests of the site's number should be begun now. */
    room: (site: SiteConfig): number => queueOf(site)?.room() ?? Infinity,
    /** Whether the site's number gets no slots because the database does not answer. */
    isAway: (site: SiteConfig): boolean => queueOf(site)?.isAway() ?? false,
    /** Calls `tell` whenever there is more room at a number. */
    onFreed: (tell: (phoneNumberId: string) => void): void => void (tellFreed = tell),
    /** The platform said that the number is too fast. */
    async slowDown({ platform }: SiteConfig): Promise<void> {
      if (platform !== null) await inTime(context, slowDown(context.sql, platform.credentials.phoneNumberId));
    },
    /** Ends every wait. */
    stop: (): void => numbers.forEach((queue) => queue.stop()),
  };
}

const always = Promise.resolve(true);

/** Requests that come one by one ask for twice as many slots each time, so that a statement serves several. */
const slotsToAsk = (lacking: number, last: { at: number; count: number }, now: number, pace: number): number =>
  Math.min(Math.max(lacking, now - last.at < 2000 * slice ? 2 * last.count : 1), Math.ceil(pace * slice));

type NumberQueue = ReturnType<typeof createNumberQueue>;

/** The requests that wait for a slot at one number. */
function createNumberQueue(context: GatewayContext, phoneNumberId: string, tellFreed: () => void) {
  const { sql, clock, log } = context;
  let waiters: { until: number; isUrgent: boolean; answer: (isOurs: boolean) => void }[] = [];
  /** Monotonic ms, ascending. */
  let slots: number[] = [];
  let pace = 1;
  let timer: NodeJS.Timeout | undefined;
  let [isAsking, isFailing, part] = [false, false, 1];
  let last = { at: -Infinity, count: 0 };

  const ask = async (): Promise<void> => {
    isAsking = true;
    const asked = clock.monotonic();
    const count = slotsToAsk(waiters.length - slots.length, last, asked, pace);
    last = { at: asked, count };
    try {
      const { startsIn, spacingMs } = await inTime(context, takeSlots(sql, phoneNumberId, count, spacingOf(pace)));
      const start = (asked + clock.monotonic()) / 2 + startsIn;
      for (let i = 0; i < count; i += 1) slots.push(start + i * spacingMs);
      [isFailing, part] = [false, Math.min(1, spacingOf(pace) / spacingMs)];
    } catch (error) {
      isFailing = true;
      log.warn({ err: error }, "a number has no slots while the database does not answer");
      await sleep(retryMs);
    }
    isAsking = false;
    serve();
  };

  const serve = (): void => {
    clearTimeout(timer);
    const now = clock.monotonic();
    const before = waiters.length;
    for (const { answer } of waiters.filter(({ until }) => until <= now)) answer(false);
    waiters = waiters.filter(({ until }) => until > now);
    slots = slots.filter((slot) => slot + lateMs >= now);
    while (waiters.length > 0 && slots[0] !== undefined && slots[0] - earlyMs <= now) {
      slots.shift();
      waiters.shift()?.answer(true);
    }
    if (waiters.length < before) tellFreed();
    if (waiters.length === 0) return;
    // Asks a slice ahead, so that none of the number's time is lost while the database answers.
    if (!isAsking && slots.length < waiters.length && (slots.at(-1) ?? now) - now < slice * 1000) void ask();
    const next = Math.min((slots[0] ?? Infinity) - earlyMs, ...waiters.map(({ until }) => until));
    timer = setTimeout(serve, Math.max(0, next - now));
  };

  const add = (until: number, isUrgent: boolean): Promise<boolean> =>
    new Promise((answer) => {
      const at = isUrgent ? waiters.findIndex((waiter) => !waiter.isUrgent) : -1;
      waiters.splice(at < 0 ? waiters.length : at, 0, { until, isUrgent, answer });
      serve();
    });
  const isAway = (): boolean => isFailing || (isAsking && clock.monotonic() - last.at > hangingMs);
  /** Ends every wait: no slot comes any more. */
  const stop = () => waiters.splice(0).forEach(({ answer }) => answer(false));
  const room = (): number => Math.ceil(pace * part * ahead) - waiters.length;
  return { pace: (perSecond: number): void => void (pace = perSecond), room, isAway, add, stop };
}

/** A database that has not granted slots for so long does not answer. */
const hangingMs = 1_000;
const retryMs = 500;
