import { retryWhileAway, withTimeout } from "shared/db/statement";
import { StageClock } from "shared/metrics/metrics";
import type { InFlight } from "shared/platform/client";
import { type GatewayContext, step } from "../context.ts";
import type { GatewayLease } from "../owning/lease.ts";
import type { Worker } from "../owning/worker.ts";
import { RequestRefused } from "../refusal.ts";
import { waveSize } from "../sending/dispatch.ts";
import type { Notes } from "../sites/notes.ts";
import type { SiteDirectory } from "../sites/sites.ts";
import { type Answer, composeDryRunAnswer, leavingNow, type Take, type Times } from "./answer.ts";
import { type Authenticate, type AuthenticEvent, type RawRequest, readKey, type ShopRequest } from "./authenticate.ts";
import type { Claim, ClaimedEvent } from "./claim.ts";
import { answerClaimed, type Deliver, NotSent } from "./deliver.ts";
import type { AnswerDuplicate } from "./duplicate.ts";
import { type EventKey, plan, type PlannedEvent } from "./plan.ts";

export type Ingest = ReturnType<typeof createIngest>;

/** The event that a shop's request tells of, or the answer to one that tells of none. */
export type ReadShop = (request: ShopRequest & Times) => Promise<AuthenticEvent | Answer>;

interface Parts {
  sites: SiteDirectory;
  authenticate: Authenticate;
  readShop: ReadShop;
  lease: Pick<GatewayLease, "now">;
  claim: Claim;
  answerDuplicate: AnswerDuplicate;
  deliver: Deliver;
  inFlight: InFlight;
  events: Pick<Worker<EventKey>, "open" | "close" | "giveBack" | "isFull">;
  notes: Pick<Notes, "judged" | "hasMore" | "refused">;
  /** Tells the queue that a site may have messages that are due. */
  signal: (site: { site_id: string; account_id: string }) => void;
}

/** How often an event is planned anew while its site's configuration keeps changing. */
const planningTries = 10;

/** The spine: authenticate → plan → claim → dispatch → settle. Each step takes what only the one before makes. Two commits an event of one wave: `claim`, `settle`. */
export function createIngest(context: GatewayContext, parts: Parts) {
  const { clock, config, metrics, tracing } = context;
  const { sites, authenticate, readShop, lease, claim, answerDuplicate, inFlight, notes } = parts;
  const store = createStore(context, parts);
  const send = createSend(parts);
  const insist = createInsist(context);

  /** Plans the event anew while its site's configuration keeps changing. While the platform answers, neither body nor plan is kept in memory. */
  const takeOn = async (read: Parameters<Take>[0], times: Times, spent?: StageClock): Promise<Answer> => {
    spent?.enter("authenticate");
    let event = await step(context, "authenticate", "", () => insist(read, times));
    spent?.leave();
    for (let attempt = 1; attempt <= planningTries; attempt += 1) {
      if ("body" in event) return event;
      const given = event;
      spent?.enter("plan");
      const planned = await step(context, "plan", "", () => plan(given, lease.now()));
      spent?.enter("claim");
      const stored = await store(planned, times.startedAt);
      spent?.leave();
      if (typeof stored === "object") noteStored(planned.delivery.id, times, spent);
      if (typeof stored === "object") return "body" in stored ? stored : send(stored, spent);
      if (stored === "duplicate" || stored === "shut") {
        const needed = stored === "shut" ? ofNeeded(event, notes) : null;
        const answer = (await answerDuplicate(event, times.startedAt)) ?? (needed && (await answerDuplicate(needed, times.startedAt)));
        if (answer) return answer;
      } else {
        event = await step(context, "authenticate", "", () => insist(() => sites.refresh(given.site.id).then(read), times));
      }
    }
    throw new RequestRefused("full");
  };
  const take: Take = metrics === undefined && tracing === undefined ? takeOn : timed(takeOn, context);

  const isWaiting = (siteId: string): boolean => claim.waitMs(siteId) > config.timeLimits.holdMs;
  /** An event that would be refused in the end is refused before it makes more work, once its body is read: a new connection costs more. */
  const refuseFull = async (request: Pick<RawRequest, "readBody">): Promise<never> => {
    await request.readBody();
    throw new RequestRefused("full");
  };

  return {
    take,
    /** Takes a request. Throws `RequestRefused` or the database's error. */
    async handle(given: RawRequest): Promise<Answer> {
      const key = readKey(given);
      const site = sites.peek(key.siteId);
      if (site !== undefined && (isWaiting(site.id) || inFlight.isFull(site.accountId))) return await refuseFull(given);
      const request = readOnce(given, clock);
      return take(() => authenticate(request, key), request);
    },
    /** Takes a request that a shop posts by itself. */
    async handleShop(given: ShopRequest): Promise<Answer> {
      const site = sites.peekToken(given.token);
      if (site !== undefined && isWaiting(site.id)) return await refuseFull(given);
      const request = readOnce(given, clock);
      return take(() => readShop(request), request);
    },
  };
}

/** What is asked of the database before an event is stored is asked again while it is away, as the claim is: its restart costs no event. */
function createInsist({ clock, config }: GatewayContext) {
  const { claimMs, answerMs } = config.timeLimits;
  const askAgain = <T>(ask: () => Promise<T>, { startedAt }: Times, failed: unknown): Promise<T> =>
    retryWhileAway(
      async (attempt) => (attempt === 1 ? Promise.reject(failed) : withTimeout(ask(), startedAt + answerMs - clock.monotonic())),
      (pauseMs) => clock.monotonic() + pauseMs < startedAt + claimMs,
    );
  return <T>(ask: () => Promise<T>, times: Times): Promise<T> => ask().catch((failed: unknown) => askAgain(ask, times, failed));
}

function noteStored(id: string, { onStored }: Times, spent: StageClock | undefined): void {
  onStored?.(id);
  if (spent !== undefined) spent.eventId = id;
}

/** Takes events under a clock for each. */
const timed =
  (take: (...args: [...Parameters<Take>, StageClock]) => Promise<Answer>, { metrics, tracing }: GatewayContext): Take =>
  async (read, times) => {
    const spent = new StageClock();
    try {
      const answer = await take(read, times, spent);
      if (spent.eventId === null && answer.eventId !== null) tracing?.later(answer.eventId, "replay", spent.since);
      return answer;
    } finally {
      spent.leave();
      metrics?.stages(spent.laps);
      if (spent.eventId !== null) tracing?.event(spent.eventId, spent.since, spent.laps);
    }
  };

/** Deadlines count from the last byte: a client that sends slowly spends its own time. */
function readOnce<Request extends Pick<RawRequest, "readBody">>(given: Request, clock: GatewayContext["clock"]): Request & Times {
  const { readBody } = given;
  let reading: Promise<Buffer> | undefined;
  const read = async (): Promise<Buffer> => {
    const body = await readBody();
    request.startedAt = clock.monotonic();
    return body;
  };
  const request = Object.assign(given, { startedAt: clock.monotonic(), readBody: () => (reading ??= read()) });
  return request;
}

/** The event by the key that another event holds already. @throws RequestRefused where the site's other door does */
function ofNeeded(event: AuthenticEvent, notes: Parts["notes"]): AuthenticEvent {
  const { site, name, text, needs } = event;
  if (needs?.holder === null) return { ...event, idempotencyKey: needs.key, isSignedId: false };
  const used = new RequestRefused("signature_used");
  notes.refused(site, { headers: {}, event: name, receivedAt: new Date(), body: Buffer.from(text) }, used);
  throw used;
}

/** An event that is stored, with messages that leave now. */
interface OpenEvent {
  claimed: ClaimedEvent;
  startedAt: number;
  /** The number of its places among the sends under way. */
  places: number;
}

/** Stores a planned event, unless it is a duplicate or must be authenticated and planned anew; answers it at once where nothing leaves now. */
function createStore(context: GatewayContext, { claim, inFlight, events, notes, signal }: Parts) {
  const { claimMs, holdMs } = context.config.timeLimits;
  return async (planned: PlannedEvent, startedAt: number): Promise<Answer | OpenEvent | "duplicate" | "outdated" | "shut"> => {
    const { event, delivery, plan: made } = planned;
    const { id, site } = delivery;
    // Before anything is stored, the client is asked to come back: the site's events queue for too long, or too many messages are with the platform.
    if (claim.waitMs(site.id) > holdMs || events.isFull()) throw new RequestRefused("full");
    const places = Math.min(waveSize, leavingNow(delivery.messages).length);
    if (!inFlight.reserve(site.accountId, places)) throw new RequestRefused("full");
    let isOpen = false;
    try {
      events.open(id);
      const result = await step(context, "claim", id, () => claim.run(planned, startedAt + claimMs));
      if (result.kind !== "claimed") return result.kind;
      if (event.hasMore === true) await notes.hasMore(site.id);
      if (made.judged.length > 0 && !event.dryRun && !event.test) notes.judged(made.judged, context.clock.now());
      const { outcome } = result.event.delivery;
      // Starts the queue without waiting for the next look at due messages.
      if (outcome === "accepted") signal({ site_id: site.id, account_id: site.accountId });
      isOpen = outcome === null;
      if (outcome === null) return { claimed: result.event, startedAt, places };
      events.close(id);
      return event.dryRun ? { status: 200, body: composeDryRunAnswer(result.planned), eventId: id } : answerClaimed(result.event, outcome);
    } finally {
      if (!isOpen) inFlight.release(site.accountId, places);
    }
  };
}

/** Sends a stored event's messages and answers it. */
function createSend({ deliver, inFlight, events }: Parts) {
  return async ({ claimed, startedAt, places }: OpenEvent, spent?: StageClock): Promise<Answer> => {
    const { id, site } = claimed.delivery;
    try {
      const answer = await deliver(claimed, startedAt, spent);
      events.close(id);
      return answer;
    } catch (error) {
      // A refusal says that another gateway has the event.
      if (error instanceof RequestRefused) events.close(id);
      else events.giveBack({ site_id: site.id, id }, !(error instanceof NotSent));
      throw error;
    } finally {
      inFlight.release(site.accountId, places);
    }
  };
}
