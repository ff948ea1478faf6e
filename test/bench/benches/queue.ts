import { waitFor } from "../../support/wait-for.ts";
import { inTurn, measure } from "../load.ts";
import { type Benchmark, printMeasurements, ratioOf, say } from "../report.ts";
import { signedRequests } from "../requests.ts";
import { makeReferenceTables, openStage, startGateway, startReference } from "../stage.ts";

const queued = { Prefer: "respond-async" };

/** Events that nobody waits for, while their site holds its messages, against (b) and events that are sent at once; then how fast the queue is sent. */
export const benchQueue: Benchmark = async (run) => {
  await using stage = await openStage(run.cluster, "queue");
  const { sql } = stage.database;
  const hold = (isOn: boolean) => sql`update site set hold_messages = ${isOn} where id = ${stage.shop.siteId}`.execute();
  await makeReferenceTables(stage.database);
  const accepted = await inTurn(["b", "sent", "queued"], run.rounds, async (contestant) => {
    await hold(contestant === "queued");
    await using server = await (contestant === "b" ? startReference(stage, stage.shop, true) : startGateway(stage));
    const [headers, status] = contestant === "queued" ? [queued, 202] : [{}, 200];
    const requests = () => signedRequests(stage.shop, headers);
    return await measure({ ...stage, servers: [server] }, { connections: 32, requests, status }, run);
  });
  printMeasurements("events, 32 connections", accepted);

  const [waiting] = await sql<{ count: number }[]>`select count(*)::integer as count from waiting_message`;
  // The messages get recipients of their own, so that not all wait for one.
  await sql`update waiting_message set phone_hash = id::text`;
  await sql`truncate recipient_turn`;
  await sql`insert into recipient_turn (account_id, phone_hash, site_id, due_at) select account_id, phone_hash, site_id, due_at from waiting_message`;
  await sql`analyze waiting_message`;
  await sql`analyze recipient_turn`;
  await using server = await startGateway(stage);
  const since = performance.now();
  await hold(false);
  await waitFor("the queue to be sent", async () => (await sql`select from waiting_message limit 1`).length === 0, 600_000);
  const perSecond = (1000 * (waiting?.count ?? 0)) / (performance.now() - since);
  say(`\n${waiting?.count} queued messages sent at ${Math.round(perSecond)} a second by ${server.url}`);
  return [
    ratioOf({ name: "events accepted for the queue / (b)" }, accepted.queued, accepted.b, (round) => round.throughput),
    ratioOf({ name: "events accepted for the queue / events sent at once" }, accepted.queued, accepted.sent, (round) => round.throughput),
    ratioOf(
      { name: "queued messages sent a second / events sent at once" },
      [perSecond],
      [accepted.sent[0]?.throughput ?? NaN],
      (rate) => rate,
    ),
  ];
};
