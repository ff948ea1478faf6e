import { setTimeout as pause } from "node:timers/promises";
import { nextTry } from "shared/core/webhook";
import { createStatementLane } from "shared/db/batch/lane";
import { withTimeout } from "shared/db/statement";
import {
  type Attempt,
  giveBackDeliveries,
  giveUpDisabled,
  listTakenDeliveries,
  listWaitingEndpoints,
  type OwnedDelivery,
  recordAttempts,
  type TakenDelivery,
  type TakenEndpoint,
  takeDeliveries,
  type WaitingEndpoint,
} from "shared/db/webhook/take";
import { createGuardedPost, failureCode, type PostAnswer, retryAfterSeconds } from "shared/guarded-request";
import { rowCodecOf } from "shared/sealing/account-rows";
import { bodyOf } from "shared/sealing/delivery-body";
import { webhookHeaders } from "shared/secrets/signature";
import { type Vault, readRecord, secretPlace } from "shared/secrets/vault";
import { type GatewayContext, step } from "../context.ts";
import type { GatewayLease } from "../owning/lease.ts";
import { createPlaces } from "../owning/places.ts";
import { lookForDue } from "../owning/watch.ts";
import { createWorker } from "../owning/worker.ts";
import { defaultTimeLimits } from "../time-limits.ts";

/** How many deliveries of an endpoint are taken at once, and how many of them are under way. */
const takenAtOnce = 64;
const requestsAtOnce = 8;
/** Failures in a row after which an endpoint gets one request at a time, until one arrives. */
const patience = 3;
/** The requests under way at once: in all, and for the endpoints of one account. */
const mostRequests = 128;
const mostOfAccount = 32;

/**
 * Sends endpoints the deliveries that were written for them. All gateways take deliveries from one table under the lease that they hold anyway; an attempt
 * whose gateway dies before it is recorded is repeated under the same id. An endpoint has a few requests at a time, and only one while it fails, so that
 * no other endpoint waits for it. The returned function stops it and waits for the requests under way.
 */
export function startDelivering(context: GatewayContext, lease: Pick<GatewayLease, "endsAt">): () => Promise<void> {
  const { clock, config, log } = context;
  const { leaseMs, shutdownMs } = config.timeLimits;
  const serving = new Map<string, Promise<void>>();
  let isStopping = false;
  // Begins nothing that another gateway may take soon.
  const mayGoOn = (): boolean => !isStopping && lease.endsAt - clock.monotonic() > leaseMs / 2;
  const serve = createServe(context, mayGoOn);

  const begin = (endpoint: WaitingEndpoint): void => {
    if (serving.has(endpoint.id) || !mayGoOn()) return;
    const served = serve
      .run(endpoint)
      .catch((error: unknown) => log.warn({ err: error, webhookId: endpoint.id }, "an endpoint's deliveries will be looked for again"))
      .finally(() => serving.delete(endpoint.id));
    serving.set(endpoint.id, served);
  };
  const stopLooking = lookForDue(context, listWaitingEndpoints, ({ id }) => id, begin);

  return async () => {
    isStopping = true;
    await stopLooking();
    await withTimeout(Promise.allSettled(serving.values()), shutdownMs).catch(() => undefined);
    await serve.stop();
  };
}

/** Records attempts, many in a statement: while requests are under way it is gathered for up to 25 ms, and nobody waits for it but the next take. */
const createRecord = ({ sql, log, config, instanceId, metrics }: GatewayContext, { inside }: { inside: readonly unknown[] }) =>
  createStatementLane<Attempt, void>({
    run: async (attempts) => {
      for (const { id, because } of await recordAttempts(sql, instanceId, attempts))
        log.warn({ webhookId: id, because }, "an endpoint is switched off");
      return attempts.map(() => undefined);
    },
    maxItems: 250,
    keyOf: ({ id }) => id,
    groupOf: ({ webhook_id }) => webhook_id,
    atOnce: 2,
    pace: async () => {
      for (let looks = 0; looks < 5 && inside.length > 0; looks += 1) await pause(5);
    },
    onBatch: metrics && ((rows) => metrics.batchSize(rows, "delivery")),
    limitMs: config.timeLimits.patientMs,
  });

/** Posts the due deliveries of an endpoint until none is left. */
function createServe(context: GatewayContext, mayGoOn: () => boolean) {
  const { sql, vault, config, instanceId } = context;
  // A delivery's line has ids and codes alone: no secrets are looked for in it, which takes longer than all else of the line.
  const telling = { ...context, log: context.log.child({}, { redact: [] }) };
  const places = createPlaces({ most: mostRequests, mostOfGroup: mostOfAccount });
  const [post, record] = [createPost(config), createRecord(context, places)];
  const worker = createWorker<OwnedDelivery>(context, {
    name: "deliveries",
    listOwned: () => listTakenDeliveries(sql, instanceId),
    // One that was perhaps posted is posted once more under the same id.
    handBack: (deliveries) => giveBackDeliveries(sql, instanceId, deliveries),
  });

  /** Posts the deliveries that were taken. Once the endpoint fails several times in a row, the rest goes back and waits its turn. Answers whether all is recorded, and whether it fails. */
  const postAll = async (due: WaitingEndpoint, taken: readonly TakenDelivery[], of: TakenEndpoint) => {
    const left = taken.values();
    const recorded: Promise<void>[] = [];
    let failures = 0;
    const isWhole = await worker.run(taken, async (hand) => {
      const endpoint = openEndpoint(vault, due, of);
      const work = async (): Promise<void> => {
        for (const delivery of left) {
          const leave = await places.enter(due.account_id);
          const attempt = await step(context, "delivery", delivery.id, () => post.run(delivery, endpoint)).finally(leave);
          tell(telling, due, delivery, attempt);
          failures = attempt.asked && attempt.error !== null ? failures + 1 : 0;
          recorded.push(hand.record([delivery], () => record.add(attempt)));
          if (failures > 0) await recorded.at(-1);
          if (failures >= patience || attempt.gone || !mayGoOn()) break;
        }
      };
      await Promise.all(Array.from({ length: Math.min(taken.length, requestsAtOnce) }, work));
      await Promise.all(recorded);
    });
    return [isWhole, failures >= Math.min(patience, taken.length)] as const;
  };

  const run = async (due: WaitingEndpoint): Promise<void> => {
    if (!due.enabled) return void (await giveUpDisabled(sql, due.id, 1_000));
    let [{ failing }, isMore] = [due, true];
    while (isMore && mayGoOn()) {
      const limit = failing ? 1 : takenAtOnce;
      const taken = await worker.take(takeDeliveries(sql, instanceId, due.id, limit), (rows) => rows);
      const endpoint = taken[0]?.endpoint;
      if (!endpoint) return;
      [isMore, failing] = await postAll(due, taken, endpoint);
      isMore &&= taken.length === limit;
    }
  };
  return { run, stop: () => Promise.all([worker.stop(), post.close()]) };
}

/** One line of the log, and one count, for each attempt. */
function tell({ log, metrics, tracing }: GatewayContext, { id: webhook_id }: WaitingEndpoint, delivery: TakenDelivery, attempt: Attempt) {
  const { id: delivery_id, type, event_id, site_id } = delivery;
  const { number, ms, status_code: status, error, again: again_seconds } = attempt;
  log.info({ delivery_id, type, event_id, site_id, webhook_id, attempt: number, status, ms, error, again_seconds }, "delivery");
  if (event_id !== null)
    tracing?.later(event_id, "delivery", performance.now() - ms, { "tidings.delivery_id": delivery_id, "tidings.attempt": number }, error);
  metrics?.deliveries(error === null ? "delivered" : again_seconds === null ? "failed" : "again");
}

/** An endpoint, the secrets that sign its requests (the current one first), and the codec of its rows. */
const openEndpoint = (vault: Vault, { id, account_id }: WaitingEndpoint, { secrets, ...taken }: TakenEndpoint) => ({
  id,
  url: taken.url,
  secrets: secrets.flatMap((one) => readRecord(vault, one.secret, secretPlace(account_id, one.id)) ?? []),
  rows: rowCodecOf(vault, { account_id, ...taken }),
});
type OpenEndpoint = ReturnType<typeof openEndpoint>;

/** The log keeps this many bytes of an endpoint's answer. */
const keptBytes = 4096;
const gone = 410;

function createPost({ allowPrivate, timeLimits: { webhookMs, firstRetryMs } }: GatewayContext["config"]) {
  const guarded = createGuardedPost(allowPrivate ?? null);
  const limits = { maxBytes: keptBytes, timeoutMs: webhookMs };
  const scale = firstRetryMs / defaultTimeLimits.firstRetryMs;

  const attempt = async (delivery: TakenDelivery, { url, secrets, rows }: OpenEndpoint, at: Date): Promise<Outcome> => {
    const body = bodyOf(delivery, rows);
    if (body === null) return { ...unasked, error: "unreadable" };
    if (secrets.length === 0) return { ...unasked, error: "no_secret" };
    try {
      return judge(await guarded.post(url, { headers: webhookHeaders(delivery.id, at, secrets, body), body }, limits));
    } catch (error) {
      return { ...unasked, error: failureCode(error), asked: true };
    }
  };

  /** Posts one delivery once. Never throws. */
  const run = async (delivery: TakenDelivery, endpoint: OpenEndpoint): Promise<Attempt> => {
    const at = new Date();
    const { status_code, error, asked, retryAfter, text } = await attempt(delivery, endpoint, at);
    const again =
      error === null || error === "unreadable" || status_code === gone ? null : nextTry(delivery.failures + 1, retryAfter, Math.random());
    return {
      status_code,
      error,
      asked,
      id: delivery.id,
      webhook_id: endpoint.id,
      number: delivery.attempts + 1,
      at: at.toISOString(),
      ms: Date.now() - at.getTime(),
      again: again && again * scale,
      answer: endpoint.rows.seal(text, "webhook_delivery.answer", delivery.id),
      gone: status_code === gone,
    };
  };
  return { run, close: async () => guarded[Symbol.asyncDispose]() };
}

/** The outcome of an attempt: besides what is recorded of it, what the answer says. */
interface Outcome extends Pick<Attempt, "status_code" | "error" | "asked"> {
  /** Seconds that the endpoint asks for. */
  retryAfter: number | null;
  /** The part of the answer that the log keeps. */
  text: string | null;
}

const unasked = { status_code: null, asked: false, retryAfter: null, text: null };

function judge({ statusCode: status_code, headers, bytes, isCut }: PostAnswer): Outcome {
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`);
  const body = bytes.toString("utf8").replaceAll("\0", "\uFFFD");
  return {
    status_code,
    error: status_code >= 200 && status_code < 300 ? null : status_code >= 300 && status_code < 400 ? "redirect" : "refused",
    asked: true,
    retryAfter: retryAfterSeconds(headers["retry-after"]),
    text: JSON.stringify({ head: head.join("\n").slice(0, keptBytes), body, isCut }),
  };
}
