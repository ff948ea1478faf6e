import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findSitesToSearch } from "shared/db/event/search";
import { findSitesToCount } from "shared/db/notification/statistics";
import { storeLog } from "../../bench/log-rows.ts";
import { cell, row, say } from "../../bench/report.ts";
import { openShop, type Shop } from "../../support/gateway.ts";
import { type Call, ownCalls } from "../walk/queries.ts";
import { type LivedWorld, makeWorld, startWorld } from "../world.ts";

// `npm run test:lived -- --rows N`: an installation of 20 accounts with 500 sites and N messages, on the programs of `npm start`. Every query is timed as the owner of the
// largest account asks it, and the plans of slow statements are kept as text.

const [folder = "", rows = "5000000", isAgain] = process.argv.slice(2);

const accounts = 20;
const sites = 500;
/** The largest account's own sites have as many of the rows as all others together. */
const weight = sites / 10;
/** Higher than the order numbers of the month before. */
const firstNumber = 40_000_000;
const calls = 11;
/** The most milliseconds of a page's query, in nineteen of twenty calls. */
const bar = 100;
/** Statements that take longer leave their plan. */
const planMs = 50;
const quietSeconds = 120;

if (isAgain === undefined) {
  await makeWorld(folder, 3_000);
  await using world = await startWorld(folder);
  await keepPlans(world);
}
{
  await using world = await startWorld(folder);
  if (isAgain === undefined) await fill(world, Number(rows));
  await catchUp(world);
  const slow = await timeQueries(world);
  const background = await watchQuiet();
  say(
    `\n${slow} of the queries take more than ${bar} ms; ${background} statements of the background took more than ${planMs} ms in ${quietSeconds} s`,
  );
  say(`plans are in ${join(folder, "plans")}`);
}

/** Sets what sessions from now on log: the plan of each slow statement. */
async function keepPlans({ sql }: LivedWorld): Promise<void> {
  const settings = {
    session_preload_libraries: "auto_explain",
    "auto_explain.log_min_duration": planMs,
    "auto_explain.log_analyze": "on",
    "auto_explain.log_timing": "off",
    "auto_explain.log_buffers": "on",
  };
  for (const [name, value] of Object.entries(settings)) await sql.unsafe(`alter system set ${name} = '${value}'`);
  await sql`select pg_reload_conf()`;
}

async function fill({ sql, accounts: [first], sites: lived }: LivedWorld, messages: number): Promise<void> {
  const own = lived.filter(({ accountId }) => accountId === first?.id);
  const shops: Shop[] = [];
  for (const { id: siteId, accountId } of own) {
    const [binding] = await sql<{ bindingId: string; templateId: string }[]>`
      select id as "bindingId", template_id as "templateId" from binding where site_id = ${siteId} order by id limit 1`;
    if (binding !== undefined) for (let i = 0; i < weight / own.length; i += 1) shops.push({ siteId, accountId, ...binding } as Shop);
  }
  // The others have one site, two sites, three …
  const owners: string[] = [];
  for (let i = 0; shops.length < sites; i += 1) {
    const at = Math.floor((Math.sqrt(8 * (i % 190) + 1) - 1) / 2) % (accounts - 1);
    const shop = await openShop(sql, owners[at] === undefined ? {} : { accountId: owners[at] });
    owners[at] ??= shop.accountId;
    shops.push(shop);
  }
  await storeLog(sql, { shops, from: firstNumber, to: firstNumber + messages });
}

/** Waits until the programs have counted, and learned to find, all that was stored. */
async function catchUp({ sql }: LivedWorld): Promise<void> {
  const started = performance.now();
  const left = async () => (await findSitesToCount(sql, 1_000)).length + (await findSitesToSearch(sql, 120, 1_000)).length;
  for (let sitesLeft = await left(); sitesLeft > 0; sitesLeft = await left()) {
    say(`  ${sitesLeft} sites to count or to learn after ${cell((performance.now() - started) / 1000)} s`);
    await sleep(10_000);
  }
  await sql`vacuum (analyze) event_search`;
}

async function timeQueries(world: LivedWorld): Promise<number> {
  const accountId = world.accounts[0]?.id ?? "";
  const timed: { name: string; p50: number; p95: number }[] = [];
  for (const call of await ownCalls(world, accountId)) {
    const before = (await planned()).length;
    const times = await timesOf(world, accountId, call);
    const { path, input } = call;
    const name = `${path} ${JSON.stringify(input)}`;
    timed.push({ name, p50: times[Math.floor(calls / 2)] ?? NaN, p95: times[Math.ceil(calls * 0.95) - 1] ?? NaN });
    await keep(path, name, (await planned()).slice(before));
  }
  const slowest = timed.toSorted((one, other) => other.p95 - one.p95);
  row(["query", "p50 ms", "p95 ms"], 100);
  for (const { name, p50, p95 } of slowest.slice(0, 60)) row([name.slice(0, 98), cell(p50, 1), cell(p95, 1)], 100);
  return slowest.filter(({ p95 }) => p95 > bar).length;
}

async function timesOf(world: LivedWorld, accountId: string, { path, input }: Call): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < calls; i += 1) {
    const started = performance.now();
    const { code, status, text } = await world.tryCall(path, input, { accountId });
    times.push(performance.now() - started);
    if (code !== "ok") {
      say(`${path} ${JSON.stringify(input)}: ${status} ${text.slice(0, 200)}`);
      break;
    }
  }
  return times.toSorted((one, other) => one - other);
}

/** Leaves the installation alone, and answers how many slow statements its programs made by themselves. */
async function watchQuiet(): Promise<number> {
  const before = (await planned()).length;
  await sleep(quietSeconds * 1_000);
  const found = (await planned()).slice(before);
  await keep("background", "what runs by itself", found);
  return found.length;
}

/** The plans in the log of PostgreSQL so far. */
async function planned(): Promise<string[]> {
  const log = await readFile(join(folder, "data", "postgres.log"), "utf8");
  return log.split(/^(?=\d{4}-\d\d-\d\d )/mu).filter((entry) => entry.includes("plan:"));
}

async function keep(file: string, name: string, plans: readonly string[]): Promise<void> {
  if (plans.length === 0) return;
  await mkdir(join(folder, "plans"), { recursive: true });
  await writeFile(join(folder, "plans", `${file}.txt`), [`-- ${name}`, ...plans.slice(-4), ""].join("\n"), { flag: "a" });
}
