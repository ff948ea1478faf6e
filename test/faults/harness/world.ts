import type { TimeLimits } from "gateway/time-limits";
import type { Pool } from "shared/db/statement";
import { data } from "../../support/data.ts";
import { type Owner, testDatabase, type TestDatabase } from "../../support/database.ts";
import { openShop, type Shop, type GatewayProcess, spawnGateway, type SpawnOptions, masterKey } from "../../support/gateway.ts";
import { type RunningProcess, startProcess } from "../../support/process.ts";
import { addOutboundSecret, addWebhook, type Receiver, startReceiver } from "../../support/receiver.ts";
import { waitFor } from "../../support/wait-for.ts";
import { recordHistory, type LoadedShop } from "./ledger.ts";
import { startTellingPlatform, type TellingPlatform } from "./platform.ts";
import type { Random } from "./scale.ts";

/** The surroundings of a scenario: a database that remembers, shops, and a platform that reports. */
export interface World extends AsyncDisposable {
  databaseUrl: string;
  sql: Pool;
  owner: Owner;
  shops: LoadedShop[];
  /** The shop whose events are each for one customer. */
  single: Shop;
  platform: TellingPlatform;
  /** The shops' endpoint: every twentieth delivery fails at first, or breaks off once it was heard. */
  receiver: Receiver;
  /** The gateways' addresses, for clients and callbacks; the scenario fills the list. */
  gateways: string[];
}

/** Enough phones for more than one wave. */
const listed = Array.from({ length: 25 }, (_, i) => `+1555200${String(i).padStart(4, "0")}`);

/**
 * Opens a world in which one event in ten is for a list of 25 phones in two waves, two wait for a second, and the others are for one customer each; all
 * are of one account.
 */
export async function openWorld(random: Random, database?: TestDatabase, { encrypted }: { encrypted?: boolean } = {}): Promise<World> {
  const used = database ?? (await testDatabase());
  const { sql, owner } = used;
  await recordHistory(owner);
  const many = await openShop(sql, { recipient: { strategy: "site_recipients" }, phones: listed, encrypted });
  const single = { ...(await openShop(sql, { accountId: many.accountId })), appSecret: many.appSecret };
  const delayed = { ...(await openShop(sql, { accountId: many.accountId, schedule: { delaySeconds: 1 } })), appSecret: many.appSecret };
  const singles = Array.from({ length: 9 }, (_, i) => ({ shop: i > 6 ? delayed : single, phones: null }));
  const shops: LoadedShop[] = [{ shop: many, phones: listed }, ...singles];
  // The account has had callbacks before, without which silence would mean nothing.
  await sql`insert into platform_callback values (${many.accountId}, now())`;
  const receiver = await startReceiver();
  const heard = new Set<string>();
  receiver.script(({ headers }, response) => {
    const id = String(headers["webhook-id"]);
    const isFirst = !heard.has(id);
    heard.add(id);
    if (isFirst && random.often(0.025)) response.destroy();
    else response.writeHead(isFirst && random.often(0.025) ? 503 : 204).end();
  });
  await addEndpoints(sql, [many, single, delayed], receiver.url);
  const gateways: string[] = [];
  const platform = await startTellingPlatform({ random, shop: many, gateways: () => gateways });
  return {
    databaseUrl: used.url,
    sql,
    owner,
    shops,
    single,
    platform,
    receiver,
    gateways,
    [Symbol.asyncDispose]: async () => {
      await platform[Symbol.asyncDispose]();
      await receiver[Symbol.asyncDispose]();
      await used[Symbol.asyncDispose]();
    },
  };
}

/** Gives shops the endpoint, so that it is told of their messages. */
export async function addEndpoints(sql: Pool, shops: readonly Shop[], url: string): Promise<void> {
  for (const shop of shops) {
    await addOutboundSecret(sql, shop);
    await addWebhook(sql, shop, { url });
  }
}

/** Gateways that are killed and started again, as by a supervisor. */
export interface Fleet extends AsyncDisposable {
  /** The number of gateways that ended and were replaced. */
  readonly deaths: number;
  /** Kills the gateway in this place; false if none runs there at the moment. */
  kill(place: number): boolean;
}

/** Starts gateways and keeps `urls` up to date: a place holds the address of the gateway that runs there, or of the last one. */
export async function startFleet(size: number, urls: string[], optionsOf: () => SpawnOptions): Promise<Fleet> {
  const running: GatewayProcess[] = [];
  const alive: boolean[] = [];
  let deaths = 0;
  let closing = false;

  const keepUp = async (place: number): Promise<void> => {
    while (!closing) {
      await running[place]?.ended;
      alive[place] = false;
      if (closing) return;
      deaths += 1;
      // A doomed gateway may die before it is up.
      const next = await spawnGateway(optionsOf());
      running[place] = next;
      urls[place] = next.url;
      alive[place] = true;
    }
  };
  for (let place = 0; place < size; place += 1) {
    const gateway = await spawnGateway(optionsOf());
    running.push(gateway);
    urls[place] = gateway.url;
    alive[place] = true;
  }
  const kept = running.map((_, place) => keepUp(place));
  return {
    get deaths() {
      return deaths;
    },
    kill: (place) => {
      if (alive[place] !== true) return false;
      alive[place] = false;
      running[place]?.kill("SIGKILL");
      return true;
    },
    [Symbol.asyncDispose]: async () => {
      closing = true;
      await Promise.all(running.map((gateway) => gateway[Symbol.asyncDispose]()));
      await Promise.all(kept);
      await Promise.all(running.map((gateway) => gateway[Symbol.asyncDispose]()));
    },
  };
}

export interface MainOptions {
  databaseUrl: string;
  platform: { url: string };
  /** Options of Node itself. */
  nodeOptions?: readonly string[] | undefined;
  /** A file that runs before the gateway. */
  preload?: string | undefined;
}

/** Starts the gateway in the way of `npm run gateway`. */
export const startMain = ({ databaseUrl, platform, nodeOptions = [], preload }: MainOptions): RunningProcess => {
  const before = preload === undefined ? [] : ["--import", "tsx", "--import", preload];
  return startProcess([process.execPath, ...nodeOptions, ...before, "gateway/dist/main.js"], {
    env: {
      DATABASE_URL: databaseUrl,
      MASTER_KEY: masterKey.toString("base64"),
      GATEWAY_PORT: "0",
      PLATFORM_API_URL: platform.url,
      LOG_LEVEL: "info",
      WEBHOOK_ALLOW_PRIVATE: "127.0.0.0/8",
    },
  });
};

/** The gateway's URL, once it listens. */
export const urlOf = async (gateway: RunningProcess): Promise<string> =>
  waitFor("the gateway to listen", () => {
    const line = gateway
      .stdout()
      .split("\n")
      .find((text) => text.includes('"listening"'));
    if (line === undefined && !gateway.isRunning()) throw new Error(`the gateway ended: ${gateway.stderr()}`);
    return line === undefined ? undefined : (JSON.parse(line) as { url: string }).url;
  });

/** The platform's limits at about a quarter; the database's stay real, since a healthy database on a busy machine is no fault. */
export const impatientWithPlatform: Partial<TimeLimits> = { attemptMs: 3000, handOverMs: 3500, sweepMs: 100, firstRetryMs: 200 };

/** A lease of two thirds of its length, with the limits within it: a dead gateway is soon replaced, and one on a busy machine still hands over in time. */
export const shortLease: Partial<TimeLimits> = {
  attemptMs: 9000,
  handOverMs: 11_000,
  answerMs: 12_000,
  leaseMs: 13_000,
  sweepMs: 100,
  firstRetryMs: 200,
};

/** All limits at about a quarter, in the same order among themselves. */
export const shortLimits = data<Partial<TimeLimits>>("test-faults-harness-world", "short limits");
