import { type AdminClient, openAdminOn } from "../../support/admin.ts";
import { masterKey, openShop, type Shop } from "../../support/gateway.ts";
import type { BenchDatabase } from "../cluster.ts";
import { median } from "../load.ts";
import { onePhone, seldom, storeLog, usual } from "../log-rows.ts";
import { type Figure, verdict, cell, row, say, type Benchmark } from "../report.ts";

const sites = 5;
const mostCalls = 40;
const leastCalls = 3;
const mostMs = 4_000;
const dayMs = 86_400_000;

/** The limit of growth from the shortest log to the longest: a busy machine varies this much with the same work. */
const growthBar = 1.5;

type Call = (api: AdminClient) => Promise<unknown>;

/** Pages of the log, through the admin API as the dashboard asks for them. */
const pages: Record<string, Call> = {
  "messages, first page": (api) => api.notifications.list.query(),
  "messages, failed": (api) => api.notifications.list.query({ status: "failed" }),
  "messages, queued (none)": (api) => api.notifications.list.query({ status: "queued" }),
  "messages, one phone": (api) => api.notifications.list.query({ phone: onePhone }),
  "messages, usual template": (api) => api.notifications.list.query({ template: usual.template }),
  "messages, seldom template": (api) => api.notifications.list.query({ template: seldom.template }),
  "messages, usual event": (api) => api.notifications.list.query({ event: usual.event }),
  "messages, seldom event": (api) => api.notifications.list.query({ event: seldom.event }),
  "events, first page": (api) => api.events.list.query(),
  "events, usual name": (api) => api.events.list.query({ event: usual.event }),
  "events, seldom name": (api) => api.events.list.query({ event: seldom.event }),
};

/** Calls without a bar, since their work is the rows that they count. */
const stats: Record<string, Call> = { "stats of a week": (api) => api.stats.overview.query(lastDays(7)) };

/** A call that never reads the log. It is made in turn with each page, so that a busier machine makes no difference. */
const reference: Call = (api) => api.auth.me.query();

interface Timed {
  /** The median in milliseconds. */
  ms: number;
  /** The time relative to that of the reference. */
  relative: number;
}

/** The log's pages at growing sizes of the log, against the smallest. */
export const benchLog: Benchmark = async (run) => {
  const sizes = run.quick ? [1_000, 4_000, 20_000] : [10_000, 1_000_000, 5_000_000];
  await using database = await run.cluster.createDatabase("bench_log");
  await using admin = await openAdminOn(database.url, { masterKey });
  const { client } = await admin.signUp();
  const shops = await openShops(database, (await client.auth.me.query()).account.id);
  const times = new Map<string, Timed[]>();
  for (const [i, size] of sizes.entries()) {
    say(`\nstoring ${size} events and messages`);
    await storeLog(database.sql, { shops, from: sizes[i - 1] ?? 0, to: size });
    for (const [name, call] of Object.entries({ ...pages, ...stats })) {
      times.set(name, [...(times.get(name) ?? []), await timeOf(call, client, run.quick ? 10 : mostCalls)]);
    }
  }
  return report(sizes, times);
};

async function openShops(database: BenchDatabase, accountId: string): Promise<Shop[]> {
  const shops: Shop[] = [];
  for (let i = 0; i < sites; i += 1) shops.push(await openShop(database.sql, { accountId }));
  return shops;
}

/** The time of a call; a slow one is made less often. */
async function timeOf(call: Call, client: AdminClient, calls: number): Promise<Timed> {
  const own: number[] = [];
  const references: number[] = [];
  await call(client);
  for (const until = performance.now() + mostMs; own.length < leastCalls || (own.length < calls && performance.now() < until);) {
    own.push(await elapsed(call, client));
    references.push(await elapsed(reference, client));
  }
  return { ms: median(own), relative: median(own) / median(references) };
}

async function elapsed(call: Call, client: AdminClient): Promise<number> {
  const started = performance.now();
  await call(client);
  return performance.now() - started;
}

function report(sizes: readonly number[], times: ReadonlyMap<string, readonly Timed[]>): Figure[] {
  const width = 28;
  say("\nthe log, ms a call; growth in calls that do not read the log");
  row(["", ...sizes.map((size) => `${size} rows`), "growth"], width);
  return [...times].map(([name, each]) => {
    const value = (each.at(-1)?.relative ?? NaN) / (each[0]?.relative ?? NaN);
    const figure: Figure = {
      name: `log of ${sizes.at(-1)} / of ${sizes[0]}: ${name}`,
      value,
      atMost: name in pages ? growthBar : undefined,
    };
    row([name, ...each.map(({ ms }) => cell(ms, 2)), cell(value, 2), ` ${verdict(figure)}`], width);
    return figure;
  });
}

const lastDays = (days: number): { from: string; to: string } => {
  const now = Date.now();
  return { from: new Date(now - days * dayMs).toISOString(), to: new Date(now).toISOString() };
};
