import type { Gateway } from "gateway/start";
import type { TimeLimits } from "gateway/time-limits";
import { webhookTypes } from "shared/core/webhook";
import { deleteBinding } from "shared/db/binding";
import { deleteSite } from "shared/db/site";
import type { Pool, Sql } from "shared/db/statement";
import { deleteTemplateRow } from "shared/db/template";
import { cancelOfBinding } from "shared/db/waiting/cancel";
import { deleteWebhook } from "shared/db/webhook/webhook";
import { parseReference } from "shared/platform/client";
import { testDatabase } from "../../support/database.ts";
import { openGateway, openShop, type Shop, type ShopOptions } from "../../support/gateway.ts";
import { newMessageId, type ReceivedSend, refuse, type ScriptedPlatform, startScriptedPlatform } from "../../support/platform.ts";
import { addOutboundSecret, addWebhook, type Receiver, startReceiver } from "../../support/receiver.ts";
import { postEvent, type PostOptions, type Posted, postStatus } from "../../support/requests.ts";
import { type RestShop, startRestShop } from "../../support/rest-shop.ts";
import { waitFor } from "../../support/wait-for.ts";
import { recoveryMs } from "./invariants.ts";
import { refuseStatement, startStatementLink, type StatementLink } from "./statement-link.ts";

/** A gateway on a way to its database where statements fail, and everything that it talks to. */
export interface Lane extends AsyncDisposable {
  sql: Pool;
  link: StatementLink;
  gateway: Gateway;
  platform: ScriptedPlatform;
  receiver: Receiver;
  rest: RestShop;
  /** The messages that the platform took, with its ids. */
  taken: { id: string; send: ReceivedSend }[];
  /** How often the platform refuses what comes for a phone before it takes it, with which code. */
  refusals: Map<string, { status: number; code: number; times: number }>;
  /** The shops by the names of their templates, and whether the platform reports to their accounts. */
  shops: Map<string, { shop: Shop; tells: boolean }>;
  /** Another gateway in place of the one that holds what it should not. */
  restart(): Promise<void>;
}

/**
 * What is done from time to time is done often, so that a trip is short, though not so often that this is most of the work. What is a matter of patience keeps
 * its time, as a busy machine is no fault; a lease lasts longer than a trip waits for rest, so that nothing goes back by its end.
 */
const limits = {
  leaseMs: 120_000,
  dueMs: 100,
  firstRetryMs: 20,
  sweepMs: 200,
  notesMs: 100,
  provenMs: 100,
  requestedTickMs: 200,
  reconcileTickMs: 200,
  forgetMs: 1_000,
  partitionsMs: 1_000,
  ownedMs: 300,
  refusedMs: 200,
} satisfies Partial<TimeLimits>;

/** `changes`: other limits for its gateway. */
export async function openLane(changes: Partial<TimeLimits> = {}): Promise<Lane> {
  const database = await testDatabase();
  await database.owner.unsafe(refuseStatement);
  const [link, platform, receiver, rest] = await Promise.all([
    startStatementLink(database.url),
    startScriptedPlatform(),
    startReceiver(),
    startRestShop(),
  ]);
  const open = () => openGateway(link.url, platform.url, { inDoubtSeconds: 1 }, { ...limits, ...changes });
  const { sql } = database;
  const lane: Lane = {
    sql,
    link,
    platform,
    receiver,
    rest,
    gateway: await open(),
    taken: [],
    refusals: new Map(),
    shops: new Map(),
    restart: async () => {
      await lane.gateway[Symbol.asyncDispose]();
      lane.gateway = await open();
    },
    [Symbol.asyncDispose]: async () => {
      for (const one of [lane.gateway, rest, receiver, platform, link, database]) await one[Symbol.asyncDispose]();
    },
  };
  platform.script((send, response) => {
    const refusal = lane.refusals.get(send.body.to);
    if (refusal !== undefined && (refusal.times -= 1) >= 0) return refuse(response, refusal.status, refusal.code);
    const id = newMessageId();
    lane.taken.push({ id, send });
    void report(lane, send, id);
    return id;
  });
  return lane;
}

/** Reports a message as the platform does: again and again, until it gets a 200. */
async function report(lane: Lane, { body }: ReceivedSend, id: string): Promise<void> {
  const known = lane.shops.get(body.template.name);
  if (known?.tells !== true) return;
  const tell = () => postStatus(lane.gateway, known.shop, body, "delivered", id).catch(() => null);
  await waitFor("the callback to be taken", async () => (await tell())?.status === 200, 60_000).catch(() => undefined);
}

interface Order {
  customer: { first_name: string; phone_e164: string };
  order: { id: string };
}

interface Site extends Shop {
  webhookId: string;
}

/** What a person deletes while something hangs on it, each as the dashboard does. */
export const removals = {
  endpoint: (sql: Sql, { accountId, webhookId }: Site) => deleteWebhook(sql, accountId, webhookId),
  binding: async (sql: Sql, { siteId, bindingId }: Site) => {
    await cancelOfBinding(sql, siteId, bindingId);
    await deleteBinding(sql, bindingId);
  },
  // Not as long as a binding uses it.
  template: async (sql: Sql, site: Site) => {
    await removals.binding(sql, site);
    await deleteTemplateRow(sql, site.accountId, site.templateId);
  },
  site: (sql: Sql, { accountId, siteId }: Site) => deleteSite(sql, accountId, siteId),
} satisfies Record<string, (sql: Sql, site: Site) => Promise<unknown>>;

/** What happens at an account of its own, from the first request until nothing is left to do. */
export interface Trip {
  lane: Lane;
  /** A site with an endpoint; all sites of a trip belong to one account. */
  open(options?: ShopOptions): Promise<Site>;
  /** The same for a site of another kind. */
  adopt<T extends Shop>(open: (options: { accountId?: string }) => Promise<T>): Promise<T & Site>;
  /** An order of the person with this number. */
  order(person?: number): Order;
  /** Asks the gateway something; null without an answer. */
  ask<T extends { status: number; headers: Headers }>(post: () => Promise<T>): Promise<T | null>;
  /** Asks until it is answered, as clients do. */
  insist(what: string, post: () => Promise<{ status: number; headers: Headers }>): Promise<void>;
  post(shop: Shop, payload?: object, options?: PostOptions): Promise<Posted | null>;
  /** Posts for the queue. */
  queue(shop: Shop, payload?: object): Promise<Posted | null>;
  /** Posts under a key, as the documentation has it: until the event is answered. */
  postKeyed(shop: Shop, payload?: Order): Promise<void>;
  /** Whether messages may be refused or given up as far as this trip goes, by the codes that the log has for it. */
  mayFail(...codes: string[]): void;
  /** Deletes something of its sites; `meanwhile` runs when all statements of that have, and none is committed yet. */
  remove(what: keyof typeof removals, meanwhile: () => Promise<unknown>): Promise<void>;
  /** What is wrong once nothing happens any more. `mayRefuse`: the gateway may say that something unexpected happened. */
  wrongs(mayRefuse: boolean): Promise<string[]>;
}

let people = 1_000_000;
let orders = 0;

/** `tells`: the account gets callbacks, which repair the log. */
export function startTrip(lane: Lane, tells: boolean): Trip {
  const { sql } = lane;
  const shops: Site[] = [];
  const first = (people += 1_000);
  const phones = new Set<string>();
  const excuses = new Set<string>();
  const statuses = new Set<string>();
  let removed: keyof typeof removals | null = null;
  const accountId = (): string => shops[0]?.accountId ?? "";
  const prefer = { headers: { Prefer: "respond-async" } };

  const adopt: Trip["adopt"] = async (open) => {
    const [home] = shops;
    const shop = await open(home === undefined ? {} : { accountId: home.accountId });
    if (home === undefined && tells) await sql`insert into platform_callback values (${shop.accountId}, now())`;
    const known = { ...shop, webhookId: "", appSecret: home?.appSecret ?? shop.appSecret };
    shops.push(known);
    lane.shops.set(`order_created_${shop.siteId.slice(-6)}`, { shop: known, tells });
    return known;
  };
  const trip: Trip = {
    lane,
    adopt,
    open: async (options = {}) => {
      const shop = await adopt((account) => openShop(sql, { ...options, ...account }));
      await addOutboundSecret(sql, shop);
      return Object.assign(shop, { webhookId: await addWebhook(sql, shop, { url: lane.receiver.url, types: webhookTypes }) });
    },
    order: (person = 0) => {
      const phone_e164 = `+1555${first + person}`;
      phones.add(phone_e164);
      return { customer: { first_name: "Ada", phone_e164 }, order: { id: `${(orders += 1)}` } };
    },
    ask: async (post) => {
      const answer = await post().catch(() => null);
      if (answer !== null) statuses.add(`${answer.status}${answer.headers.has("retry-after") ? ", later" : ""}`);
      return answer;
    },
    insist: (what, post) => {
      const isAnswered = (status = 0): boolean => status === 200 || (removed !== null && status >= 400 && status < 500);
      return waitFor(`${what} to be taken`, async () => isAnswered((await trip.ask(post))?.status), 60_000).then(() => undefined);
    },
    post: (shop, payload = trip.order(), options = {}) => trip.ask(() => postEvent(lane.gateway, shop, payload, options)),
    queue: (shop, payload) => trip.post(shop, payload, prefer),
    postKeyed: (shop, payload = trip.order()) => {
      const keyed = { headers: { "X-Service-Idempotency-Key": payload.order.id } };
      return trip.insist("the event", () => postEvent(lane.gateway, shop, payload, keyed));
    },
    remove: async (what, meanwhile) => {
      removed = what;
      await sql.begin(async (transaction) => {
        for (const shop of shops) if (what !== "endpoint" || shop.webhookId !== "") await removals[what](transaction, shop);
        await meanwhile();
      });
    },
    mayFail: (...codes) => codes.forEach((code) => excuses.add(code)),
    wrongs: async (mayRefuse) => {
      const stranded = await rest(sql, accountId());
      if (stranded.length > 0) return stranded;
      // What was to be refused and never came is forgotten.
      lane.refusals.clear();
      const isGone = removed !== null && removed !== "endpoint";
      return [
        ...[...statuses].flatMap((one) => (Number.parseInt(one, 10) < 500 || one === "503, later" || mayRefuse ? [] : [`answered ${one}`])),
        ...(await untruths(lane, accountId(), tells, (code) => isGone || excuses.has(code))),
        ...(await blocked(trip, await adopt((account) => openShop(sql, account)), phones)),
      ];
    },
  };
  return trip;
}

/** The time in which everything goes on by itself, however busy the machine is: what is stranded is so for longer. */
const restMs = recoveryMs;

/** Waits until nothing of the account is owned or under way; answers what is. */
async function rest(sql: Pool, accountId: string): Promise<string[]> {
  const found = await unfinished(sql, accountId);
  if (found.length === 0) return found;
  let last = found;
  const isOver = async (): Promise<boolean> => (last = await unfinished(sql, accountId)).length === 0;
  await waitFor("rest", isOver, restMs).catch(() => undefined);
  return last.map((what) => `left over: ${what}`);
}

async function unfinished(sql: Pool, accountId: string): Promise<string[]> {
  const sites = sql`select id from site where account_id = ${accountId}`;
  const rows = await sql<{ what: string }[]>`
    select 'message waits, owned by ' || coalesce(owner::text, 'nobody') as what from waiting_message where account_id = ${accountId}
    union all select 'turn of ' || phone_hash || ', owned by ' || coalesce(owner::text, 'nobody') from recipient_turn where account_id = ${accountId}
    union all select 'delivery, owned by ' || coalesce(owner::text, 'nobody') from webhook_delivery where site_id in (${sites}) and status = 'pending'
    union all select 'event without an answer' from event where site_id in (${sites}) and chat is null
    union all select 'event that is due' from event_due where site_id in (${sites})
    union all select 'request for an event' from requested_event where account_id = ${accountId} and (done_at is null or owner is not null)
    union all select 'search for orders' from reconcile where site_id in (${sites}) and (owner is not null or due_at <= now())`;
  return rows.map(({ what }) => what);
}

/** Where the log and the platform differ, and what was sent twice. */
async function untruths({ sql, taken }: Lane, accountId: string, tells: boolean, isExcused: (code: string) => boolean): Promise<string[]> {
  const ids = new Map<string, string[]>();
  for (const { id, send } of taken) {
    const message = parseReference(send.body.biz_opaque_callback_data)?.notificationId ?? "";
    ids.set(message, [...(ids.get(message) ?? []), id]);
  }
  const read = () => sql<{ id: string; status: string; code: string; wa: string | null }[]>`
    select id, status, coalesce(error_code, '') as code, wa_message_id as wa from notification where account_id = ${accountId} order by id`;
  // The platform goes on reporting for a moment.
  const isReported = ({ id, status }: { id: string; status: string }): boolean => !ids.has(id) || status === "delivered";
  if (tells) await waitFor("the reports", async () => (await read()).every(isReported), restMs).catch(() => undefined);
  return (await read()).flatMap(({ id, status, code, wa }) => {
    const [mine = "", ...more] = ids.get(id) ?? [];
    const isSent = ["sent", "delivered", "read"].includes(status);
    if (more.length > 0) return [`sent ${more.length + 1} times`];
    if (isSent) return wa === mine && mine !== "" ? [] : [`${status} as ${wa}, but taken as ${mine}`];
    if (isExcused(code)) return [];
    if (mine !== "") return status === "failed" && !tells && isDoubt(code) ? [] : [`taken, but ${status} ${code}`];
    return [`never sent: ${status} ${code}`];
  });
}

/** A message of which nobody knows whether it arrived. */
const isDoubt = (code: string): boolean => code === "interrupted" || code === "in_doubt" || code === "unexpected_answer";

/** The people who do not get the next message. */
async function blocked(trip: Trip, shop: Shop, phones: ReadonlySet<string>): Promise<string[]> {
  const next = [...phones].slice(0, 3).map((phone_e164) => ({ customer: { phone_e164 }, order: { id: `${(orders += 1)}` } }));
  for (const payload of next) {
    const post = () => trip.post(shop, payload, { headers: { Prefer: "respond-async", "X-Service-Idempotency-Key": payload.order.id } });
    await waitFor("the next event to be answered", async () => ((await post())?.status ?? 500) < 300, restMs).catch(() => undefined);
  }
  const isThere = ({ customer, order }: (typeof next)[number]): boolean =>
    trip.lane.taken.some(
      ({ send: { body } }) => body.to === customer.phone_e164 && JSON.stringify(body.template).includes(`"${order.id}"`),
    );
  await waitFor("the next messages", () => next.every(isThere), restMs).catch(() => undefined);
  return next.filter((one) => !isThere(one)).map(({ customer }) => `the next message to ${customer.phone_e164} does not leave`);
}
