import { forgetExpiredKeys, oldestKeys } from "shared/db/event/answer";
import { giveBackEvents } from "shared/db/event/gateway-lease";
import { makePartitions } from "shared/db/migrate";
import { forgetEndedSecrets } from "shared/db/site-secret";
import { forgetThrottles } from "shared/db/waiting/pace";
import { createInFlight } from "shared/platform/client";
import { repeat } from "shared/server/retry";
import type { GatewayContext } from "./context.ts";
import { createReadShop } from "./inbound/inbound.ts";
import { createReadDelivery, createReadRequest } from "./inbound/read.ts";
import { startReconcile } from "./inbound/reconcile.ts";
import { createAuthenticate } from "./ingest/authenticate.ts";
import { createReadObject } from "./ingest/body.ts";
import { createClaim } from "./ingest/claim.ts";
import { createDeliver, createSettle } from "./ingest/deliver.ts";
import { createAnswerDuplicate } from "./ingest/duplicate.ts";
import { createIngest } from "./ingest/ingest.ts";
import type { EventKey } from "./ingest/plan.ts";
import { createRecover } from "./ingest/recover.ts";
import { createLease } from "./owning/lease.ts";
import { watchForDue } from "./owning/watch.ts";
import { createWorker } from "./owning/worker.ts";
import { watchBacklog } from "./queue/backlog.ts";
import { createQueue } from "./queue/queue.ts";
import { startRequested } from "./requested/requested.ts";
import { createAccountPause } from "./sending/account-pause.ts";
import { createDispatch } from "./sending/dispatch.ts";
import { createPace } from "./sending/pace.ts";
import { createNotes } from "./sites/notes.ts";
import { createSiteDirectory } from "./sites/sites.ts";
import { startDelivering } from "./webhooks/deliver.ts";

export type Work = ReturnType<typeof startWork>;

/** Puts the steps of an event together, and starts the loops that work on what is due. */
export function startWork(context: GatewayContext) {
  const { sql, instanceId, config, log } = context;
  const [sites, notes] = [createSiteDirectory(context), createNotes(context)];

  const events = createWorker<EventKey>(context, {
    name: "events",
    handBack: (keys, inDoubt) => giveBackEvents(sql, instanceId, keys, inDoubt),
  });
  const lease = createLease(context, events);
  // The lease begins before the first event, which is planned by the database's clock.
  lease.renew().catch((error: unknown) => log.debug({ err: error }, "the lease begins with the first event"));

  const [inFlight, pace] = [createInFlight(), createPace(context)];
  const dispatch = createDispatch(context, { pause: createAccountPause(context), inFlight, pace, notes });
  const settle = createSettle(context);
  const recover = createRecover(context, sites, dispatch, settle);
  const queue = createQueue(context, { sites, dispatch, inFlight, lease, pace });

  const answerDuplicate = createAnswerDuplicate(context, { recover, events, notes });
  const readDelivery = createReadDelivery(context);
  const readObject = createReadObject(context.config.timeLimits.holdMs);
  const readRequest = createReadRequest(readDelivery, sites, notes, readObject);
  const ingest = createIngest(context, {
    sites,
    authenticate: createAuthenticate(sites, notes, readObject),
    readShop: createReadShop(context, { sites, read: readRequest, answerDuplicate, notes }),
    lease,
    claim: createClaim(context, lease, events),
    answerDuplicate,
    deliver: createDeliver(context, dispatch, settle),
    inFlight,
    events,
    notes,
    signal: (site) => queue.signal(site),
  });
  const { take } = ingest;
  const asking = [startReconcile(context, { sites, readDelivery, take }), startRequested(context, { sites, take })];
  const [stopDelivering, stopWatchingDue] = [startDelivering(context, lease), watchForDue(context)];
  const stopHousekeeping = startHousekeeping(context);
  context.metrics?.gauge("tidings_in_flight", "Messages that are with the platform now.", () => [{ value: inFlight.taken }]);
  const stopWatching = context.metrics && watchBacklog(context, context.metrics);

  return {
    ingest,
    /** Ends the work in the background; requests must have ended before. */
    stop: async (): Promise<void> => {
      await Promise.all(asking.map((stop) => stop()));
      const ending = [recover, notes, pace, queue].map((one) => one.stop());
      await Promise.all([...ending, stopDelivering(), stopWatchingDue(), stopHousekeeping(), stopWatching?.()]);
      await settle.drain(config.timeLimits.shutdownMs);
      await events.stop();
      await lease.stop();
    },
  };
}

/** Periodic clean-up for all gateways; harmless when several do it at once. The returned function stops it. */
function startHousekeeping({ sql, config, log }: GatewayContext): () => Promise<unknown> {
  const { forgetMs, partitionsMs } = config.timeLimits;
  // One after the other: beside each other they would open a second connection every minute.
  const forget = async (stopping: AbortSignal): Promise<void> => {
    while (!stopping.aborted && (await forgetThrottles(sql)));
    // Deletes all that have expired since the last time, as keys come faster than any fixed number goes.
    for (let after: string | null = oldestKeys.after; after !== null && !stopping.aborted;)
      after = (await forgetExpiredKeys(sql, { ...oldestKeys, after })).next;
  };
  const stops = [
    repeat(forget, forgetMs, log),
    repeat(() => makePartitions(sql), partitionsMs, log),
    repeat(() => forgetEndedSecrets(sql), partitionsMs, log),
  ];
  return () => Promise.all(stops.map((stop) => stop()));
}
