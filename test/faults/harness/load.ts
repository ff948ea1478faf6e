import { setTimeout as sleep } from "node:timers/promises";
import type { GatewayContext } from "gateway/context";
import type { Pool } from "shared/db/statement";
import { signBody } from "shared/secrets/signature";
import type { Owner } from "../../support/database.ts";
import type { Shop } from "../../support/gateway.ts";
import { type Posted, postEvent, type Sender, type RawAnswer, type RawSocket, rawSocket } from "../../support/requests.ts";
import { emptyLedger, type Ledger, type LedgerEntry, type LoadedShop } from "./ledger.ts";
import type { Random } from "./scale.ts";

export interface LoadOptions {
  random: Random;
  shops: readonly LoadedShop[];
  /** The addresses to post to; one is picked for each try, as a load balancer would. */
  gateways: () => readonly string[];
  events: number;
  clients: number;
  /** Bytes of ballast in each event. */
  ballast?: number | undefined;
  /** False: requests have no timestamp header, for clocks that do not agree. */
  timestamps?: boolean | undefined;
  name?: string | undefined;
  /** The share of events whose clients do not wait; a quarter by default. */
  queued?: number | undefined;
}

export interface RunningLoad {
  ledger: Ledger;
  /** Resolves when every client has the answer to every event. */
  done: Promise<void>;
}

/**
 * Clients that follow the specification: after a 5xx or a network error the same event again, with the same key, until it is answered. A fifth of the
 * events is posted once more afterwards, and a tenth twice at once. Some clients do not wait: their events go to the queue.
 */
export function startLoad(options: LoadOptions): RunningLoad {
  const ledger = emptyLedger();
  let next = 0;
  const client = async (): Promise<void> => {
    while (next < options.events) {
      const entry = makeEntry((next += 1), options);
      ledger.entries.push(entry);
      await Promise.all(Array.from({ length: options.random.often(0.1) ? 2 : 1 }, async () => postUntilAnswered(entry, options, ledger)));
      ledger.answered += 1;
      if (options.random.often(0.2)) await postUntilAnswered(entry, options, ledger);
    }
  };
  return { ledger, done: Promise.all(Array.from({ length: options.clients }, client)).then(() => undefined) };
}

function makeEntry(n: number, { random, shops, name = "event", queued = 0.25 }: LoadOptions): LedgerEntry {
  const { shop, phones } = random.pick(shops);
  const recipients = phones ?? [`+1555${String(1_000_000 + n)}`];
  return { key: `${name}-${n}`, shop, recipients, queued: random.often(queued), answers: [] };
}

async function postUntilAnswered(entry: LedgerEntry, options: LoadOptions, ledger: Ledger): Promise<void> {
  const { random, gateways, ballast = 0, timestamps = true } = options;
  const payload = { customer: { first_name: "Ada", phone_e164: entry.recipients[0] }, order: { id: entry.key }, data: "x".repeat(ballast) };
  const headers = {
    "X-Service-Idempotency-Key": entry.key,
    ...(entry.queued === true && { Prefer: "respond-async" }),
    ...(!timestamps && { "X-Service-Timestamp": null }),
  };
  for (let pause = 20; ; pause = Math.min(2 * pause, 500)) {
    ledger.requests += 1;
    const posted = await postEvent({ url: random.pick(gateways()) }, entry.shop, payload, { headers }).catch(() => null);
    if (posted?.status === 200 || posted?.status === 202) return void entry.answers.push(posted);
    ledger.refused += 1;
    if (posted !== null && !asksToComeBack(posted)) ledger.unexpected.push(`${entry.key}: ${posted.status} ${posted.body}`);
    await sleep(pause * (0.5 + random.next()));
  }
}

const asksToComeBack = ({ status, headers }: Posted): boolean => status === 503 && /^\d+$/.test(headers.get("retry-after") ?? "");

/** Clients that each wait for their answer before they post again; answers how many got a 200. */
export async function closedLoad<Site extends Sender>(
  url: string,
  site: Site,
  { events, clients, name }: { events: number; clients: number; name: string },
): Promise<{ asked: Asked<Site>[]; perSecond: number }> {
  using asker = createAsker(url, name);
  const asked: Asked<Site>[] = [];
  let posted = 0;
  const client = async (): Promise<void> => {
    while ((posted += 1) <= events) asked.push(await asker.ask(site));
  };
  const since = performance.now();
  await Promise.all(Array.from({ length: clients }, client));
  return { asked, perSecond: (1000 * asked.filter(({ status }) => status === 200).length) / (performance.now() - since) };
}

/** Makes the database take this many milliseconds for each event that it stores, so that its capacity is small, and the same on any machine. */
export async function makeEventsCostly(owner: Owner, ms: number): Promise<void> {
  await owner.unsafe(`
    create function take_time() returns trigger language plpgsql as $$
    begin
      perform pg_sleep(${ms / 1000});
      return new;
    end $$;
    create trigger take_time before insert on event for each row execute function take_time()`);
}

/** Holds every event before a step until the gate is opened, so that a test decides which events arrive there together. */
export interface Gate {
  /** The number of waiting events. */
  readonly waiting: number;
  readonly onStep: NonNullable<GatewayContext["onStep"]>;
  /** Lets the events go in the order in which they came, all in one turn of the event loop; later events pass at once. */
  open(): void;
}

export function createGate(at: Parameters<Gate["onStep"]>[0]): Gate {
  const held: (() => void)[] = [];
  let isOpen = false;
  return {
    get waiting() {
      return held.length;
    },
    onStep: async (step) => {
      if (step === at && !isOpen) await new Promise<void>((resolve) => held.push(resolve));
    },
    open: () => {
      isOpen = true;
      for (const release of held) release();
    },
  };
}

export interface OpenLoadOptions<Site extends Sender> {
  random: Random;
  /** Each site's part of the load. */
  streams: readonly { site: Site; perSecond: number }[];
  /** The name in every key. */
  name: string;
  /** Connections that are opened before the first event, like those of a load balancer; more follow if these do not suffice. */
  connections: number;
}

export interface OpenLoad<Site extends Sender> {
  /** The events in the order of their answers. */
  asked: Asked<Site>[];
  /** Events posted so far. */
  readonly posted: number;
  /** Ends the load; resolves when each event has its answer. */
  end(): Promise<void>;
}

/**
 * Events at random moments, whether or not earlier ones have been answered, as in the real world and unlike clients that wait for their answers. A refused
 * event does not come again.
 */
export async function startOpenLoad<Site extends Sender>(
  url: string,
  { random, streams, name, connections }: OpenLoadOptions<Site>,
): Promise<OpenLoad<Site>> {
  const asker = createAsker(url, name);
  await asker.connect(connections);
  const asked: Asked<Site>[] = [];
  const open = new Set<Promise<void>>();
  let posted = 0;
  let ending = false;

  const post = (site: Site): void => {
    posted += 1;
    const one = asker.ask(site).then((answer) => void asked.push(answer));
    open.add(one);
    void one.finally(() => open.delete(one));
  };
  const run = async ({ site, perSecond }: (typeof streams)[number]): Promise<void> => {
    for (let due = performance.now() + gap(random, perSecond); ; due += gap(random, perSecond)) {
      const wait = due - performance.now();
      if (wait > 0) await sleep(wait);
      if (ending) return;
      post(site);
    }
  };
  const running = streams.map(run);
  return {
    asked,
    get posted() {
      return posted;
    },
    end: async () => {
      ending = true;
      await Promise.all(running);
      await Promise.all(open);
      asker[Symbol.dispose]();
    },
  };
}

/** Milliseconds to the next event, as if many independent people bought. */
const gap = (random: Random, perSecond: number): number => (-Math.log(1 - random.next()) * 1000) / perSecond;

export const isAnswered = ({ status }: Asked<Shop>): boolean => status === 200;

/** The clients' record, for the invariants: a refused event is left out. */
export function toLedger(asked: readonly Asked<Shop>[]): Ledger {
  const entries = asked.filter(isAnswered).map(({ key, site, phone, body }) => ({
    key,
    shop: site,
    recipients: [phone],
    answers: [{ status: 200, body, json: JSON.parse(body) as Record<string, unknown>, headers: new Headers() }],
  }));
  return { ...emptyLedger(), entries, requests: asked.length, answered: entries.length, refused: asked.length - entries.length };
}

/** Events that are neither answered nor refused properly: with a request to come back, and without any rows. */
export async function refusalProblems(sql: Pool, asked: readonly Asked<Shop>[]): Promise<string[]> {
  const refused = asked.filter((one) => !isAnswered(one));
  const stored = new Set((await sql<{ key: string }[]>`select idempotency_key as key from event`).map(({ key }) => key));
  return [
    ...refused.filter((one) => !refusedForLater(one)).map(({ key, status, body }) => `${key} was answered ${status} ${body}`),
    ...refused.filter(({ key }) => stored.has(key)).map(({ key, body }) => `${key} was refused (${body}), and is stored`),
  ];
}

const refusedForLater = ({ status, retryAfter }: Asked<Shop>): boolean => status === 503 && /^[1-9]\d*$/.test(retryAfter ?? "");

/** One event, and the answer to its client. */
export interface Asked<Site extends Sender> {
  site: Site;
  key: string;
  phone: string;
  /** The status; null: the connection broke. */
  status: number | null;
  retryAfter: string | null;
  body: string;
  /** Milliseconds from the request to the end of its answer. */
  ms: number;
}

/** Posts an event once, whatever the answer. Events are numbered, each with a key, an order and a customer of its own. */
export interface Asker extends Disposable {
  ask<Site extends Sender>(site: Site): Promise<Asked<Site>>;
  /** Opens this many connections before they are needed. */
  connect(wanted: number): Promise<void>;
}

/** Posts over kept connections, as many as are needed, at the least cost, since the gateway runs on the same machine. `headers` are lines of every request. */
export function createAsker(url: string, name: string, headers: readonly string[] = []): Asker {
  const port = Number(new URL(url).port);
  const all: RawSocket[] = [];
  const free: RawSocket[] = [];
  let count = 0;

  const open = async (): Promise<RawSocket> => {
    const socket = await rawSocket(port);
    all.push(socket);
    return socket;
  };
  const exchange = async (bytes: Buffer): Promise<RawAnswer> => {
    const socket = free.pop() ?? (await open());
    socket.send(bytes);
    const answer = await socket.answer();
    free.push(socket);
    return answer;
  };
  /** Opens a connection and uses it once: one that stays silent is soon closed. */
  const openUsed = async (): Promise<void> => {
    const socket = await open();
    socket.send("GET /api/public/health HTTP/1.1\r\nHost: gateway\r\n\r\n");
    await socket.answer();
    free.push(socket);
  };
  return {
    ask: async (site) => {
      count += 1;
      const [key, phone, since] = [`${name}-${count}`, `+1777${String(1_000_000 + count)}`, performance.now()];
      const answer = await exchange(requestBytes(site, key, phone, headers)).catch(() => null);
      const { status = null, body = "" } = answer ?? {};
      return { site, key, phone, status, retryAfter: answer?.headers["retry-after"] ?? null, body, ms: performance.now() - since };
    },
    connect: async (wanted) => void (await Promise.all(Array.from({ length: wanted }, openUsed))),
    [Symbol.dispose]: () => all.forEach(({ socket }) => socket.destroy()),
  };
}

/** The bytes of a whole request. */
export function requestBytes(site: Sender, key: string, phone: string, headers: readonly string[] = []): Buffer {
  const body = Buffer.from(JSON.stringify({ customer: { first_name: "Ada", phone_e164: phone }, order: { id: key } }));
  const head = [
    "POST /api/public/ingest/generic/order.created HTTP/1.1",
    "Host: gateway",
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
    `X-Service-Site-Key: ${site.key}`,
    `X-Service-Signature: ${signBody(site.secret, body)}`,
    `X-Service-Timestamp: ${Math.floor(Date.now() / 1000)}`,
    `X-Service-Idempotency-Key: ${key}`,
    ...headers,
  ];
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), body]);
}
