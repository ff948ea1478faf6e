import { parseReference } from "shared/platform/client";
import { describe, expect, it } from "vitest";
import { openGateway, openShop, type SpawnOptions } from "../support/gateway.ts";
import { refuse } from "../support/platform.ts";
import { postEvent } from "../support/requests.ts";
import { waitFor } from "../support/wait-for.ts";
import { recoveryMs, untilSound } from "./harness/invariants.ts";
import { startFaultProxy } from "./harness/link.ts";
import { startLoad } from "./harness/load.ts";
import { report, scenarioRandom } from "./harness/scale.ts";
import { openWorld, shortLease, startFleet, type World } from "./harness/world.ts";

/** Refuses one try in five for a while, and no message more than twice. */
function refuseSome({ platform }: World, random: { often(chance: number): boolean }): () => number {
  const refusals = new Map<string, number>();
  platform.behave(({ body }) => {
    const id = parseReference(body.biz_opaque_callback_data)?.notificationId ?? "";
    const before = refusals.get(id) ?? 0;
    if (before === 2 || !random.often(0.2)) return { takes: true, answer: null };
    refusals.set(id, before + 1);
    return { takes: false, answer: (response) => refuse(response, 500, 131000) };
  });
  return () => refusals.size;
}

/** One event in a hundred is for the list, as messages for one phone leave one after the other. */
const shopsOf = ({ shops: [listed, ...others] }: World) => [
  ...Array.from({ length: 11 }, () => others).flat(),
  ...(listed ? [listed] : []),
];

/** Waits until a message has been overdue for this long. */
const untilOverdue = ({ sql }: World) =>
  waitFor(
    "a message to be overdue",
    async () => (await sql`select from waiting_message where due_at < now() - interval '1 second' limit 1`).length > 0,
  );

describe("messages that replace and cancel each other", () => {
  const events = 4000;

  it("all end while their gateways are killed: sent once, failed with a reason or cancelled, and nothing is left over", async () => {
    const random = scenarioRandom(1703);
    await using world = await openWorld(random);
    const { sql, platform, gateways } = world;
    const by = "order.group";
    const schedule = { delaySeconds: 1, restartBy: by, cancelOn: { events: ["order.paid"], by } };
    const shop = await openShop(sql, { accountId: world.single.accountId, schedule });
    // Taken messages wait for their slots, which is when most gateways die.
    await sql`update account set messages_per_second = 60`;
    const options: SpawnOptions = {
      databaseUrl: world.databaseUrl,
      platformApiUrl: platform.url,
      inDoubtSeconds: 2,
      timeLimits: shortLease,
    };
    await using fleet = await startFleet(2, gateways, () => options);
    let posted = 0;
    const client = async () => {
      while ((posted += 1) <= events) {
        const n = posted;
        const group = random.whole(1, events / 8);
        const payload = { customer: { phone_e164: `+1555${3_000_000 + group}` }, order: { id: `${n}`, group } };
        const key = { headers: { "X-Service-Idempotency-Key": `${n}` }, event: random.often(0.3) ? "order.paid" : "order.created" };
        await waitFor("an answer", () =>
          postEvent({ url: random.pick(gateways) }, shop, payload, key).then(
            ({ status }) => status === 200,
            () => false,
          ),
        );
      }
    };
    const done = Promise.all(Array.from({ length: 16 }, client));
    const kills = 15;
    for (let kill = 1; kill <= kills; kill += 1) {
      await waitFor("the next kill", () => posted >= (kill * events) / (kills + 1), 120_000);
      await waitFor("a gateway to kill", () => fleet.kill(kill % 2));
    }
    await done;
    const left = () => sql`select from waiting_message union all select from recipient_turn union all select from event where chat is null`;
    await waitFor("every message to end", async () => (await left()).length === 0, recoveryMs);
    await platform.told();
    const statuses = Object.fromEntries(
      (await sql`select status, count(*)::integer as n from notification group by status`).map(({ status, n }) => [status, n]),
    );
    const sent = platform.taken.map(({ body }) => JSON.stringify([body.to, body.template]));
    report("replaced and cancelled, two gateways", { seed: random.seed, events, deaths: fleet.deaths, ...statuses, taken: sent.length });
    expect(Object.keys(statuses).filter((status) => ["scheduled", "queued", "sending"].includes(status))).toEqual([]);
    expect(statuses["cancelled"]).toBeGreaterThan(0);
    expect(new Set(sent).size).toBe(sent.length);
  }, 600_000);
});

describe("scheduled, queued and retried messages", () => {
  const events = 5000;
  const inDoubtSeconds = 10;

  it("every gateway killed at once, again and again: each message is sent exactly once", async () => {
    const random = scenarioRandom(1701);
    await using world = await openWorld(random);
    const refused = refuseSome(world, random);
    const options: SpawnOptions = {
      databaseUrl: world.databaseUrl,
      platformApiUrl: world.platform.url,
      inDoubtSeconds,
      timeLimits: shortLease,
    };
    await using fleet = await startFleet(3, world.gateways, () => options);
    const { ledger, done } = startLoad({ random, shops: shopsOf(world), gateways: () => world.gateways, events, clients: 24, queued: 1 });
    const kills = 12;
    for (let kill = 1; kill <= kills; kill += 1) {
      await waitFor("the next kill", () => ledger.answered >= (kill * events) / (kills + 1), 120_000);
      // While all gateways are dead, no callback is heard: a report that comes after the doubt has ended is no fault of theirs.
      await world.platform.told();
      for (const place of [0, 1, 2]) await waitFor("a gateway to kill", () => fleet.kill(place));
    }
    await done;
    await untilSound("kill -9 of all gateways", {
      ...world,
      ledger,
      random,
      excuses: ["interrupted again"],
      counts: { events, deaths: fleet.deaths, retried: refused() },
    });
    expect(fleet.deaths).toBeGreaterThanOrEqual(3 * kills);
    expect(refused()).toBeGreaterThan(0);
  }, 900_000);

  it("a database that is away while messages become due: each is sent exactly once when it is back", async () => {
    const random = scenarioRandom(1702);
    await using world = await openWorld(random);
    const refused = refuseSome(world, random);
    await using way = await startFaultProxy(world.databaseUrl);
    await using one = await openGateway(way.url, world.platform.url, { inDoubtSeconds }, shortLease);
    await using other = await openGateway(way.url, world.platform.url, { inDoubtSeconds }, shortLease);
    world.gateways.push(one.url, other.url);
    const { ledger, done } = startLoad({ random, shops: shopsOf(world), gateways: () => world.gateways, events, clients: 24, queued: 1 });
    const rounds = 6;
    for (let round = 1; round <= rounds; round += 1) {
      await waitFor("the next loss", () => ledger.answered >= (round * events) / (rounds + 1), 120_000);
      way.refuse();
      way.cut();
      await untilOverdue(world);
      way.heal();
    }
    await done;
    const counts = { events, rounds, retried: refused() };
    await untilSound("database away across due times", { ...world, ledger, random, excuses: [], counts });
    expect(refused()).toBeGreaterThan(0);
  }, 900_000);
});
