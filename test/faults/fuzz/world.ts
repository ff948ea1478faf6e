import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { AdminConfig } from "admin-server/config";
import type { GatewayConfig } from "gateway/config";
import { defaultTimeLimits, type TimeLimits } from "gateway/time-limits";
import type { TemplateDefinition } from "shared/core/template/definition";
import { findEvent } from "shared/db/event/log";
import { newId } from "shared/db/ids";
import type { Pool } from "shared/db/statement";
import { parseReference } from "shared/platform/client";
import { testDatabase, type TestDatabase } from "../../support/database.ts";
import { masterKey, openShop, type Shop } from "../../support/gateway.ts";
import { type ScriptedPlatform, startScriptedPlatform } from "../../support/platform.ts";
import { anEvent, postEvent } from "../../support/requests.ts";

/** The most growth of a server's memory after the first tenth of a run: caches fill up, and the collector keeps some slack. */
const mostGrowth = 48 * 1024 * 1024;

/** The damage that the run has done to the gateway: none if it is up, has logged no complaint, has about the same memory as before, and takes an ordinary event. */
export async function stillWell({ gateway, sites, books }: FuzzWorld, growth: number): Promise<string[]> {
  const problems = standing(gateway, growth);
  if (problems.length > 0) return problems;
  const { status, body } = await postEvent(gateway, sites.other, anEvent);
  const accepted = status === 200 ? readAccepted(body) : body;
  if (typeof accepted === "string") return [`an ordinary event is answered ${status} ${body}`];
  return await books.check([{ ...accepted, texts: new Map([[JSON.stringify(anEvent), sites.other]]) }]);
}

/** The same for any server, without the event. */
export function standing(server: ServedApart, growth: number): string[] {
  if (!server.isRunning()) return [`the server has ended: ${server.complaints()}`];
  if (server.complaints() !== "") return [`the server complained: ${server.complaints().slice(0, 4_000)}`];
  return growth > mostGrowth ? [`the server holds ${growth} bytes more than at first`] : [];
}

/** The sites that sign: an ordinary one, one that wants timestamps, one that is switched off, and one of another account. */
export const signers = ["plain", "strict", "disabled", "other"] as const;
export type Signer = (typeof signers)[number];

export interface FuzzWorld extends AsyncDisposable {
  database: TestDatabase;
  platform: ScriptedPlatform;
  gateway: ServedApart;
  books: Books;
  sites: Record<Signer, Shop>;
}

export async function openFuzzWorld(limits: Partial<TimeLimits> = {}): Promise<FuzzWorld> {
  const database = await testDatabase();
  const platform = await startScriptedPlatform();
  const plain = await openShop(database.sql);
  const [strict, disabled, other] = await Promise.all([
    openShop(database.sql, { accountId: plain.accountId }),
    openShop(database.sql, { accountId: plain.accountId }),
    openShop(database.sql),
  ]);
  await bindEverything(database, plain);
  await database.sql`update site set require_timestamp = true where id = ${strict.siteId}`;
  await database.sql`update site set enabled = false where id = ${disabled.siteId}`;
  const gateway = await serveApart({
    server: "gateway",
    masterKey: masterKey.toString("base64"),
    config: {
      host: "127.0.0.1",
      port: 0,
      databaseUrl: database.url,
      platformApiUrl: platform.url,
      ownHosts: null,
      publicGatewayUrl: "http://gateway.test",
      publicAdminUrl: null,
      maxBodyBytes: 1_048_576,
      inDoubtSeconds: 120,
      logLevel: "error",
      trustProxy: false,
      timeLimits: { ...defaultTimeLimits, ...limits },
    },
  });
  return {
    database,
    platform,
    gateway,
    books: openBooks(database.sql, platform),
    sites: { plain, strict, disabled, other },
    [Symbol.asyncDispose]: async () => {
      await gateway[Symbol.asyncDispose]();
      await platform[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

const template: TemplateDefinition = {
  parameterFormat: "POSITIONAL",
  header: { format: "TEXT", text: "For {{1}}" },
  body: "{{1}} has {{2}}, in lines {{3}}, for {{4}} on {{5}} at {{6}}, and {{7}} of it.",
  footer: null,
  buttons: [{ type: "URL", text: "Track", url: "https://shop.example/t/{{1}}" }],
  examples: { header: ["Ada"], body: ["Ada", "a", "b", "USD 1", "today", "now", "all"], buttonUrl: ["x"] },
};

const fallback = "-";
const field = (path: string) => ({ source: "field", path, fallback });
const variableMap = {
  header: { 1: { source: "expression", expr: "customer.full_name", fallback } },
  body: {
    1: field("customer.first_name"),
    2: { source: "expression", expr: "items.summary_short", fallback },
    3: { source: "expression", expr: "items.summary_lines", fallback },
    4: { source: "expression", expr: "total.with_currency", fallback },
    5: { source: "expression", expr: "date.today", fallback },
    6: { source: "expression", expr: "date.now", fallback },
    7: field("order.items.0.name"),
  },
  button_url: { 1: field("order.id") },
};

/** Adds a binding that looks at everything that a payload may hold. */
async function bindEverything({ sql }: TestDatabase, { accountId, siteId }: Shop): Promise<void> {
  const templateId = newId();
  await sql`
    insert into template (id, account_id, name, language, category, status, definition)
    values (${templateId}, ${accountId}, 'everything', 'en_US', 'UTILITY', 'approved', ${sql.json(template as never)})`;
  await sql`
    insert into binding (id, site_id, event, template_id, recipient, variable_map)
    values (${newId()}, ${siteId}, 'order.created', ${templateId}, ${sql.json({ strategy: "field_path", path: "order.notify" })}, ${sql.json(variableMap)})`;
}

/** The signed texts, and the shops that signed them; each is there until it is found stored. */
export type Texts = Map<string, Shop>;

/** An event that a client was told is accepted. */
export interface Claim extends Accepted {
  /** The possible texts of the accepted event: those that the client had sent on that connection. */
  texts: Texts;
}

/** Compares stored and sent events with the answers to clients. */
interface Books {
  /**
   * The problems since the last call: an answered event that is not stored once, unchanged, for the site that signed it; a stored event without an answer;
   * a message that no accepted event explains. `unanswered`: the texts of clients that did not wait for their answers.
   */
  check(claims: readonly Claim[], unanswered?: readonly Texts[]): Promise<string[]>;
}

interface StoredEvent {
  id: string;
  site_id: string;
  account_id: string;
  dry_run: boolean;
  sent: number;
  failed: number;
  others: number;
}

/** The span that is checked again: the event of a client that left may be stored a little after it is gone. */
const overlapMs = 5_000;

function openBooks(sql: Pool, platform: Pick<ScriptedPlatform, "sends">): Books {
  let since = Date.now();
  /** Ids of events that are checked already. */
  const seen = new Set<string>();
  /** The texts of clients that left, whose events may still come. */
  const left: Texts = new Map();

  return {
    check: async (claims, unanswered = []) => {
      const next = Date.now() - overlapMs;
      // The sends are read first: an event is stored before any of its messages is sent.
      const sends = platform.sends.splice(0);
      for (const [text, shop] of unanswered.flatMap((texts) => [...texts])) left.set(text, shop);
      const rows = (await readEvents(sql, since)).filter(({ id }) => !seen.has(id));
      const claimed = new Map(claims.map((claim) => [claim.eventId, claim]));
      const found = await Promise.all(rows.map(async (row) => eventProblems(sql, row, claimed.get(row.id), left)));
      for (const { id } of rows) seen.add(id);
      since = next;
      const stored = new Set(rows.map(({ id }) => id));
      return [
        ...claims.filter(({ eventId }) => !stored.has(eventId)).map(({ eventId }) => `answered, but not stored: ${eventId}`),
        ...(claimed.size < claims.length ? ["two requests were answered with the same event"] : []),
        ...found.flat(),
        ...(await sendProblems(sql, sends, seen)),
      ];
    },
  };
}

async function eventProblems(sql: Pool, row: StoredEvent, claim: Claim | undefined, left: Texts): Promise<string[]> {
  const text = (await findEvent(sql, row.account_id, row.id))?.payload ?? "";
  const name = `${row.id} (${text.slice(0, 200)})`;
  const shop = claim?.texts.get(text) ?? left.get(text);
  if (!shop) return [`stored, but ${claim ? "it was not sent like that, or twice" : "nobody was answered for it"}: ${name}`];
  claim?.texts.delete(text);
  left.delete(text);
  return [
    ...(row.site_id === shop.siteId ? [] : [`stored for another site than signed it: ${name}`]),
    ...(row.others === 0 || !claim ? [] : [`${row.others} messages are unsettled: ${name}`]),
    ...(claim && claim.dryRun !== row.dry_run ? [`live and dry run are mixed up: ${name}`] : []),
    ...(claim && (claim.sent !== row.sent || claim.failed !== row.failed)
      ? [`answered ${claim.sent} sent and ${claim.failed} failed, in the log are ${row.sent} and ${row.failed}: ${name}`]
      : []),
  ];
}

/** Problems of messages: each belongs to a checked live event, and the platform took it once. */
async function sendProblems(sql: Pool, sends: ScriptedPlatform["sends"], events: ReadonlySet<string>): Promise<string[]> {
  const ids = sends.map(({ body }) => parseReference(body.biz_opaque_callback_data)?.notificationId ?? "");
  const known = ids.filter((id) => id !== "");
  const rows = await sql<{ id: string; event_id: string; dry_run: boolean }[]>`
    select n.id, n.event_id, e.dry_run from notification n join event e on e.site_id = n.site_id and e.id = n.event_id
    where n.id = any(${[...new Set(known)]}::uuid[])`;
  const byId = new Map(rows.map((row) => [row.id, row]));
  return [
    ...(new Set(ids).size < ids.length ? ["a message was sent twice"] : []),
    ...ids.flatMap((id) => {
      const row = byId.get(id);
      return row && !row.dry_run && events.has(row.event_id) ? [] : [`a message was sent that no accepted event explains: ${id}`];
    }),
  ];
}

const readEvents = async (sql: Pool, since: number): Promise<StoredEvent[]> => sql<StoredEvent[]>`
  select e.id, e.site_id, s.account_id, e.dry_run, count(n.id) filter (where n.status = 'sent')::integer as sent,
    count(n.id) filter (where n.status = 'failed')::integer as failed,
    count(n.id) filter (where n.status not in ('sent', 'failed'))::integer as others
  from event e join site s on s.id = e.site_id left join notification n on n.site_id = e.site_id and n.event_id = e.id
  where e.id >= ${firstIdOf(since)} group by e.id, e.site_id, s.account_id, e.dry_run`;

/** The smallest UUID of version 7 of that millisecond. */
const firstIdOf = (ms: number): string =>
  ms
    .toString(16)
    .padStart(12, "0")
    .replace(/^(.{8})(.{4})$/, "$1-$2-7000-8000-000000000000");

/** The facts in an answer of 200 to an event. */
interface Accepted {
  eventId: string;
  dryRun: boolean;
  sent: number;
  failed: number;
}

const chats = ["no_bindings", "skipped_conditions", "skipped_no_config", "skipped_no_phone", "sent", "partial", "failed"];
const liveMembers = "ok,event,event_id,order_id,chat,bindings_run,recipients_sent,recipients_failed";
const dryMembers = "ok,event,event_id,chat,bindings_run,dry_run,previews";
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Reads the answer; answers a text if it is not as documented. */
export function readAccepted(body: string): Accepted | string {
  const json = JSON.parse(body) as Record<string, unknown>;
  const dryRun = json["dry_run"] === true;
  const { event_id: eventId, order_id: orderId = null, chat, bindings_run: run, previews } = json;
  const [sent = 0, failed = 0] = [json["recipients_sent"], json["recipients_failed"]];
  const isRight =
    Object.keys(json).join() === (dryRun ? dryMembers : liveMembers) &&
    json["ok"] === true &&
    typeof eventId === "string" &&
    uuid.test(eventId) &&
    (orderId === null || (typeof orderId === "string" && uuid.test(orderId))) &&
    chats.includes(String(chat)) &&
    [run, sent, failed].every((count) => Number.isInteger(count) && Number(count) >= 0) &&
    (!dryRun || (Array.isArray(previews) && previews.length === run)) &&
    JSON.stringify(json) === body;
  return isRight ? { eventId, dryRun, sent: Number(sent), failed: Number(failed) } : `no answer of ours: ${body.slice(0, 500)}`;
}

/** A server in a process of its own, in the form for a fuzzer. */
export interface ServedApart extends AsyncDisposable {
  url: string;
  port: number;
  isRunning(): boolean;
  /** The complaints so far: unexpected errors, and warnings of Node. */
  complaints(): string;
  /** Bytes of live objects, after a collection. */
  heap(): Promise<number>;
}

const root = fileURLToPath(new URL("../../..", import.meta.url));
const main = fileURLToPath(new URL("served.mjs", import.meta.url));

/** The first argument of `served.mjs`: the configuration of either server, with the master key in base64. */
export type ServedPlan =
  | { server: "gateway"; config: Omit<GatewayConfig, "masterKey">; masterKey: string }
  | { server: "admin"; config: Omit<AdminConfig, "masterKey">; masterKey: string };

export async function serveApart(plan: ServedPlan): Promise<ServedApart> {
  const child = spawn(process.execPath, ["--expose-gc", main, JSON.stringify(plan)], {
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    cwd: root,
  });
  let complaints = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (complaints += text));
  const ended = once(child, "exit");
  const [url] = (await Promise.race([
    once(createInterface(child.stdout as NodeJS.ReadableStream), "line"),
    ended.then(() => Promise.reject(new Error(`the server ended before it was up: ${complaints}`))),
  ])) as [string];
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;
  return {
    url,
    port: Number(new URL(url).port),
    isRunning,
    complaints: () => complaints,
    heap: async () => {
      child.send("heap");
      const [bytes] = (await once(child, "message")) as [number];
      return bytes;
    },
    [Symbol.asyncDispose]: async () => {
      if (isRunning()) child.kill("SIGKILL");
      await ended;
    },
  };
}
