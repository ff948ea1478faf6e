import { type JsonObject, parseAsWritten, parseJson, printJson } from "shared/core/json";
import type { ReconcileProblem } from "shared/core/reason";
import { decide, readHistory } from "shared/core/sources/history";
import type { OrderList } from "shared/core/sources/source";
import { headerReader } from "shared/core/sources/sources";
import { attempt } from "shared/core/text";
import { orderId } from "shared/db/ids";
import { type Lease, workOffDue } from "shared/db/owned";
import { type ClaimedReconcile, findKnownOrders, finishReconcile, reconciles } from "shared/db/reconcile";
import { type Answered, guardedGet, RequestFailed, type RequestLimits } from "shared/guarded-request";
import { readRecord, secretPlace } from "shared/secrets/vault";
import { repeat } from "shared/server/retry";
import { type GatewayContext, inTime } from "../context.ts";
import { nothing, type Take } from "../ingest/answer.ts";
import type { SiteConfig, SiteDirectory } from "../sites/sites.ts";
import { keep } from "./inbound.ts";
import { markOf, type ReadDelivery } from "./read.ts";

interface Parts {
  sites: Pick<SiteDirectory, "refresh" | "peek">;
  readDelivery: ReadDelivery;
  take: Take;
}

const mostPages = 50;
/** The most events that one state of an order makes in a run: a refund and its status, or several refunds. */
const mostOfOrder = 20;
const longestRunMs = 240_000;
const windowHours = 48;

/** A shop that is asked, and what that takes. */
interface Asked extends Parts {
  context: GatewayContext;
  stopping: AbortSignal;
  site: SiteConfig;
  orders: OrderList;
  claimed: ClaimedReconcile;
  /** False when another gateway has taken over. */
  extend: () => Promise<boolean>;
  /** How many orders were taken. */
  taken: number;
}

/**
 * Asks shops for the orders of the last two days from time to time, each shop by one gateway at a time. Takes the orders that never came as if the shop
 * had posted them, with the same keys, so that the later of the two is a repeat. The returned function stops it.
 */
export function startReconcile(context: GatewayContext, parts: Parts): () => Promise<void> {
  const { sql, log, config } = context;
  const { statementMs: limitMs, reconcileTickMs, reconcileEveryMs, restMs } = config.timeLimits;
  const nextIn = reconcileEveryMs / 1000;

  const run = (stopping: AbortSignal) => async (claimed: ClaimedReconcile, lease: Lease) => {
    const { site_id: siteId } = claimed;
    const site = await parts.sites.refresh(siteId);
    const orders = site?.inbound.source.orders ?? null;
    if (site === null || orders === null || !site.enabled || site.unreadable) return await reconciles.rest(sql, siteId, lease, nextIn);
    const extend = () => reconciles.extend(sql, siteId, lease);
    const asked: Asked = { ...parts, context, stopping, site, orders, claimed, extend, taken: 0 };
    try {
      await ask(asked);
      await finishReconcile(sql, siteId, lease, { problem: null, taken: asked.taken, nextIn });
    } catch (error) {
      if (error instanceof OrdersUnavailable && !stopping.aborted)
        return await finishReconcile(sql, siteId, lease, { problem: error.problem, taken: asked.taken, nextIn });
      if (!stopping.aborted) log.warn({ err: error, siteId }, "a shop's orders were not all taken; the rest follows soon");
      // An order that cannot be taken is tried again after a minute, not at once.
      await reconciles.rest(sql, siteId, lease, stopping.aborted ? 0 : 60);
    }
  };

  // Longer than a page may take, with all of its orders.
  const how = { ...reconciles, seconds: 120, atOnce: 8, limitMs };
  const rest = { pulse: context.pulse, quietMs: restMs };
  return repeat((stopping) => workOffDue(sql, { ...how, stopping }, run(stopping)), reconcileTickMs, log, rest);
}

/** @throws OrdersUnavailable */
async function ask(asked: Asked): Promise<void> {
  const { context, stopping, site, orders, claimed, extend } = asked;
  const { clock, config } = context;
  const limits = { timeoutMs: config.timeLimits.shopAnswerMs, allowed: config.allowPrivate ?? null, stopping };
  const key = openKey(context, site, claimed);
  const { origin, pathname } = new URL(site.inbound.url);
  const base = `${origin}${pathname.replace(/(?<!\/)\/+$/, "")}`;
  // The log shows only orders of the days that it keeps; older ones could have come as well.
  const since = new Date(clock.now().getTime() - Math.min(windowHours, claimed.log_days * 24) * 3_600_000);
  const endsAt = clock.monotonic() + longestRunMs;
  for (let page = 1; page <= mostPages; page += 1) {
    if (clock.monotonic() > endsAt) throw new OrdersUnavailable({ code: "shop_too_slow" });
    if (!(await extend())) throw new Error("another gateway has taken over");
    const found = await fetchOrders(`${base}/${orders.pagePath(since, page)}`, key, limits);
    for (const missing of await missingOf(asked, found, since)) {
      stopping.throwIfAborted();
      await takeMissing(asked, missing);
    }
    if (found.length < orders.pageSize) return;
  }
  throw new OrdersUnavailable({ code: "shop_has_too_many", orders: mostPages * orders.pageSize });
}

/** An order that tells something new. */
type Missing = Awaited<ReturnType<typeof missingOf>>[number];

/** Takes the events of a missing order: a new one may have been refunded already, and one state may tell several things. */
async function takeMissing(asked: Asked, missing: Missing): Promise<void> {
  const { clock } = asked.context;
  for (let times = 0; times < mostOfOrder; times += 1) {
    const readNow = async () => (await readMissing(asked, missing)) ?? nothing;
    const answer = await asked.take(readNow, { startedAt: clock.monotonic() });
    if (answer === nothing) return;
    if (answer.headers === undefined) asked.taken += 1;
  }
}

/** The event of a fetched order, or null if it tells nothing new. */
async function readMissing({ context, sites, readDelivery, site: asked, orders }: Asked, { order: body, isNew }: Missing) {
  const site = sites.peek(asked.id) ?? asked;
  for (const kind of kindsOf(isNew)) {
    const delivered = { headers: headerReader(orders.headersOf(kind)), body, text: printJson(body), receivedAt: context.clock.now() };
    const reading = await readDelivery(site, { ...delivered, isFetched: true });
    if (reading.kind === "event") return reading.event;
    // What has changed meanwhile is looked at in the next run.
    if (reading.kind === "ignored") await keep(context, site, reading);
  }
  return null;
}

/** The key goes to no other address than it was entered for. */
function openKey({ vault }: GatewayContext, site: SiteConfig, { url, key, key_id: id }: ClaimedReconcile): string {
  if (new URL(url).href !== new URL(site.inbound.url).href) throw new OrdersUnavailable({ code: "shop_address_changed" });
  const opened = readRecord(vault, key, secretPlace(site.accountId, id));
  if (opened === null) throw new OrdersUnavailable({ code: "shop_key_unreadable" });
  return opened;
}

/** The orders of a page that tell something new. */
async function missingOf({ context, site, orders }: Asked, found: readonly JsonObject[], since: Date) {
  const read = found.flatMap((order) => {
    const about = orders.read(order);
    if (about === null) return [];
    const isNew = about.createdAt !== null && about.createdAt >= since;
    return [{ order, isNew, rowId: orderId(site.id, { kind: "id", value: about.id }) }];
  });
  const rows = await inTime(context, findKnownOrders(context.sql, site.id, [...new Set(read.map(({ rowId }) => rowId))]));
  const known = new Map(rows.map((row) => [row.id, row]));
  const { source, topicMap } = site.inbound;
  return read.filter(({ order, isNew, rowId }) => {
    const row = known.get(rowId);
    // The order is known without a history or a status: its customer was erased, or a backend posts the order too.
    if (row === undefined || row.history === null) return row?.known !== true || row.status !== null;
    const given = { topicMap, history: readHistory(parseJson(row.history)), mark: markOf(context.vault, rowId), isFetched: true };
    return kindsOf(isNew).some((kind) => {
      const delivery = source.deliveryOf(headerReader(orders.headersOf(kind)), order);
      const { tells, next } = delivery === null ? { tells: null, next: null } : decide(source, delivery, given);
      return tells !== null || (next !== null && next.status !== given.history.status);
    });
  });
}

/** The requests by which the shop would have told of an order. */
const kindsOf = (isNew: boolean) => (isNew ? (["created", "changed"] as const) : (["changed"] as const));

/** Why a shop's orders could not be fetched. */
class OrdersUnavailable extends Error {
  override name = "OrdersUnavailable";
  readonly problem: ReconcileProblem;

  constructor(problem: ReconcileProblem, options?: ErrorOptions) {
    super(problem.code, options);
    this.problem = problem;
  }
}

const maxBytes = 8 * 1_048_576;

/** A page of orders. `key`: the user's name and password as the shop's API takes them. @throws OrdersUnavailable */
async function fetchOrders(url: string, key: string, limits: Pick<RequestLimits, "timeoutMs" | "allowed" | "stopping">) {
  const headers = { accept: "application/json", authorization: `Basic ${Buffer.from(key).toString("base64")}` };
  try {
    return readOrders((await guardedGet(url, { ...limits, maxBytes, needsTls: true }, { headers, judge })).bytes);
  } catch (error) {
    if (error instanceof RequestFailed) throw new OrdersUnavailable(problemOf(error, limits.timeoutMs), { cause: error });
    throw error;
  }
}

function judge({ statusCode: status, headers }: Answered): void {
  if (status >= 300 && status < 400) throw new OrdersUnavailable({ code: "shop_redirects" });
  if (status === 401 || status === 403) throw new OrdersUnavailable({ code: "shop_refuses_key", status });
  if (status === 404) throw new OrdersUnavailable({ code: "shop_without_orders" });
  if (status !== 200) throw new OrdersUnavailable({ code: "shop_failed", status });
  if ((headers["content-encoding"] ?? "identity") !== "identity") throw new OrdersUnavailable({ code: "shop_answer_unreadable" });
}

const problemOf = ({ fault, message }: RequestFailed, timeoutMs: number): ReconcileProblem =>
  (
    {
      address_private: { code: "shop_address_private" },
      not_encrypted: { code: "shop_not_encrypted" },
      too_large: { code: "shop_answer_too_large", megabytes: maxBytes / 1_048_576 },
      timeout: { code: "shop_timeout", seconds: timeoutMs / 1000 },
      unreachable: { code: "shop_unreachable", cause: message.slice(0, 200) },
    } as const
  )[fault];

/** Entries of the list that are no objects are left out. */
function readOrders(bytes: Buffer): JsonObject[] {
  const list = attempt(() => parseAsWritten(bytes.toString("utf8")), null);
  if (!Array.isArray(list)) throw new OrdersUnavailable({ code: "shop_answer_unreadable" });
  return list.filter((one): one is JsonObject => typeof one === "object" && one !== null && !Array.isArray(one));
}
