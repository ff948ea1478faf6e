import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Pool } from "shared/db/connect";
import { type EmbeddedPostgres, startPostgres } from "shared/postgres/start";
import { afterAll, beforeAll, expect, it } from "vitest";
import { migrated, type TestDatabase } from "../support/database.ts";
import { openGateway, openShop, type Shop } from "../support/gateway.ts";
import { newMessageId, type ScriptedPlatform, type SendBody, startScriptedPlatform } from "../support/platform.ts";
import { postStatus, anEvent, type Posted, postEvent } from "../support/requests.ts";

const events = 300;
const clients = 16;

let folder: string;
let postgres: EmbeddedPostgres;
let platform: ScriptedPlatform;
let database: TestDatabase;
let sql: Pool;
let shop: Shop;
let pidFile: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tidings-restart-"));
  postgres = await startPostgres({ dataDir: folder, durable: true });
  platform = await startScriptedPlatform();
  database = await migrated(postgres);
  ({ sql } = database);
  shop = await openShop(sql);
  const [row] = await database.owner<{ folder: string }[]>`select current_setting('data_directory') as folder`;
  pidFile = join(row?.folder ?? "", "postmaster.pid");
}, 120_000);
afterAll(async () => {
  await database?.[Symbol.asyncDispose]();
  await platform?.[Symbol.asyncDispose]();
  await postgres?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

/** Ends the server as a crash does; its launcher starts it again. */
async function crashPostgres(): Promise<void> {
  process.kill(Number.parseInt(await readFile(pidFile, "utf8"), 10), "SIGQUIT");
}

/** The platform repeats an update until it is answered with 200. */
async function tell(gateway: { url: string }, body: SendBody, id: string): Promise<void> {
  while ((await postStatus(gateway, shop, body, "sent", id)).status !== 200) await new Promise((resolve) => setTimeout(resolve, 100));
}

/** Posts like the specification's clients: after a 5xx or a network error again, with the same key. */
async function postUntilAnswered(gateway: { url: string }, n: number): Promise<Posted> {
  const headers = { "X-Service-Idempotency-Key": `restart-${n}` };
  for (let pause = 20; ; pause = Math.min(2 * pause, 500)) {
    const posted = await postEvent(gateway, shop, { ...anEvent, order: { id: String(n) } }, { headers });
    if (posted.status === 200) return posted;
    expect(posted.status).toBe(503);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

it("PostgreSQL crashing under load loses no answered event, repeats no message and asks clients to come back", async () => {
  await using gateway = await openGateway(
    postgres.url,
    platform.url,
    { inDoubtSeconds: 5 },
    { leaseMs: 10_000, handOverMs: 7000, answerMs: 7500 },
  );
  const told: Promise<void>[] = [];
  platform.script(({ body }) => {
    const id = newMessageId();
    told.push(tell(gateway, body, id));
    return id;
  });
  const answered: Posted[] = [];
  let next = 0;
  let crashes = 0;
  const client = async (): Promise<void> => {
    while (next < events) {
      const n = (next += 1);
      if (n === 100 || n === 200) {
        crashes += 1;
        await crashPostgres();
      }
      answered.push(await postUntilAnswered(gateway, n));
    }
  };
  await Promise.all(Array.from({ length: clients }, client));

  expect(crashes).toBe(2);
  expect(answered.length).toBeGreaterThanOrEqual(events);
  const rows = await sql<{ id: string; chat: string }[]>`select id, chat from event where site_id = ${shop.siteId}`;
  const chats = new Map(rows.map(({ id, chat }) => [id, chat]));
  for (const { json } of answered) expect(chats.get(String(json["event_id"]))).toBe(json["chat"]);
  await Promise.all(told);
  const failures = await sql`select error_code, error_reason from notification where site_id = ${shop.siteId} and status = 'failed'`;
  expect(failures.map((row) => row["error_code"] as string)).toEqual([]);
  const messages = platform.sends.map(({ body }) => JSON.stringify(body.template.components));
  expect(messages).toHaveLength(answered.length);
  expect(new Set(messages).size).toBe(answered.length);
}, 180_000);
