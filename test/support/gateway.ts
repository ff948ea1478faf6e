import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { BlockList } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { GatewayConfig } from "gateway/config";
import type { GatewayContext } from "gateway/context";
import { createApp } from "gateway/http/app";
import { serve } from "gateway/http/connection";
import type { Answer } from "gateway/ingest/answer";
import type { RawRequest } from "gateway/ingest/authenticate";
import { type Gateway, type GatewayOverrides, startGateway } from "gateway/start";
import { defaultTimeLimits, type TimeLimits } from "gateway/time-limits";
import { pino } from "pino";
import type { NotificationStatus } from "shared/core/message";
import type { Schedule } from "shared/core/schedule/schedule";
import type { TemplateDefinition } from "shared/core/template/definition";
import { newId } from "shared/db/ids";
import type { Readiness } from "shared/db/readiness";
import type { Pool } from "shared/db/statement";
import { encodeReference } from "shared/platform/client";
import { newDataKey } from "shared/sealing/account-rows";
import { makeSiteKey } from "shared/secrets/site-key";
import { type Vault, createVault, placeIn, secretPlace } from "shared/secrets/vault";
import { root } from "./process.ts";

/** The network of the tests' own endpoints and shops. */
export const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");

/** A gateway in this process, on a free port, silent. */
export async function openGateway(
  databaseUrl: string,
  platformApiUrl: string,
  changes: Partial<GatewayConfig> = {},
  timeLimits: Partial<TimeLimits> = {},
  onStep?: GatewayContext["onStep"],
  overrides: Pick<GatewayOverrides, "clock"> = {},
): Promise<Gateway> {
  const config: GatewayConfig = {
    host: "127.0.0.1",
    port: 0,
    databaseUrl,
    masterKey,
    platformApiUrl,
    ownHosts: null,
    publicGatewayUrl: "http://gateway.test",
    publicAdminUrl: null,
    maxBodyBytes: 1_048_576,
    inDoubtSeconds: 120,
    logLevel: "info",
    allowPrivate: loopback,
    trustProxy: false,
    timeLimits: { ...defaultTimeLimits, ...timeLimits },
    ...changes,
  };
  return await startGateway(config, { log: pino({ level: process.env["TEST_LOG"] ?? "silent" }), onStep, ...overrides });
}

export interface Edge extends AsyncDisposable {
  url: string;
  port: number;
  /** The bodies that the spine has read. */
  bodies: Buffer[];
  /** The logged lines. */
  lines: Record<string, unknown>[];
  readiness: { stopping: boolean };
}

export interface EdgeOptions {
  ownHosts?: string[] | undefined;
  publicAdminUrl?: string | undefined;
  /** The handler in place of the spine; reads the body and answers 200 by default. */
  handle?: ((request: RawRequest) => Promise<Answer>) | undefined;
  timeLimits?: Partial<TimeLimits> | undefined;
  maxBodyBytes?: number | undefined;
  database?: Readiness["database"] | undefined;
  trustProxy?: boolean | undefined;
}

export const okAnswer: Answer = { status: 200, body: '{"ok":true}', eventId: "018f0000-0000-7000-8000-000000000000" };

/** The gateway's HTTP edge alone: no spine, no database. */
export const openEdge = async (options: EdgeOptions = {}): Promise<Edge> => {
  const lines: Record<string, unknown>[] = [];
  const bodies: Buffer[] = [];
  const log = pino(
    { level: "debug", base: null },
    { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
  );
  const config = {
    host: "127.0.0.1",
    port: 0,
    databaseUrl: "",
    masterKey: Buffer.alloc(32),
    platformApiUrl: "",
    ownHosts: options.ownHosts ?? null,
    publicGatewayUrl: "http://gateway.test",
    publicAdminUrl: options.publicAdminUrl ?? null,
    inDoubtSeconds: 120,
    logLevel: "debug" as const,
    maxBodyBytes: options.maxBodyBytes ?? 1_000,
    trustProxy: options.trustProxy ?? false,
    timeLimits: { ...defaultTimeLimits, ...options.timeLimits },
  };
  const clock = { now: () => new Date(), monotonic: () => performance.now() };
  // The routes under test use nothing else of the context.
  const context = { config, log, clock } as unknown as GatewayContext;
  const readiness = { stopping: false, database: options.database ?? (async () => "ok" as const), failed: () => undefined };
  const readAndAnswer = async (request: Pick<RawRequest, "readBody">): Promise<Answer> => {
    bodies.push(await request.readBody());
    return okAnswer;
  };
  const http = await serve(
    createApp(context, { handle: options.handle ?? readAndAnswer, handleShop: readAndAnswer }, readiness),
    config,
    log,
  );
  return { url: http.url, port: http.port, bodies, lines, readiness, [Symbol.asyncDispose]: async () => http[Symbol.asyncDispose]() };
};

export interface GatewayProcess extends AsyncDisposable {
  url: string;
  pid: number;
  /** Resolves when the process has ended. */
  ended: Promise<unknown>;
  kill(signal: NodeJS.Signals): void;
}

export interface SpawnOptions {
  databaseUrl: string;
  platformApiUrl: string;
  inDoubtSeconds?: number | undefined;
  timeLimits?: Partial<TimeLimits> | undefined;
  crash?: CrashPlan["crash"] | undefined;
}

/** The first argument of `crashing-gateway.mjs`. */
export interface CrashPlan {
  config: Omit<GatewayConfig, "masterKey"> & { masterKey: string };
  /** The process kills itself when it comes to this step for the nth time; null: never. */
  crash: { step: "claim" | "dispatch" | "settle"; nth: number } | null;
}

/** The program in one file, if the set-up made one. */
const program = process.env["TEST_GATEWAY"] ?? join(root, "test/support/crashing-gateway.mjs");

/** A gateway in a process of its own, which can be killed. */
export async function spawnGateway(options: SpawnOptions): Promise<GatewayProcess> {
  const plan: CrashPlan = {
    config: {
      host: "127.0.0.1",
      port: 0,
      databaseUrl: options.databaseUrl,
      masterKey: masterKey.toString("base64"),
      platformApiUrl: options.platformApiUrl,
      ownHosts: null,
      publicGatewayUrl: "http://gateway.test",
      publicAdminUrl: null,
      maxBodyBytes: 1_048_576,
      inDoubtSeconds: options.inDoubtSeconds ?? 120,
      logLevel: "info",
      trustProxy: false,
      timeLimits: { ...defaultTimeLimits, ...options.timeLimits },
    },
    crash: options.crash ?? null,
  };
  const child = spawn(process.execPath, [program, JSON.stringify(plan)], { stdio: ["ignore", "pipe", "inherit", "ipc"], cwd: root });
  const ended = once(child, "exit");
  const [url] = (await Promise.race([
    once(createInterface(child.stdout as NodeJS.ReadableStream), "line"),
    ended.then(() => Promise.reject(new Error("the gateway ended before it was up"))),
  ])) as [string];
  return {
    url,
    pid: child.pid ?? 0,
    ended,
    kill: (signal) => void child.kill(signal),
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
      await ended;
    },
  };
}

export const masterKey = randomBytes(32);
export const vault: Vault = createVault(masterKey);

/** A site with everything that it needs to send, written straight into the tables. */
export interface Shop {
  accountId: string;
  siteId: string;
  key: string;
  secret: string;
  secretId: string;
  templateId: string;
  bindingId: string;
  appSecret: string;
}

export interface ShopOptions {
  event?: string | undefined;
  /** The platform's credentials; null: no platform is connected. */
  platform?: null | undefined;
  recipient?: object | undefined;
  /** Active phones of the site's recipient list. */
  phones?: string[] | undefined;
  accountId?: string | undefined;
  /** True if the account encrypts its data. */
  encrypted?: boolean | undefined;
  /** The pace; not paced by default. */
  messagesPerSecond?: number | undefined;
  /** When the binding's messages leave. */
  schedule?: Schedule | undefined;
}

const shopTemplate: TemplateDefinition = {
  parameterFormat: "POSITIONAL",
  header: null,
  body: "Hello {{1}}, your order {{2}} is in.",
  footer: null,
  buttons: [],
  examples: { header: [], body: ["Ada", "10042"], buttonUrl: [] },
};

const variableMap = {
  body: { 1: { source: "field", path: "customer.first_name", fallback: "there" }, 2: { source: "field", path: "order.id", fallback: "?" } },
};

export async function openShop(sql: Pool, options: ShopOptions = {}): Promise<Shop> {
  const { event = "order.created", recipient = { strategy: "customer" }, phones = [] } = options;
  const shop = { accountId: options.accountId ?? newId(), siteId: newId(), secretId: newId(), templateId: newId(), bindingId: newId() };
  const key = makeSiteKey(shop.siteId);
  const secret = `whs_${randomBytes(16).toString("hex")}`;
  const appSecret = randomBytes(16).toString("hex");
  if (options.accountId === undefined) {
    const dataKey = options.encrypted === true ? newDataKey((text, at) => vault.seal(text, at), shop.accountId) : null;
    await sql`
      insert into account (id, name, verify_token, encrypt_payloads, data_key, messages_per_second)
      values (${shop.accountId}, 'Shop', ${vault.seal("verify", placeIn("account.verify_token", shop.accountId))}, ${dataKey !== null}, ${dataKey}, ${options.messagesPerSecond ?? null})`;
    if (options.platform !== null) await connectPlatform(sql, shop.accountId, appSecret);
  }
  await sql`
    insert into site (id, account_id, name, url, source_type, test_phone)
    values (${shop.siteId}, ${shop.accountId}, 'Shop', 'https://shop.example', 'generic', '+15550009999')`;
  await sql`
    insert into site_secret (id, site_id, kind, key_hash, secret, hint)
    values (${newId()}, ${shop.siteId}, 'api_key', ${key.hash}, null, ${key.hint}),
      (${shop.secretId}, ${shop.siteId}, 'webhook_secret', null, ${vault.seal(secret, secretPlace(shop.accountId, shop.secretId))}, 'whs_…')`;
  await sql`
    insert into template (id, account_id, name, language, category, status, definition)
    values (${shop.templateId}, ${shop.accountId}, ${`order_created_${shop.siteId.slice(-6)}`}, 'en_US', 'UTILITY', 'approved', ${sql.json(shopTemplate as never)})`;
  for (const phone of phones) await sql`insert into site_recipient (id, site_id, phone) values (${newId()}, ${shop.siteId}, ${phone})`;
  await sql`
    insert into binding (id, site_id, event, template_id, recipient, variable_map, schedule)
    values (${shop.bindingId}, ${shop.siteId}, ${event}, ${shop.templateId}, ${sql.json(recipient as never)}, ${sql.json(variableMap)},
      ${options.schedule === undefined ? null : sql.json(options.schedule as never)})`;
  return { ...shop, key: key.key, secret, appSecret };
}

async function connectPlatform(sql: Pool, accountId: string, appSecret: string): Promise<void> {
  const seal = (text: string, name: "access_token" | "app_secret"): string =>
    vault.seal(text, placeIn(`platform_account.${name}`, accountId));
  await sql`
    insert into platform_account (account_id, sandbox, waba_id, phone_number_id, api_version, access_token, access_token_hint, app_secret)
    values (${accountId}, false, '1001', '2001', 'v25.0', ${seal("TOKEN", "access_token")}, '…OKEN', ${seal(appSecret, "app_secret")})`;
}

export interface InsertedNotification {
  id: string;
  siteId: string;
  reference: string;
}

export interface NotificationState {
  status: NotificationStatus;
  localFailure?: boolean | undefined;
  attempt?: number | undefined;
  waMessageId?: string | null | undefined;
  inDoubt?: boolean | undefined;
  errorCode?: string | null | undefined;
  sentAt?: Date | null | undefined;
  failedAt?: Date | null | undefined;
}

/** Adds one row of the log for each state, in one statement. */
export const insertNotifications = async (
  sql: Pool,
  shop: { accountId: string; siteId: string; templateId: string; bindingId: string },
  states: readonly NotificationState[],
): Promise<InsertedNotification[]> => {
  const eventId = newId();
  const rows = states.map((state, position) => ({
    id: newId(),
    site_id: shop.siteId,
    account_id: shop.accountId,
    event_id: eventId,
    binding_id: shop.bindingId,
    template_id: shop.templateId,
    template: "order_created",
    language: "en_US",
    to_phone: "+15551230001",
    position,
    status: state.status,
    local_failure: state.localFailure ?? false,
    attempt: state.attempt ?? 1,
    components: "[]",
    wa_message_id: state.waMessageId ?? null,
    error_code: state.errorCode ?? null,
    in_doubt_since: state.inDoubt === true ? new Date() : null,
    sent_at: state.sentAt ?? null,
    failed_at: state.failedAt ?? null,
  }));
  for (let start = 0; start < rows.length; start += 500) await sql`insert into notification ${sql(rows.slice(start, start + 500))}`;
  return rows.map(({ id, attempt }) => ({
    id,
    siteId: shop.siteId,
    reference: encodeReference({ siteId: shop.siteId, notificationId: id, attempt }),
  }));
};
