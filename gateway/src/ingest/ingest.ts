import { createInFlight } from "shared/platform/client";
import type { GatewayContext } from "../context.ts";
import { createInbound } from "../inbound/inbound.ts";
import { createReadDelivery, createReadRequest, type ShopRequest } from "../inbound/read.ts";
import { startReconcile } from "../inbound/reconcile.ts";
import { createQueue } from "../queue/queue.ts";
import { RequestRefused } from "../refusal.ts";
import { startRequested } from "../requested/requested.ts";
import { createRefusedRequests } from "../sites/refused.ts";
import { createSiteDirectory } from "../sites/sites.ts";
import { createBindingUsage, createRateLimit, createSecretUsage } from "../sites/usage.ts";
import { startDelivering } from "../webhooks/deliver.ts";
import { createAccountPause } from "./account-pause.ts";
import { type Answer, composeDryRunAnswer } from "./answer.ts";
import { type AuthenticEvent, createAdmission, createAuthenticate, readKey } from "./authenticate.ts";
import { type ClaimedEvent, createClaim } from "./claim.ts";
import { answerClaimed, createDeliver, createSettle } from "./deliver.ts";
import { createDispatch, createThrottledDispatch } from "./dispatch.ts";
import { createAnswerDuplicate, createReplays } from "./duplicate.ts";
import { leavingNow, type RawRequest, waveSize } from "./event.ts";
import { createLease } from "./lease.ts";
import { createPace } from "./pace.ts";
import { plan, type PlannedEvent } from "./plan.ts";
import { createRecover } from "./recover.ts";

/** Takes events from request to answer. */
export interface Ingest {
  /** Throws `RequestRefused` or the database's error. */
  handle(request: RawRequest): Promise<Answer>;
  /** The same of what a shop posts by itself. */
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
  const { sites, authenticate, inbound, claim, settle, recover, lease, usage, bindingUsage, refused, replays, pace, queue } = steps;
  const take = createTake(context, steps);
  const stopReconcile = startReconcile(context, { sites, readDelivery: steps.readDelivery, take });
  const stopRequested = startRequested(context, { sites, take });
  const stopDelivering = startDelivering(context, lease);
  // Before the first event, which is planned by the database's clock.
  lease.renew().catch((error: unknown) => context.log.debug({ err: error }, "the lease begins with the first event"));

  const handle = async (request: RawRequest): Promise<Answer> => {
    const key = readKey(request);
    if (isFull(key.siteId, steps, config.timeLimits.holdMs)) {
      // The body is read all the same, as a new connection costs more.
      await request.readBody();
      throw new RequestRefused("full");
    }
    const { readBody, startedAt } = readOnce(request, clock);
    const { headers, source, event: name, receivedAt } = request;
    const once: RawRequest = { headers, source, event: name, receivedAt, readBody };
    return await take(() => authenticate(once, key), startedAt);
  };

  const handleShop = async (request: ShopRequest): Promise<Answer> => {
    const site = sites.peekToken(request.token);
    if (site !== undefined && claim.waitMs(site.id) > config.timeLimits.holdMs) {
      await request.readBody();
      throw new RequestRefused("full");
    }
    const { readBody, startedAt } = readOnce(request, clock);
    const { headers, token, receivedAt } = request;
    const once: ShopRequest = { headers, token, receivedAt, readBody };
    return await take(() => inbound(once, startedAt), startedAt);
  };

  return {
    handle,
    handleShop,
    stop: async () => {
      await Promise.all([stopReconcile(), stopRequested()]);
      await Promise.all([
        recover.stop(),
        usage.stop(),
        bindingUsage.stop(),
        refused.stop(),
        replays.stop(),
        pace.stop(),
        queue.stop(),
        stopDelivering(),
      ]);
      await settle.drain(config.timeLimits.shutdownMs);
      await lease.stop();
    },
  };
}

/** Takes the event that `read` makes of a request, anew while its site's configuration keeps changing; an answer of `read` is the request's. */
type Take = (read: () => Promise<AuthenticEvent | Answer>, startedAt: () => number) => Promise<Answer>;

function createTake(context: GatewayContext, steps: Steps): Take {
  const { sites, answerDuplicate, lease, refused } = steps;
  const run = createRun(context, steps);
  return async (read, startedAt) => {
    let event = await read();
    for (let attempt = 1; attempt <= planningTries; attempt += 1) {
      if ("body" in event) return event;
      const result = await run(plan(event, lease.now()), startedAt());
      if (typeof result === "object") return result;
      if (result === "duplicate") {
        const { site, name, text } = event;
        const answer = await answerDuplicate(event, startedAt()).catch((error: unknown) => {
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

/** Deadlines count from the last byte: a client that sends slowly spends its own time. */
function readOnce(request: Pick<RawRequest, "readBody">, clock: GatewayContext["clock"]) {
  let startedAt = clock.monotonic();
  const readBody = memoize(async () => {
    const body = await request.readBody();
    startedAt = clock.monotonic();
    return body;
  });
  return { readBody, startedAt: () => startedAt };
}

/** Whether the event would be refused in the end: a gateway at its limit refuses it at once, as it has no time for more. */
function isFull(siteId: string, { claim, sites, inFlight }: Steps, holdMs: number): boolean {
  const site = sites.peek(siteId);
  return site !== undefined && (claim.waitMs(siteId) > holdMs || inFlight.isFull(site.accountId));
}

type Run = (planned: PlannedEvent, startedAt: number) => Promise<Answer | "duplicate" | "outdated">;

/** Claims and delivers an event, unless it is a duplicate or must be authenticated and planned anew. */
function createRun(context: GatewayContext, { claim, deliver, inFlight, lease, bindingUsage, queue }: Steps): Run {
  const { claimMs, holdMs } = context.config.timeLimits;
  const answerFor = async (claimed: ClaimedEvent, startedAt: number): Promise<Answer> => {
    const { planned } = claimed;
    const { event, plan: made } = planned;
    if (made.judged.length > 0 && !event.dryRun && !event.test) bindingUsage.note(made.judged, context.clock.now());
    // Without waiting for the next look at what is due.
    if (planned.outcome === "accepted") queue.signal({ site_id: event.site.id, account_id: event.site.accountId });
    if (planned.outcome === null) return await deliver(claimed, startedAt);
    if (event.dryRun) return { status: 200, body: composeDryRunAnswer(planned), eventId: planned.id };
    return answerClaimed(claimed, planned.outcome);
  };

  const finish = async (claimed: ClaimedEvent, startedAt: number): Promise<Answer> => {
    const { id, event } = claimed.planned;
    try {
      const answer = await answerFor(claimed, startedAt);
      lease.close(id);
      return answer;
    } catch (error) {
      // A refusal says that another gateway has the event.
      if (error instanceof RequestRefused) lease.close(id);
      else lease.giveBack({ site_id: event.site.id, id, unsent: false });
      throw error;
    }
  };

  return async (planned, startedAt) => {
    const { site } = planned.event;
    // Before anything is stored, the client is asked to come back: the site's events queue for too long, or too many messages are with the platform.
    if (claim.waitMs(site.id) > holdMs) throw new RequestRefused("full");
    const places = Math.min(waveSize, leavingNow(planned.messages).length);
    if (!inFlight.reserve(site.accountId, places)) throw new RequestRefused("full");
    lease.open(planned.id);
    try {
      await context.onStep?.("claim", planned.id);
      const claimed = await claim.run(planned, startedAt + claimMs);
      if (claimed.kind !== "claimed") return claimed.kind;
      return await finish(claimed.event, startedAt);
    } finally {
      inFlight.release(site.accountId, places);
    }
  };
}

type Steps = ReturnType<typeof createSteps>;

function createSteps(context: GatewayContext) {
  const { sql, vault } = context;
  const limitMs = context.config.timeLimits.statementMs;
  const sites = createSiteDirectory({ sql, vault, limitMs });
  const inFlight = createInFlight();
  const pace = createPace(context);
  const dispatch = createThrottledDispatch(context, createDispatch(context, createAccountPause(context), inFlight, pace));
  const usage = createSecretUsage(context);
  const bindingUsage = createBindingUsage(context);
  const refused = createRefusedRequests(context);
  const lease = createLease(context);
  const settle = createSettle(context);
  const recover = createRecover(context, sites, dispatch, settle);
  const replays = createReplays(context);
  const admitted = createAdmission(createRateLimit(sql, limitMs));
  const answerDuplicate = createAnswerDuplicate(context, recover, replays);
  const readDelivery = createReadDelivery(context);
  const queue = createQueue(context, { sites, dispatch, inFlight, lease, pace });
  return {
    sites,
    inFlight,
    lease,
    pace,
    queue,
    settle,
    recover,
    authenticate: createAuthenticate(sites, admitted, usage, refused),
    readDelivery,
    refused,
    inbound: createInbound(context, { sites, read: createReadRequest(readDelivery, admitted, usage), answerDuplicate, refused }),
    usage,
    bindingUsage,
    claim: createClaim(context, lease),
    deliver: createDeliver(context, dispatch, settle),
    replays,
    answerDuplicate,
  };
}

function memoize<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
