import { setTimeout as sleep } from "node:timers/promises";
import { scalar } from "shared/db/statement";
import { cell, row, say } from "../../bench/report.ts";
import { orderBody } from "../../bench/requests.ts";
import { createSender } from "../shops/sender.ts";
import type { LivedWorld } from "../world.ts";

/** The days that stay in every account: of the log, which has eight weeks, and of its payloads, which go back 30 days. */
const [logDays, payloadDays] = [52, 27];
const eventsPerSecond = 50;
const beforeSeconds = 30;
/** Higher than the order numbers of all that is stored. */
const firstNumber = 900_000_000;
/** What takes longer is watched so long, for its pace. */
const longestMs = 600_000;
/** No binding takes it, so that no answer waits for the platform. */
const eventName = "size.measured";

/** Times a run of retention and an erasure to their ends, or for a while, and the events that come meanwhile. */
export async function timeEnds(world: LivedWorld): Promise<void> {
  const { sql } = world;
  row(["", "seconds", "rows", "rows a second", "longest ms", "p50 ms", "p99 ms", "failed"], 30);
  await beside(world, "nothing", async () => {
    await sleep(beforeSeconds * 1_000);
    return 0;
  });
  await beside(world, "retention", async () => {
    await sql`update account set log_days = ${logDays}, payload_days = ${payloadDays}`;
    await sql`insert into job_turn (name) values ('retention') on conflict (name) do update set due_at = now(), owner = null, lease_until = null`;
    const isOver = async () =>
      (await sql`select from job_turn where name = 'retention' and owner is null and due_at > now() + interval '30 minutes'`).length > 0;
    await watch("retention", isOver);
    // It ends, as if another server had taken it over.
    await sql`update job_turn set owner = gen_random_uuid(), lease_until = now() + interval '1 day' where name = 'retention'`;
    return await deleted(world);
  });
  await beside(world, "an erasure", async () => {
    const accountId = world.accounts[0]?.id ?? "";
    const phone = await scalar(
      sql<[{ to_phone: string }]>`select to_phone from notification where account_id = ${accountId} and to_phone like '+15557%' limit 1`,
    );
    await world.call("people.erase", { phone }, { accountId });
    const newest = async () =>
      (
        await sql<{ scanned: number; is_over: boolean }[]>`
      select scanned::integer, finished_at is not null as is_over from erasure where account_id = ${accountId} order by id desc limit 1`
      )[0];
    await watch("the erasure", async () => (await newest())?.is_over === true);
    // A later run does not go on with it.
    await sql`update erasure set finished_at = now() where finished_at is null`;
    await sql`update operation set finished_at = now(), settled_at = now() where kind = 'erasure' and finished_at is null`;
    return (await newest())?.scanned ?? 0;
  });
}

/** Waits until it is over, or long enough. */
async function watch(name: string, isOver: () => Promise<boolean>): Promise<void> {
  for (const deadline = performance.now() + longestMs; !(await isOver()); await sleep(1_000))
    if (performance.now() > deadline) return say(`  ${name} goes on`);
}

/** The rows that the programs have deleted since their statements were counted anew. */
const deleted = async ({ sql }: LivedWorld): Promise<number> =>
  await scalar(sql<[{ count: number }]>`
    select coalesce(sum(rows), 0)::integer as count from pg_stat_statements where userid <> current_user::regrole and query ~ '^\\s*delete from'`);

/** Does that while events come. `act` answers how many rows it was about. */
async function beside(world: LivedWorld, name: string, act: () => Promise<number>): Promise<void> {
  const { sql } = world;
  await sql`select pg_stat_statements_reset()`;
  const started = performance.now();
  const over = new AbortController();
  const events = sendEvents(world, over.signal);
  const rows = await act();
  const seconds = (performance.now() - started) / 1_000;
  over.abort();
  const { times, failed } = await events;
  const longest = await scalar(sql<[{ ms: number }]>`
    select coalesce(max(max_exec_time), 0) as ms from pg_stat_statements
    where userid <> current_user::regrole and query ~ '\\m(delete from|update) "?(event|event_payload|event_search|notification|customer_order)\\M' and query !~ 'insert into'`);
  const at = (share: number) => cell(times[Math.floor(times.length * share)] ?? NaN, 1);
  row([name, cell(seconds), String(rows), cell(rows / seconds), cell(longest), at(0.5), at(0.99), String(failed)], 30);
}

/** Sends events at their pace until the signal, and answers how long each took. */
async function sendEvents({ sites, gatewayUrl }: LivedWorld, until: AbortSignal): Promise<{ times: number[]; failed: number }> {
  const site = sites.find(({ sourceType }) => sourceType === "generic");
  if (site === undefined) throw new Error("no site takes signed events");
  await using sender = createSender(gatewayUrl);
  const times: number[] = [];
  const sent: Promise<void>[] = [];
  let failed = 0;
  const send = async (): Promise<void> => {
    const number = firstNumber + sent.length;
    const started = performance.now();
    const { status } = await sender.try({
      site,
      door: "ingest",
      name: eventName,
      body: orderBody(number),
      id: crypto.randomUUID(),
      headers: {},
    });
    times.push(performance.now() - started);
    failed += status === 200 || status === 202 ? 0 : 1;
  };
  const started = performance.now();
  while (!until.aborted) {
    sent.push(send().catch(() => void (failed += 1)));
    await sleep(Math.max(0, started + (sent.length * 1_000) / eventsPerSecond - performance.now()));
  }
  await Promise.all(sent);
  return { times: times.toSorted((one, other) => one - other), failed };
}
