import { createGatewayMetrics, StageClock } from "shared/metrics/metrics";
import { openShop, type Shop } from "../../support/gateway.ts";
import { postUpdates } from "../../support/requests.ts";
import { inTurn, load, type LoadPlan, measure, type Measured } from "../load.ts";
import { storeLog } from "../log-rows.ts";
import { cell, type Figure, printMeasurements, ratioOf, type Benchmark, say } from "../report.ts";
import { signedRequests } from "../requests.ts";
import { makeReferenceTables, openStage, startGateway, startReference } from "../stage.ts";
import { cpuRatios, inShortTurns, toldShop, wholePlan } from "./features.ts";

interface Scenario {
  connections: number;
  delayMs: number;
  /** The least ratio to each reference. */
  bars: { a?: number; b?: number };
}

const scenarios: Scenario[] = [
  { connections: 32, delayMs: 0, bars: { a: 1.3, b: 0.62 } },
  { connections: 256, delayMs: 0, bars: { a: 1.8, b: 0.58 } },
  { connections: 1, delayMs: 0, bars: { a: 0.8 } },
  { connections: 32, delayMs: 50, bars: {} },
];

const contestants = ["a", "b", "gateway"] as const;
type Results = Record<(typeof contestants)[number], Measured[]>;

/** The gateway beside two references; see the README. */
export const benchIngest: Benchmark = async (run) => {
  const figures: Figure[] = [];
  for (const { connections, delayMs, bars } of scenarios) {
    await using stage = await openStage(run.cluster, "ingest", { delayMs });
    await makeReferenceTables(stage.database);
    const plan = { connections, requests: () => signedRequests(stage.shop) };
    const results = await inTurn(contestants, run.rounds, async (contestant) => {
      await using server =
        contestant === "gateway" ? await startGateway(stage) : await startReference(stage, stage.shop, contestant === "b");
      return await measure({ ...stage, servers: [server] }, plan, run);
    });
    const title = `${connections} connection${connections === 1 ? "" : "s"}, platform at ${delayMs} ms`;
    printMeasurements(title, results);
    figures.push(...ratios(title, results, bars), ...(delayMs > 0 ? additions(title, results) : []));
  }
  return figures;
};

const ratios = (title: string, results: Results, bars: Scenario["bars"]): Figure[] =>
  (["a", "b"] as const).map((reference) =>
    ratioOf(
      { name: `${title}: gateway / (${reference})`, atLeast: bars[reference] },
      results.gateway,
      results[reference],
      (round) => round.throughput,
    ),
  );

/** The time that the gateway adds to each reference's, most of which is the platform's own. */
const additions = (title: string, results: Results): Figure[] =>
  (["p50", "p99"] as const).flatMap((member) =>
    (["a", "b"] as const).map((reference) =>
      ratioOf(
        {
          name: `${title}: gateway adds to (${reference}) at ${member}`,
          unit: "ms",
          atMost: reference === "b" ? mostAdded[member] : undefined,
        },
        results.gateway,
        results[reference],
        (round) => round[member],
        (one, other) => one - other,
      ),
    ),
  );

const mostAdded = { p50: 4, p99: 10 };

const storedEvents = 10_000;
const reportedMessages = 3_000;

/** What an event and a status of its message cost of PostgreSQL's log and disk: the figures of the documentation's page on cells. */
export const benchSpace: Benchmark = async ({ cluster, warmUp, quick }) => {
  await using stage = await openStage(cluster, "space");
  await using server = await startGateway(stage);
  const { sql } = stage.database;
  const plan = { connections: 32, requests: () => signedRequests(stage.shop) };
  await load(server.url, plan, { seconds: warmUp });
  const look = async () => {
    const [row] = await sql<[{ events: number; wal: number; disk: number }]>`
      select (select count(*)::integer from event) as events, (pg_current_wal_lsn() - '0/0')::double precision as wal,
        pg_database_size(current_database())::double precision as disk`;
    return row;
  };
  const before = await look();
  await load(server.url, plan, { requests: quick ? 500 : storedEvents });
  const stored = await look();
  const messages = await sql<
    { id: string }[]
  >`select wa_message_id as id from notification order by id desc limit ${quick ? 100 : reportedMessages}`;
  for (const status of ["delivered", "read"])
    for (let at = 0; at < messages.length; at += 16)
      await Promise.all(
        messages.slice(at, at + 16).map(async ({ id }) => {
          const update = { id, status, timestamp: String(Math.floor(Date.now() / 1000)), recipient_id: "15551230001" };
          await (await postUpdates(server, stage.shop, [update])).arrayBuffer();
        }),
      );
  const after = await look();
  const [events, statuses] = [stored.events - before.events, 2 * messages.length];
  const figure = (name: string, value: number): Figure => ({ name, value, unit: "bytes" });
  return [
    figure("PostgreSQL's log an event", (stored.wal - before.wal) / events),
    figure("PostgreSQL's log a status", (after.wal - stored.wal) / statuses),
    figure("disk an event", (stored.disk - before.disk) / events),
    figure("disk an event with both statuses", (stored.disk - before.disk) / events + (2 * (after.disk - stored.disk)) / statuses),
  ];
};

/** Events of an account that encrypts its data against events of one that does not, at the same gateway. */
export const benchEncrypted: Benchmark = async (run) => {
  await using stage = await openStage(run.cluster, "encrypted");
  const shops = { plain: stage.shop, encrypted: await openShop(stage.database.sql, { encrypted: true }) };
  const results = await inTurn(["plain", "encrypted"], run.rounds, async (contestant) => {
    await using server = await startGateway(stage);
    return await measure({ ...stage, servers: [server] }, { connections: 32, requests: () => signedRequests(shops[contestant]) }, run);
  });
  printMeasurements("rows at rest, 32 connections", results);
  return [
    ratioOf({ name: "events a second, encrypted / plain" }, results.encrypted, results.plain, (round) => round.throughput),
    ratioOf({ name: "gateway CPU an event, encrypted / plain" }, results.encrypted, results.plain, (round) => round.serverCpu),
    ratioOf({ name: "PostgreSQL CPU an event, encrypted / plain" }, results.encrypted, results.plain, (round) => round.databaseCpu),
  ];
};

/**
 * A gateway with metrics against one without, and all that is counted of an event by itself. Both gateways stay up and take turns in either order: a start,
 * and who comes first, would make a greater difference than counting does.
 */
export const benchMetrics: Benchmark = async (run) => {
  await using stage = await openStage(run.cluster, "metrics");
  await using plain = await startGateway(stage);
  await using counting = await startGateway(stage, { isCounting: true });
  const measureOne = (contestant: "without" | "with") =>
    measure(
      { ...stage, servers: [contestant === "with" ? counting : plain] },
      { connections: 32, requests: () => signedRequests(stage.shop) },
      run,
    );
  const results = await inTurn(["without", "with"], run.rounds, measureOne);
  printMeasurements("metrics, 32 connections", results);
  const counted = await countingCpu();
  return [
    ratioOf(
      { name: "gateway CPU an event, with metrics / without", atMost: 1.05 },
      results.with,
      results.without,
      (round) => round.serverCpu,
    ),
    ratioOf(
      { name: "counting an event / gateway CPU an event without metrics", atMost: 0.05, decimals: 4 },
      results.without.map(() => counted),
      results.without.map((round) => round.serverCpu),
      (microseconds) => microseconds,
    ),
  ];
};

/** The processor time of all that the gateway counts of an event with one message, in microseconds. */
async function countingCpu(): Promise<number> {
  const metrics = await createGatewayMetrics("bench");
  const countOne = (): void => {
    const spent = new StageClock();
    for (const stage of ["authenticate", "plan", "claim", "dispatch", "settle"] as const) spent.enter(stage);
    spent.leave();
    metrics.stages(spent.laps);
    metrics.requests("/api/public/events/:source/:event 200");
    metrics.events("sent");
    metrics.messages("sent");
    metrics.platformRequests("2xx");
    for (const lane of ["claim", "settle"]) {
      metrics.batchSize(8, lane);
      metrics.poolWait(0.0003);
    }
  };
  const events = 500_000;
  const spentBy = (count: number): number => {
    const before = process.cpuUsage();
    for (let i = 0; i < count; i += 1) countOne();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / count;
  };
  spentBy(events);
  const spent = spentBy(events);
  say(`all that is counted of an event takes ${cell(spent, 2)} µs`);
  return spent;
}

/** Two gateways over one database, each with half of the connections, against one. They share the cores with everything else, so on two cores little can be gained. */
export const benchGateways: Benchmark = async (run) => {
  await using stage = await openStage(run.cluster, "gateways");
  const plan = { connections: 64, requests: () => signedRequests(stage.shop) };
  const results = await inTurn(["one", "two"], run.rounds, async (contestant) => {
    await using first = await startGateway(stage);
    if (contestant === "one") return await measure({ ...stage, servers: [first] }, plan, run);
    await using second = await startGateway(stage, { core: 1 });
    return await measure({ ...stage, servers: [first, second] }, plan, run);
  });
  printMeasurements("gateways, 64 connections", results);
  return [ratioOf({ name: "two gateways / one" }, results.two, results.one, (round) => round.throughput)];
};

const sites = 5;

/** The gateway over five million stored events and messages, against itself over an empty database of the same PostgreSQL. */
export const benchStored: Benchmark = async (run) => {
  const rows = run.quick ? 20_000 : 5_000_000;
  await using empty = await openStage(run.cluster, "stored_none");
  await using full = await openStage(run.cluster, "stored");
  const { sql } = full.database;
  const others: Shop[] = [];
  for (let i = 1; i < sites; i += 1) others.push(await openShop(sql, { accountId: full.shop.accountId }));
  say(`\nstoring ${rows} events and messages of ${sites} sites`);
  await storeLog(sql, { shops: [full.shop, ...others], from: 0, to: rows });
  const results = await inTurn(["empty", "full"], run.rounds, async (contestant) => {
    const stage = contestant === "empty" ? empty : full;
    await using server = await startGateway(stage);
    return await measure({ ...stage, servers: [server] }, { connections: 32, requests: () => signedRequests(stage.shop) }, run);
  });
  printMeasurements(`${rows} events and messages stored, 32 connections`, results);
  return [ratioOf({ name: `${rows} stored / empty`, atLeast: 0.9 }, results.full, results.empty, (round) => round.throughput)];
};

/** This gateway against one of another checkout, in processor time an event. Each has a database of its own, and both stay up. */
export const benchVersions: Benchmark = async (run) => {
  if (run.checkout === null) throw new Error("versions compares with another built checkout: name its folder by --checkout.");
  await using stage = await openStage(run.cluster, "this");
  await using otherStage = await openStage(run.cluster, "other");
  const shops = { this: await toldShop(stage), other: await toldShop(otherStage) };
  await using server = await startGateway(stage);
  await using other = await startGateway(otherStage, { checkout: run.checkout });
  const compare = async (title: string, planOf: (which: "this" | "other") => LoadPlan): Promise<Figure[]> => {
    const results = await inShortTurns(["this", "other"], run, (which, each) =>
      measure(which === "this" ? { ...stage, servers: [server] } : { ...otherStage, servers: [other] }, planOf(which), each),
    );
    printMeasurements(title, results);
    return cpuRatios(`${title}: this / other`, results.this, results.other);
  };
  const figures: Figure[] = [];
  for (const connections of [1, 32, 256])
    figures.push(
      ...(await compare(`connections: ${connections}`, (which) => ({
        connections,
        requestsEach: 400,
        requests: () => signedRequests((which === "this" ? stage : otherStage).shop),
      }))),
    );
  return [...figures, ...(await compare("32 with an endpoint", (which) => wholePlan(which === "this" ? stage : otherStage, shops[which])))];
};
