import { giveBackEvents } from "shared/db/event/gateway-lease";
import { createInFlight } from "shared/platform/client";
import type { GatewayContext } from "../context.ts";
import { createInbound } from "../inbound/inbound.ts";
import { createReadDelivery, createReadRequest, type ShopRequest } from "../inbound/read.ts";
import { startReconcile } from "../inbound/reconcile.ts";
import { createLease } from "../owning/lease.ts";
import { createWorker } from "../owning/worker.ts";
import { createQueue } from "../queue/queue.ts";
import { RequestRefused } from "../refusal.ts";
import { startRequested } from "../requested/requested.ts";
import { createRefusedRequests } from "../sites/refused.ts";
import { createSiteNotes } from "../sites/site-notes.ts";
import { createSiteDirectory } from "../sites/sites.ts";
import { createBindingUsage, createRateLimit, createSecretUsage } from "../sites/usage.ts";
import { startDelivering } from "../webhooks/deliver.ts";
import { createAccountPause } from "./account-pause.ts";
import { type Answer, composeDryRunAnswer, type Take, type Times } from "./answer.ts";
import { createAdmission, createAuthenticate, readKey } from "./authenticate.ts";
import { type ClaimedEvent, createClaim } from "./claim.ts";
import { answerClaimed, createDeliver, createSettle } from "./deliver.ts";
import { createDispatch, createThrottledDispatch } from "./dispatch.ts";
import { createAnswerDuplicate, createOriginals, createReplays } from "./duplicate.ts";
import { leavingNow, type EventKey, type RawRequest, waveSize } from "./event.ts";
import { createPace } from "./pace.ts";
import { plan, type PlannedEvent } from "./plan.ts";
import { createRecover } from "./recover.ts";

/** Takes events from request to answer. */
export interface Ingest {
  /** Throws `RequestRefused` or the database's error. */
  handle(request: RawRequest): Promise<Answer>;
  /** Takes a request that a shop posts by itself. */
  handleShop(request: ShopRequest): Promise<Answer>;
  /** Ends the work in the background; requests must have ended before. */
  stop(): Promise<void>;
}

/** How often an event is planned anew while its site's configuration keeps changing. */
const planningTries = 10;

/**
 * The spine: authenticate → plan → claim → dispatch → settle. Each step takes what only the step before it makes. Two commits an event of one wave:
 * `claim` and `settle`.
 */
export function createIngest(context: GatewayContext): Ingest {
  const { clock, config } = context;
  const steps = createSteps(context);
  const { sites, authenticate, inbound, claim, settle, recover, events, lease, usage, bindingUsage, refused, notes, replays, pace, queue } =
    steps;
  const take = createTake(context, steps);
  const stopReconcile = startReconcile(context, { sites, readDelivery: steps.readDelivery, take });
  const stopRequested = startRequested(context, { sites, take });
  const stopDelivering = startDelivering(context, lease);
  // The lease begins before the first event, which is planned by the database's clock.
  lease.renew().catch((error: unknown) => context.log.debug({ err: error }, "the lease begins with the first event"));

  return {
    async handle(given) {
      const key = readKey(given);
      if (isFull(key.siteId, steps, config.timeLimits.holdMs)) return await refuseFull(given);
      const { request, times } = readOnce(given, clock);
      return take(() => authenticate(request, key), times);
    },
    async handleShop(given) {
      const site = sites.peekToken(given.token);
      if (site !== undefined && claim.waitMs(site.id) > config.timeLimits.holdMs) return await refuseFull(given);
      const { request, times } = readOnce(given, clock);
      return take(() => inbound(request, times), times);
    },
    stop: async () => {
      await Promise.all([stopReconcile(), stopRequested()]);
      await Promise.all([
        recover.stop(),
        usage.stop(),
        bindingUsage.stop(),
        refused.stop(),
        notes.stop(),
        replays.stop(),
        pace.stop(),
        queue.stop(),
        stopDelivering(),
      ]);
      await settle.drain(config.timeLimits.shutdownMs);
      await events.stop();
      await lease.stop();
    },
  };
}

/** Reads the body before it refuses, as a new connection costs more. */
async function refuseFull(request: Pick<RawRequest, "readBody">): Promise<never> {
  await request.readBody();
  throw new RequestRefused("full");
}

/** Deadlines count from the last byte: a client that sends slowly spends its own time. */
function readOnce<Request extends Pick<RawRequest, "readBody">>(
  given: Request,
  clock: GatewayContext["clock"],
): { request: Request; times: Times } {
  const times = { startedAt: clock.monotonic() };
  let reading: Promise<Buffer> | undefined;
  const read = async (): Promise<Buffer> => {
    const body = await given.readBody();
    times.startedAt = clock.monotonic();
    return body;
  };
  return { times, request: { ...given, readBody: () => (reading ??= read()) } };
}

/** Whether the event would be refused in the end: a gateway at its limit refuses it before it does more work. */
function isFull(siteId: string, { claim, sites, inFlight }: Steps, holdMs: number): boolean {
  const site = sites.peek(siteId);
  return site !== undefined && (claim.waitMs(siteId) > holdMs || inFlight.isFull(site.accountId));
}

/** An event that is stored, with messages that leave now. */
interface OpenEvent {
  claimed: ClaimedEvent;
  startedAt: number;
  /** The number of its places among the sends under way. */
  places: number;
}

/** Has two parts, of which the second knows nothing of the request: while the platform answers, neither body nor plan is kept in memory. */
function createTake(context: GatewayContext, steps: Steps): Take {
  const store = createStore(context, steps);
  const finish = createFinish(steps);
  return (read, times) => store(read, times).then((stored) => ("body" in stored ? stored : finish(stored)));
}

/** Stores the event that `read` makes of a request, planned anew while its site's configuration keeps changing; answers at once where nothing is to be sent. */
function createStore(context: GatewayContext, steps: Steps): (...request: Parameters<Take>) => Promise<Answer | OpenEvent> {
  const { sites, answerDuplicate, lease, refused } = steps;
  const claim = createClaimInTime(context, steps);
  return async (read, times) => {
    let event = await read();
    for (let attempt = 1; attempt <= planningTries; attempt += 1) {
      if ("body" in event) return event;
      const result = await claim(plan(event, lease.now()), times.startedAt);
      if (typeof result === "object") return result;
      if (result === "duplicate") {
        const { site, name, text } = event;
        const answer = await answerDuplicate(event, times.startedAt).catch((error: unknown) => {
          refused.note(site, { headers: {}, event: name, receivedAt: context.clock.now(), body: Buffer.from(text) }, error);
          throw error;
        });
        if (answer) return answer;
        continue;
      }
      await sites.refresh(event.site.id);
      event = await read();
    }
    throw new RequestRefused("full");
  };
}

type ClaimInTime = (planned: PlannedEvent, startedAt: number) => Promise<Answer | OpenEvent | "duplicate" | "outdated">;

/** Claims an event, unless it is a duplicate or must be authenticated and planned anew. */
function createClaimInTime(context: GatewayContext, { claim, inFlight, events, bindingUsage, queue }: Steps): ClaimInTime {
  const { claimMs, holdMs } = context.config.timeLimits;
  return async (planned, startedAt) => {
    const { event, delivery, plan: made } = planned;
    const { id, site } = delivery;
    // Before anything is stored, the client is asked to come back: the site's events queue for too long, or too many messages are with the platform.
    if (claim.waitMs(site.id) > holdMs || events.isFull()) throw new RequestRefused("full");
    const places = Math.min(waveSize, leavingNow(delivery.messages).length);
    if (!inFlight.reserve(site.accountId, places)) throw new RequestRefused("full");
    let isOpen = false;
    try {
      events.open(id);
      if (context.onStep) await context.onStep("claim", id);
      const result = await claim.run(planned, startedAt + claimMs);
      if (result.kind !== "claimed") return result.kind;
      if (made.judged.length > 0 && !event.dryRun && !event.test) bindingUsage.note(made.judged, context.clock.now());
      const { outcome } = result.event.delivery;
      // Starts the queue without waiting for the next look at due messages.
      if (outcome === "accepted") queue.signal({ site_id: site.id, account_id: site.accountId });
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
function createFinish({ deliver, inFlight, events, originals }: Steps): (open: OpenEvent) => Promise<Answer> {
  return async ({ claimed, startedAt, places }) => {
    const { id, site } = claimed.delivery;
    originals.begin(id);
    try {
      const answer = await deliver(claimed, startedAt);
      events.close(id);
      return answer;
    } catch (error) {
      // A refusal says that another gateway has the event.
      if (error instanceof RequestRefused) events.close(id);
      else events.giveBack({ site_id: site.id, id }, true);
      throw error;
    } finally {
      originals.end(id);
      inFlight.release(site.accountId, places);
    }
  };
}

type Steps = ReturnType<typeof createSteps>;

function createSteps(context: GatewayContext) {
  const { sql, vault, instanceId } = context;
  const limitMs = context.config.timeLimits.statementMs;
  const sites = createSiteDirectory({ sql, vault, limitMs });
  const inFlight = createInFlight();
  const pace = createPace(context);
  const dispatch = createThrottledDispatch(context, createDispatch(context, createAccountPause(context), inFlight, pace));
  const usage = createSecretUsage(context);
  const bindingUsage = createBindingUsage(context);
  const refused = createRefusedRequests(context);
  const notes = createSiteNotes(context);
  const events = createWorker<EventKey>(context, {
    name: "events",
    handBack: (keys, inDoubt) => giveBackEvents(sql, instanceId, keys, inDoubt),
  });
  const lease = createLease(context, events);
  const settle = createSettle(context);
  const recover = createRecover(context, sites, dispatch, settle);
  const replays = createReplays(context);
  const admitted = createAdmission(createRateLimit(sql, limitMs));
  const originals = createOriginals();
  const answerDuplicate = createAnswerDuplicate(context, recover, replays, originals);
  const readDelivery = createReadDelivery(context);
  const queue = createQueue(context, { sites, dispatch, inFlight, lease, pace });
  return {
    sites,
    inFlight,
    events,
    lease,
    pace,
    queue,
    settle,
    recover,
    authenticate: createAuthenticate(sites, admitted, { usage, notes, refused }),
    readDelivery,
    refused,
    inbound: createInbound(context, {
      sites,
      read: createReadRequest(readDelivery, admitted, { usage, notes }),
      answerDuplicate,
      refused,
      notes,
    }),
    usage,
    notes,
    bindingUsage,
    claim: createClaim(context, lease, events),
    deliver: createDeliver(context, dispatch, settle),
    replays,
    originals,
    answerDuplicate,
  };
}
