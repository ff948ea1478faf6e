import { orderReference, orderSummary, type OrderSummary } from "shared/core/event";
import { dropStatuses } from "shared/core/message";
import { optOutKey } from "shared/core/person-key";
import { optedOut, type PlannedMessage } from "shared/core/plan";
import { describeReason } from "shared/core/reason";
import { createStatementLane, type Lane } from "shared/db/batch/lane";
import { largeBytes } from "shared/db/batch/large-turns";
import { isStored } from "shared/db/event/answer";
import { claimEvents, type ClaimOutcome, type EventClaim, type NotificationClaim, type StopClaim } from "shared/db/event/claim";
import { listForeseen } from "shared/db/event/look-back";
import { orderId } from "shared/db/ids";
import { isDatabaseAway, isUniqueViolation, withTimeout } from "shared/db/statement";
import type { GatewayMetrics } from "shared/metrics/metrics";
import { type Fingerprints, type KeyOf, waitingKeys } from "shared/sealing/account-rows";
import { doublingPause, retry } from "shared/server/retry";
import type { GatewayContext } from "../context.ts";
import type { GatewayLease } from "../owning/lease.ts";
import type { Worker } from "../owning/worker.ts";
import { waveSize } from "../sending/dispatch.ts";
import type { SiteConfig } from "../sites/sites.ts";
import { composeDryRunAnswer, decidedOutcome, isSendable, leavesNow } from "./answer.ts";
import type { AuthenticEvent } from "./authenticate.ts";
import type { EventKey, IdentifiedMessage, PlannedDelivery, PlannedEvent } from "./plan.ts";
import { toWaiting } from "./waiting.ts";

/** An event that is stored and ours until `leaseEndsAt` (monotonic ms). Only `claim` makes one. */
export interface ClaimedEvent {
  delivery: PlannedDelivery;
  orderId: string | null;
  leaseEndsAt: number;
}

/** `planned` is the plan as it was stored, with failures for messages to people who opted out. */
type ClaimResult = { kind: "claimed"; event: ClaimedEvent; planned: PlannedEvent } | { kind: "duplicate" | "outdated" | "shut" };

export type Claim = ReturnType<typeof createClaim>;

interface Entry {
  row: EventClaim;
  /** No request waits for it after this (monotonic ms). */
  giveUpAt: number;
  /** The end of the gateway's lease as it was before the first statement that may have stored the event. */
  leaseEndsAt?: number | undefined;
  /** True once a statement has had no answer: it may store the event all the same. */
  isDoubtful: boolean;
}

type Renewable = Pick<GatewayLease, "endsAt" | "renew">;

/** Events that arrive while a claim is under way share the next one's statement and commit. */
export function createClaim(context: GatewayContext, lease: Renewable, open: Pick<Worker<EventKey>, "giveBack" | "close">) {
  const { sql, clock, metrics } = context;
  /** Large events are not in the same statements as others, which would wait for them. */
  const [usual, large] = [createClaimLane(context, lease), createClaimLane(context, lease)];
  const add = (entry: Entry): Promise<ClaimOutcome> =>
    (entry.row.event.payload.length < largeBytes ? usual : large).add(entry, leftUntil(entry.giveUpAt));
  const leftUntil = (giveUpAt: number): number => Math.max(0, giveUpAt - clock.monotonic());

  /** After a lost answer the event may be stored, about to be, or not. Claiming it again waits for a claim that is still under way. */
  const claimAgain = async (entry: Entry): Promise<ClaimOutcome> => {
    const { row, giveUpAt } = entry;
    const { site_id: siteId, id } = row.event;
    if (!(await withTimeout(isStored(sql, siteId, id), leftUntil(giveUpAt)))) return await add(entry);
    return row.asks.length === 0 ? "claimed" : { foreseen: await withTimeout(listForeseen(sql, siteId, id), leftUntil(giveUpAt)) };
  };

  const claim = (entry: Entry): Promise<ClaimOutcome> => add(entry).catch((failed: unknown) => insist(entry, failed));
  const insist = (entry: Entry, failed: unknown): Promise<ClaimOutcome> =>
    retry(async (attempt) => (attempt === 1 ? Promise.reject(failed) : claimAgain(entry)), {
      pauseMs: doublingPause,
      again: (error, attempt, pauseMs) => {
        entry.isDoubtful ||= isDatabaseAway(error);
        return (isDatabaseAway(error) || (attempt > 1 && isUniqueViolation(error))) && clock.monotonic() + pauseMs < entry.giveUpAt;
      },
    }).catch((error: unknown) => {
      // Its own row is there, by a statement whose answer was lost: the caller learns that the database was away.
      throw isUniqueViolation(error) ? failed : error;
    });

  /** Throws the database's error when the event is not known to be stored by `giveUpAt` (monotonic ms); it is then given back. */
  const run = async (given: PlannedEvent, giveUpAt: number): Promise<ClaimResult> => {
    const { id, site } = given.delivery;
    let planned = given;
    let entry: Entry | undefined;
    let isOurs = false;
    try {
      entry = { row: toClaim(planned, context), giveUpAt, isDoubtful: false };
      let outcome = await claim(entry);
      while (typeof outcome === "object" && "optedOut" in outcome) {
        planned = withOptedOut(planned, outcome.optedOut);
        entry.row = toClaim(planned, context);
        outcome = await claim(entry);
      }
      isOurs = outcome === "claimed" || typeof outcome === "object";
      if (outcome !== "claimed" && typeof outcome === "string") return { kind: outcome };
      if (metrics !== undefined) countClaim(entry.row, metrics);
      const delivery = typeof outcome === "object" ? withoutForeseen(planned.delivery, outcome.foreseen) : planned.delivery;
      return { kind: "claimed", event: { delivery, orderId: entry.row.event.order_id, leaseEndsAt: entry.leaseEndsAt ?? 0 }, planned };
    } finally {
      if (entry?.isDoubtful === true && !isOurs) open.giveBack({ site_id: site.id, id }, false);
      else if (!isOurs) open.close(id);
    }
  };
  /** How long the oldest of the site's events has been waiting to be claimed. */
  return { run, waitMs: (siteId: string): number => Math.max(usual.waitMs(siteId), large.waitMs(siteId)) };
}

/** Counts a live event that has its answer, and its messages that do not leave now. */
function countClaim({ event, notifications }: EventClaim, { events, messages }: GatewayMetrics): void {
  if (event.dry_run) return;
  if (event.chat !== null) events(event.chat);
  for (const { status } of notifications) if (status !== "sending") messages(status);
}

function createClaimLane({ events, clock, config, instanceId, metrics }: GatewayContext, lease: Renewable): Lane<Entry, ClaimOutcome> {
  const { leaseMs, statementMs } = config.timeLimits;

  /** Renews the lease first where little is left of it, or where it turns out to be gone: the database was away for longer. */
  const claimUnderLease = async (entries: readonly Entry[]): Promise<ClaimOutcome[]> => {
    const rows = entries.map(({ row }) => row);
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      if (attempt > 1 || lease.endsAt - clock.monotonic() < leaseMs / 2) await lease.renew();
      const { endsAt } = lease;
      for (const entry of entries) entry.leaseEndsAt ??= endsAt;
      const outcomes = await claimEvents(events, rows, instanceId);
      if (outcomes !== null) return outcomes;
      for (const entry of entries) entry.leaseEndsAt = undefined;
    }
    // `isDatabaseAway` recognizes this code: a later try may succeed.
    throw Object.assign(new Error("another gateway ended this one's lease twice"), { code: "55000" });
  };

  return createStatementLane({
    run: async (entries: Entry[]): Promise<ClaimOutcome[]> => {
      // An event whose request has given up is not stored, and the queue of a slow database stays short.
      const awaited = entries.filter(({ giveUpAt }) => clock.monotonic() < giveUpAt);
      const outcomes = awaited.length > 0 ? await claimUnderLease(awaited) : [];
      const byEntry = new Map(awaited.map((entry, i) => [entry, outcomes[i]]));
      return entries.map((entry) => byEntry.get(entry) ?? "outdated");
    },
    maxItems: 250,
    maxSize: 4_000_000,
    sizeOf: ({ row }) => row.event.payload.length + (row.event.body?.length ?? 0) + 2_000 * row.notifications.length,
    keyOf: ({ row }) => keysOf(row),
    groupOf: ({ row }) => row.event.site_id,
    atOnce: 2,
    onBatch: metrics && ((rows) => metrics.batchSize(rows, "claim")),
    limitMs: statementMs,
  });
}

/** What two events of a batch must not have in common: keys, and what the later one has to see of the former. */
function keysOf({ event, alsoKeys = none, history, asks, stops }: EventClaim): string | string[] | null {
  const { site_id, name, idempotency_key: key, dry_run, id_until } = event;
  const own = key && JSON.stringify(id_until === null ? [site_id, name, key, dry_run] : [site_id, key]);
  if (alsoKeys.length === 0 && history === undefined && asks.length === 0 && stops.length === 0) return own;
  const others = [...alsoKeys, ...(history === undefined ? none : [history.id]), ...cancelKeys(asks, stops)];
  if (others.length === 0) return own;
  return [...(own === null ? none : [own]), ...others.map((one) => JSON.stringify([site_id, one]))];
}

/** The keys by which messages are cancelled: their own, and those of the event. */
const cancelKeys = (asks: EventClaim["asks"], stops: EventClaim["stops"]): string[] => [
  ...asks.map(({ cancel_key }) => cancel_key),
  ...stops.flatMap(({ code, key }) => (code === "cancelled_by_event" ? key : none)),
];

function toClaim(planned: PlannedEvent, { vault }: GatewayContext): EventClaim {
  const { event, trace, unreached } = planned;
  const { id, site, messages, outcome, bindingsRun } = planned.delivery;
  const { dryRun, idempotencyKey } = event;
  const { rows } = site;
  const isSample = event.asked !== undefined && event.test;
  const reference = dryRun || isSample ? null : orderReference(event.payload);
  const ofOrder = reference && orderId(site.id, reference);
  const order = ofOrder && toldOfOrder(event);
  const keyOf = waitingKeys(vault, event.test);
  const waits = messages.filter((one) => one.waits).map((one) => toWaiting(planned.delivery, one, vault, keyOf));
  const stops = dryRun || isSample ? none : toStops(planned, keyOf);
  const asks = isSample ? none : messages.flatMap((one) => toAsk(planned.delivery, one, keyOf));
  let leaving = 0;
  const isInFirstWave = (one: IdentifiedMessage): boolean => leavesNow(one) && (leaving += 1) <= waveSize;
  return {
    event: {
      id,
      site_id: site.id,
      config: site.config,
      source: event.source,
      name: event.name,
      test: event.test,
      dry_run: dryRun,
      idempotency_key: idempotencyKey,
      bindings_run: bindingsRun,
      chat: outcome,
      unreached,
      recipients_sent: 0,
      recipients_failed: messages.filter(({ message }) => !isSendable(message)).length,
      order_id: ofOrder,
      order_external_id: order && rows.seal(order.externalId, "customer_order.external_id", ofOrder),
      order_number: order && rows.conceal(order.number, "customer_order.number"),
      order_status: order && rows.seal(order.status, "customer_order.status", ofOrder),
      order_total: order && rows.seal(order.total, "customer_order.total", ofOrder),
      order_currency: order && rows.seal(order.currency, "customer_order.currency", ofOrder),
      payload: rows.seal(event.text, "event_payload.payload", id),
      id_until: event.idUntil,
      trace: rows.seal(trace && JSON.stringify(trace), "event_payload.trace", id),
      body: rows.seal(dryRun && idempotencyKey !== null ? composeDryRunAnswer(planned) : null, "idempotency.body", id),
    },
    notifications: messages.map((one) => toNotification(planned.delivery, event.test, one, isInFirstWave(one))),
    addressees: !site.hasOptOuts ? none : toAddressees(planned, vault),
    waiting: waits,
    stops,
    asks,
    alsoKeys: event.alsoKeys,
    history: event.history,
    // What happens in one moment is posted at once, also to two gateways: a message meets the event that cancels it, or the one that replaces it.
    locks: [...cancelKeys(asks, stops), ...waits.flatMap(({ restart_key }) => restart_key ?? none)],
    needs: event.needs && { ...event.needs, event_id: id, site_id: site.id, holder: event.needs.holder ?? id },
    hasWebhooks: site.hasWebhooks,
  };
}

/** An event that is run once more tells nothing new of its order, nor does one of a part. */
function toldOfOrder({ payload, asked, isOfPart }: AuthenticEvent): OrderSummary {
  const order = orderSummary(payload);
  return asked === undefined && isOfPart !== true ? order : { ...order, status: null, total: null, currency: null };
}

const none: [] = [];

const toNotification = (
  { id: eventId, site, name }: PlannedDelivery,
  test: boolean,
  { id, position, message }: IdentifiedMessage,
  sending: boolean,
): NotificationClaim => ({
  id,
  site_id: site.id,
  account_id: site.accountId,
  event_id: eventId,
  event: name,
  binding_id: message.bindingId,
  template_id: message.templateId,
  template: message.template,
  language: message.language,
  to_phone: site.rows.conceal(message.toPhone, "notification.to_phone"),
  position,
  status: message.failure ? "failed" : sending ? "sending" : isScheduled(message, site) ? "scheduled" : "queued",
  components: site.rows.seal(message.components, "notification.components", id),
  error_code: message.failure?.code ?? null,
  error_reason: site.rows.seal(message.failure && describeReason(message.failure), "notification.error_reason", id),
  test,
});

/** Whether the log shows that a message waits for its time, as opposed to its turn. */
const isScheduled = ({ timing }: PlannedMessage, site: SiteConfig): boolean => site.holdMessages || Boolean(timing?.dueAt);

/** What an earlier event is looked for with; nothing for a message that is not sent, or that none cancels. */
function toAsk({ id: event_id, site }: PlannedDelivery, { id, message }: IdentifiedMessage, keyOf: KeyOf) {
  const cancel_key = isSendable(message) ? keyOf("cancel", message.bindingId, message.timing?.cancelBy) : null;
  return cancel_key === null ? [] : [{ site_id: site.id, event_id, id, cancel_key }];
}

/** The waiting messages that an event stops: those that it replaces, and those that wait for it not to come. */
function toStops({ delivery: { id }, event, plan }: PlannedEvent, keyOf: KeyOf): StopClaim[] {
  const { site, name, payload } = event;
  // An event that runs for some bindings alone did not happen anew.
  const rulesOf = (happened: string) => (event.asked?.bindings ? none : (site.cancelRules.get(happened) ?? none));
  const [rules, shown] = [rulesOf(name), (event.shown ?? none).flatMap(rulesOf)];
  if (rules.length + shown.length + plan.judged.length === 0) return [];
  const stop = (code: StopClaim["code"], reason: string, key: string | null, past = false): StopClaim[] =>
    key === null ? [] : [{ event_id: id, site_id: site.id, key, status: dropStatuses[code], code, reason, past }];
  const [restarted, cancelled] = [
    describeReason({ code: "restarted", event: name }),
    describeReason({ code: "cancelled_by_event", event: name }),
  ];
  return [
    ...plan.judged.flatMap(({ binding, timing }) => stop("restarted", restarted, keyOf("restart", binding.id, timing?.restartBy))),
    ...[...new Set([...rules, ...shown])].flatMap((rule) =>
      stop("cancelled_by_event", cancelled, keyOf("cancel", rule.bindingId, rule.keyOf(payload)), !rules.includes(rule)),
    ),
  ];
}

/** The people to whom the event would send something, for the claim to compare with the opt-outs. Also for a dry run. */
function toAddressees({ delivery: { id, site }, plan }: PlannedEvent, vault: Fingerprints) {
  const { accountId, marketing } = site;
  return plan.messages.flatMap((message, position) => {
    if (!isSendable(message)) return [];
    const phone_hash = vault.fingerprint(optOutKey(accountId, message.toPhone));
    return [{ event_id: id, account_id: accountId, position, phone_hash, marketing: marketing.has(message.templateId) }];
  });
}

/** The event with the messages at these positions logged as failed and never sent. */
function withOptedOut(planned: PlannedEvent, positions: readonly number[]): PlannedEvent {
  const failed = new Map(
    planned.plan.messages.flatMap((message, i) => (positions.includes(i) ? [[i, { ...message, failure: optedOut }] as const] : [])),
  );
  const plan = { ...planned.plan, messages: planned.plan.messages.map((message, i) => failed.get(i) ?? message) };
  const messages = planned.delivery.messages.map((one) => {
    const message = failed.get(one.position);
    return message === undefined ? one : { ...one, message, waits: false };
  });
  return { ...planned, plan, delivery: { ...planned.delivery, messages, outcome: decidedOutcome(plan, planned.event) } };
}

/** The delivery without the messages that an earlier event cancels. If nothing is left to be sent, its outcome is what the log says: see `foreseenOutcome`. */
function withoutForeseen(delivery: PlannedDelivery, ids: readonly string[]): PlannedDelivery {
  const { outcome } = delivery;
  const messages = delivery.messages.filter(({ id }) => !ids.includes(id));
  const isOpen = messages.length === delivery.messages.length || messages.some(outcome === null ? leavesNow : (one) => one.waits);
  if (isOpen || (outcome !== null && outcome !== "accepted")) return { ...delivery, messages };
  return { ...delivery, messages, outcome: messages.every(({ message }) => isSendable(message)) ? "scheduled" : "failed" };
}
