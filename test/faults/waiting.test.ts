import { parseReference } from "shared/platform/client";
import { describe, expect, it } from "vitest";
import { openGateway, type SpawnOptions } from "../support/gateway.ts";
import { refuse } from "../support/platform.ts";
import { waitFor } from "../support/wait-for.ts";
import { violations } from "./harness/invariants.ts";
import { startFaultProxy } from "./harness/link.ts";
import { startLoad } from "./harness/load.ts";
import { report, scaled, scenarioRandom } from "./harness/scale.ts";
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

/** One event in a hundred is for the list, as what is for one phone leaves one after the other. */
const shopsOf = ({ shops: [listed, ...others] }: World) => [
  ...Array.from({ length: 11 }, () => others).flat(),
  ...(listed ? [listed] : []),
];

/** Until something has been due for so long and was not sent. */
const untilOverdue = ({ sql }: World) =>
  waitFor(
    "a message to be overdue",
    async () => (await sql`select from waiting_message where due_at < now() - interval '1 second' limit 1`).length > 0,
  );

describe("scheduled, queued and retried messages", () => {
  const events = scaled(60, 5000);
  const inDoubtSeconds = scaled(4, 10);

  it(
    "every gateway killed at once, again and again: each message is sent exactly once",
    async () => {
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
      const kills = scaled(1, 12);
      for (let kill = 1; kill <= kills; kill += 1) {
        await waitFor("the next kill", () => ledger.answered >= (kill * events) / (kills + 1), 120_000);
        // While all gateways are dead nobody hears the platform: a report that comes later than the doubt lasts is no fault of theirs.
        await world.platform.told();
        for (const place of [0, 1, 2]) await waitFor("a gateway to kill", () => fleet.kill(place));
      }
      await done;
      const found = await violations({ ...world, ledger, excuses: ["interrupted again"] });
      const { requests } = ledger;
      report("kill -9 of all gateways", {
        seed: random.seed,
        events,
        deaths: fleet.deaths,
        requests,
        retried: refused(),
        violations: found.length,
      });
      expect(fleet.deaths).toBeGreaterThanOrEqual(3 * kills);
      expect(refused()).toBeGreaterThan(0);
      expect(found).toEqual([]);
    },
    scaled(90_000, 900_000),
  );

  it(
    "a database that is away while messages become due: each is sent exactly once when it is back",
    async () => {
      const random = scenarioRandom(1702);
      await using world = await openWorld(random);
      const refused = refuseSome(world, random);
      await using way = await startFaultProxy(world.databaseUrl);
      await using one = await openGateway(way.url, world.platform.url, { inDoubtSeconds }, shortLease);
      await using other = await openGateway(way.url, world.platform.url, { inDoubtSeconds }, shortLease);
      world.gateways.push(one.url, other.url);
      const { ledger, done } = startLoad({ random, shops: shopsOf(world), gateways: () => world.gateways, events, clients: 24, queued: 1 });
      const rounds = scaled(1, 6);
      for (let round = 1; round <= rounds; round += 1) {
        await waitFor("the next loss", () => ledger.answered >= (round * events) / (rounds + 1), 120_000);
        way.refuse();
        way.cut();
        await untilOverdue(world);
        way.heal();
      }
      await done;
      const found = await violations({ ...world, ledger, excuses: [] });
      const { requests } = ledger;
      report("database away across due times", {
        seed: random.seed,
        events,
        rounds,
        requests,
        retried: refused(),
        violations: found.length,
      });
      expect(refused()).toBeGreaterThan(0);
      expect(found).toEqual([]);
    },
    scaled(90_000, 900_000),
  );
});
