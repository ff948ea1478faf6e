import { createReadStream } from "node:fs";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "shared/db/connect";
import { type Pool, scalar } from "shared/db/statement";
import { openPostgresAlone } from "shared/postgres/start";
import { storeLog } from "../../bench/log-rows.ts";
import { cell, row, say } from "../../bench/report.ts";
import { openShop, type Shop } from "../../support/gateway.ts";
import type { PastWorld } from "../past/month.ts";
import { type Call, ownCalls } from "../walk/queries.ts";
import { day } from "../walk/samples.ts";
import { type LivedWorld, makeWorld, startWorld } from "../world.ts";
import { caughtUp, checkDerived, derive, searchRowsOf } from "./derive.ts";
import { timeEnds } from "./ends.ts";

// `npm run test:lived -- --rows N`: an installation of 20 accounts with 500 sites and N messages, on the programs of `npm start`. Every query is timed as the owner of the
// largest account asks it, at a fifth of the rows and at all of them: what grows with them shows. The plans of slow statements are kept as text.

const [folder = "", rows = "5000000", isAgain] = process.argv.slice(2);

const accounts = 20;
const sites = 500;
/** Higher than the order numbers of the month before. */
const firstNumber = 40_000_000;
/** Of more rows a fifth is not measured by itself; a fifth of up to so many is what the programs learn and count once more. */
const [mostWithFifth, mostChecked] = [5_000_000, 500_000];
/** Payloads, and the words of them by which events are found, are kept so long: most of the time goes into their indexes. */
const payloadDays = Number(rows) > mostWithFifth ? 7 : 30;
const dueDays = 3;
/** What fills the database. More than there are cores, as other work goes on beside it. */
const connections = 4;
const calls = 11;
/** The most milliseconds of a page's query, in nineteen of twenty calls. */
const bar = 100;
/** Statements that take longer leave their plan. */
const planMs = 50;
/** A statement of the background that reads more pages of 8 KB is listed. */
const manyBuffers = 1_000;
const quietSeconds = 150;

interface Cost {
  name: string;
  p50: number;
  p95: number;
  /** The first call, which reads what no other has read before. */
  first: number;
  /** The fewest pages that a call read, of memory or disk. */
  buffers: number;
}

async function measure(world: LivedWorld): Promise<Cost[]> {
  await caughtUp(world.sql);
  const costs = await timeQueries(world);
  await timeFiles(world);
  await watchQuiet(world);
  return costs;
}

/** Sets what sessions from now on log: the plan of each slow statement. */
async function keepPlans(sql: Pool): Promise<void> {
  const settings = {
    shared_preload_libraries: "pg_stat_statements",
    "pg_stat_statements.max": 50_000,
    session_preload_libraries: "auto_explain",
    "auto_explain.log_min_duration": planMs,
    "auto_explain.log_analyze": "on",
    "auto_explain.log_timing": "off",
    "auto_explain.log_buffers": "on",
  };
  for (const [name, value] of Object.entries(settings)) await sql.unsafe(`alter system set ${name} = '${value}'`);
  await sql`create extension if not exists pg_stat_statements`;
}

/** The shops that rows go to in turn: the largest account's own sites get as many as all others together. */
async function openShops(sql: Pool): Promise<Shop[]> {
  const past = JSON.parse(await readFile(join(folder, "world.json"), "utf8")) as PastWorld;
  const own = past.sites.filter(({ accountId }) => accountId === past.accounts[0]?.id);
  const shops: Shop[] = [];
  for (const { id: siteId, accountId } of own) {
    const [binding] = await sql<{ bindingId: string; templateId: string }[]>`
      select id as "bindingId", template_id as "templateId" from binding where site_id = ${siteId} order by id limit 1`;
    if (binding !== undefined) for (let i = 0; i < sites / own.length; i += 1) shops.push({ siteId, accountId, ...binding } as Shop);
  }
  // The others have one site, two sites, three …
  const owners: string[] = [];
  for (let i = 0; i < sites - own.length; i += 1) {
    const at = Math.floor((Math.sqrt(8 * (i % 190) + 1) - 1) / 2) % (accounts - 1);
    const shop = await openShop(sql, owners[at] === undefined ? {} : { accountId: owners[at] });
    owners[at] ??= shop.accountId;
    shops.push(shop);
  }
  return shops;
}

/** Makes those that are due wait. */
async function letWait(sql: Pool, due: Date): Promise<void> {
  await sql`
    with waits as (select site_id, id, account_id, event_id, binding_id, md5(to_phone) as phone_hash, due_at from notification where due_at = ${due}),
    turns as (insert into recipient_turn (account_id, phone_hash, site_id, due_at) select account_id, phone_hash, site_id, due_at from waits on conflict do nothing)
    insert into waiting_message (site_id, id, account_id, event_id, binding_id, phone_hash, due_at, queued_at)
    select site_id, id, account_id, event_id, binding_id, phone_hash, due_at, due_at from waits on conflict do nothing`;
  await sql`vacuum (analyze) waiting_message, recipient_turn`;
}

/** Stores rows, with what the programs would make of them, while none of these runs. */
async function fill(shops: readonly Shop[], from: number, to: number): Promise<void> {
  await withDatabase(async (sql) => {
    const due = new Date(Date.now() + dueDays * 86_400_000);
    const search = await searchRowsOf(sql, [...new Set(shops.map(({ accountId }) => accountId))]);
    await storeLog(sql, { shops, from, to, payloadDays, due, search });
    await letWait(sql, due);
    await derive(sql, [...new Set(shops.map(({ siteId }) => siteId))]);
    await sql`alter system reset wal_level`;
    await keepPlans(sql);
  });
}

/** Runs the database alone. */
async function withDatabase<T>(act: (sql: Pool) => Promise<T>): Promise<T> {
  await using postgres = await openPostgresAlone(join(folder, "data"));
  const sql = connect(postgres.url, { max: connections, applicationName: "lived" });
  try {
    return await act(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

async function timeQueries(world: LivedWorld): Promise<Cost[]> {
  const accountId = world.accounts[0]?.id ?? "";
  const costs: Cost[] = [];
  for (const call of await ownCalls(world, accountId)) {
    const before = await logSize();
    const cost = await costOf(world, accountId, call);
    costs.push(cost);
    await keep(call.path, cost.name, await plansFrom(before));
  }
  row(["query", "first ms", "p50 ms", "p95 ms", "buffers", "at a fifth"], 100);
  const order = costs.map((cost, i) => ({
    ...cost,
    former: few[i]?.name.split(" ")[0] === cost.name.split(" ")[0] ? few[i]?.buffers : undefined,
  }));
  for (const { name, first, p50, p95, buffers, former = NaN } of order.toSorted((one, other) => other.p95 - one.p95))
    row([name.slice(0, 98), cell(first, 1), cell(p50, 1), cell(p95, 1), cell(buffers), cell(former)], 100);
  say(`\n${costs.filter(({ p95 }) => p95 > bar).length} of ${costs.length} queries take more than ${bar} ms\n`);
  return costs;
}

async function costOf(world: LivedWorld, accountId: string, { path, input }: Call): Promise<Cost> {
  const name = `${path} ${JSON.stringify(input)}`;
  const times: number[] = [];
  let buffers = Infinity;
  for (let i = 0; i < calls; i += 1) {
    const before = await buffersSoFar(world);
    const started = performance.now();
    const { code, status, text } = await world.tryCall(path, input, { accountId });
    times.push(performance.now() - started);
    buffers = Math.min(buffers, (await buffersSoFar(world)) - before);
    if (code !== "ok") {
      say(`${name}: ${status} ${text.slice(0, 200)}`);
      break;
    }
  }
  const [first = NaN] = times;
  const sorted = times.toSorted((one, other) => one - other);
  return { name, first, p50: sorted[Math.floor(calls / 2)] ?? NaN, p95: sorted[Math.ceil(calls * 0.95) - 1] ?? NaN, buffers };
}

/** The pages that the programs' statements have read so far, without those of this process. */
const buffersSoFar = async ({ sql }: LivedWorld): Promise<number> =>
  await scalar(sql<[{ read: number }]>`
    select coalesce(sum(shared_blks_hit + shared_blks_read), 0)::double precision as read from pg_stat_statements where userid <> current_user::regrole`);

async function timeFiles(world: LivedWorld): Promise<void> {
  const accountId = world.accounts[0]?.id ?? "";
  row(["file", "ms", "rows"], 100);
  for (const file of [
    `statistics.csv?from=${day(-29)}&to=${day(-1)}`,
    "notifications.csv?status=failed",
    `notifications.csv?from=${day(-2)}&to=${day(-2)}`,
  ]) {
    const started = performance.now();
    const { text } = await world.file(file, { accountId });
    row([file, cell(performance.now() - started), String(text.split("\n").length - 2)], 100);
  }
}

/** Leaves the installation alone, and lists what its programs read by themselves. */
async function watchQuiet({ sql }: LivedWorld): Promise<void> {
  const before = await logSize();
  await sql`select pg_stat_statements_reset()`;
  await sleep(quietSeconds * 1_000);
  const found = await sql<{ query: string; calls: number; mean: number; max: number; buffers: number }[]>`
    select regexp_replace(query, '\\s+', ' ', 'g') as query, calls::integer, mean_exec_time as mean, max_exec_time as max,
      ((shared_blks_hit + shared_blks_read) / calls)::double precision as buffers
    from pg_stat_statements
    where userid <> current_user::regrole and ((shared_blks_hit + shared_blks_read) / calls > ${manyBuffers} or max_exec_time > ${planMs})
    order by shared_blks_hit + shared_blks_read desc`;
  row([`by themselves, in ${quietSeconds} s`, "calls", "mean ms", "most ms", "buffers each"], 140);
  for (const { query, mean, max, buffers, ...each } of found)
    row([query.slice(0, 138), String(each.calls), cell(mean, 1), cell(max, 1), cell(buffers)], 140);
  await keep("background", "what runs by itself", await plansFrom(before));
}

const logFile = join(folder, "data", "postgres.log");
const logSize = async (): Promise<number> => (await stat(logFile)).size;

/** The plans in the log of PostgreSQL from a byte on; it grows to hundreds of megabytes. */
async function plansFrom(start: number): Promise<string[]> {
  const log = await textOf(createReadStream(logFile, { start }));
  return log.split(/^(?=\d{4}-\d\d-\d\d )/mu).filter((entry) => entry.includes("plan:"));
}

async function keep(file: string, name: string, plans: readonly string[]): Promise<void> {
  if (plans.length === 0) return;
  await mkdir(join(folder, "plans"), { recursive: true });
  await writeFile(join(folder, "plans", `${file}.txt`), [`-- ${name}`, ...plans.slice(-4), ""].join("\n"), { flag: "a" });
}

/** What a fifth of the rows cost, by call. */
const few: Cost[] = [];
const kept = join(folder, "few.json");
if (isAgain === undefined) {
  await makeWorld(folder, 3_000);
  const shops = await withDatabase(async (sql) => {
    await sql`alter system set wal_level = minimal`;
    return await openShops(sql);
  });
  const [some, end] = [firstNumber + Number(rows) / 5, firstNumber + Number(rows)];
  if (Number(rows) <= mostWithFifth) {
    await fill(shops, firstNumber, some);
    await using world = await startWorld(folder);
    if (Number(rows) <= mostChecked)
      await checkDerived(
        world.sql,
        shops.map(({ siteId }) => siteId).filter((siteId) => !world.sites.some(({ id }) => id === siteId)),
      );
    few.push(...(await measure(world)));
    await writeFile(kept, JSON.stringify(few));
  }
  await fill(shops, Number(rows) <= mostWithFifth ? some : firstNumber, end);
} else few.push(...(JSON.parse(await readFile(kept, "utf8").catch(() => "[]")) as Cost[]));
await using world = await startWorld(folder);
await measure(world);
await timeEnds(world);
say(`plans are in ${join(folder, "plans")}`);
